import { Graph, type Port } from '../onnx/graph.ts'
import { FLOAT32, INT64 } from '../onnx/tensor.ts'
import { type Crop, generator } from './generator.ts'
import { Layers, type Signal, type WeightForm } from './layers.ts'
import { FixedNormalisation, MeasuredNormalisation, type Normalisation } from './normalisation.ts'
import { residualBlock } from './residual-block.ts'
import type { ShippedWeights } from './weights.ts'

const PATH = '/decoder/decoder'
const PARAMETERS = 'decoder.decoder'
const STYLE_WIDTH = 256
/** The second half of a style vector is for the predictor. */
const DECODER_STYLE = [0, 128] as const

/**
 * Renders everything at once, from measured statistics:
 *
 *   asr [T, 512], f0 [2T], energy [2T], source [120T + 1, 22], style [1, 256] → audio [600T], conditioning [n]
 */
export function wholeDecoder(weights: ShippedWeights, form: WeightForm): Graph {
  const layers = new Layers(new Graph(), form)
  const style = layers.channels('style', ...DECODER_STYLE)
  const normalisation = new MeasuredNormalisation(layers, style)
  const x = decoder(weights, layers, normalisation)
  const audio = generator({ x, source: ['source'] }, weights, layers, normalisation, 'seldom')
  layers.graph.name(audio, 'audio')
  layers.graph.name(normalisation.conditioning(), 'conditioning')
  layers.graph.inputs = [...featurePorts, { name: 'style', type: FLOAT32, dims: [1, STYLE_WIDTH] }]
  layers.graph.outputs = [
    { name: 'audio', type: FLOAT32, dims: ['samples'] },
    { name: 'conditioning', type: FLOAT32, dims: ['conditioning'] },
  ]
  return layers.graph
}

/**
 * Renders a window with given statistics, each stage only as much of it as the next needs:
 *
 *   asr, f0, energy as above with context; first_from, first_to: rows of 80 a second that the first stage of the generator takes;
 *   source: of those; second_from, second_to: rows of 800 a second, from first_from on, that the second stage takes,
 *   and source_from, source_to: the same in rows of `source` → audio [30 × (second_to - second_from)]
 */
export function windowDecoder(weights: ShippedWeights, form: WeightForm): Graph {
  const layers = new Layers(new Graph(), form)
  const normalisation = new FixedNormalisation(layers)
  const first = cropInputs('first')
  const secondStage = cropInputs('second')
  const secondSource = cropInputs('source')
  const features = layers.joined(decoder(weights, layers, normalisation))
  const x = [layers.sliceAt(features, first.from, first.to)]
  const audio = generator(
    { x, source: ['source'], secondStage, secondSource },
    weights,
    layers,
    normalisation,
    'windows',
  )
  layers.graph.name(audio, 'audio')
  const size = normalisation.connect('conditioning')
  const positions = [first, secondStage, secondSource].flatMap(({ from, to }) => [from, to])
  layers.graph.inputs = [
    ...featurePorts,
    { name: 'conditioning', type: FLOAT32, dims: [size] },
    ...positions.map((position) => ({ name: position, type: INT64, dims: [1] })),
  ]
  layers.graph.outputs = [{ name: 'audio', type: FLOAT32, dims: ['samples'] }]
  return layers.graph
}

const featurePorts: readonly Port[] = [
  { name: 'asr', type: FLOAT32, dims: ['frames', 512] },
  { name: 'f0', type: FLOAT32, dims: ['half_frames'] },
  { name: 'energy', type: FLOAT32, dims: ['half_frames'] },
  { name: 'source', type: FLOAT32, dims: ['source_rows', 22] },
]

/** Features → [80 a second, 512]. */
function decoder(weights: ShippedWeights, layers: Layers, normalisation: Normalisation): Signal {
  const asr = ['asr']
  layers.keepTime(asr)
  const f0 = halve('f0', `${PATH}/F0_conv`, weights, layers)
  const energy = halve('energy', `${PATH}/N_conv`, weights, layers)
  let x = layers.concat([asr, f0, energy])
  x = residualBlock(x, `${PATH}/encode`, `${PARAMETERS}.encode`, weights, layers, normalisation)
  const residual = layers.convolve(asr, weights.convolution(`${PATH}/asr_res/asr_res.0`), `${PATH}/asr_res`)
  for (const block of ['decode.0', 'decode.1', 'decode.2', 'decode.3']) {
    x = layers.concat([x, residual, f0, energy])
    x = residualBlock(x, `${PATH}/${block}`, `${PARAMETERS}.${block}`, weights, layers, normalisation)
  }
  return x
}

/** Kernel 3, stride 2 over one channel: [2T] → [T, 1]. In float32: 8 bits are too few for a pitch in hertz. */
function halve(x: string, path: string, weights: ShippedWeights, layers: Layers): Signal {
  const layer = weights.convolution(path)
  const [before = 0, centre = 0, after = 0] = Array.from(
    layer.weights.values,
    (value) => (value - layer.weights.zeroPoint) * (layer.weights.scale[0] ?? 0),
  )
  // Row t holds values 2t - 2 … 2t + 1; the convolution at 2t reads the last three.
  const pairs = [layers.reshape(x, [-1, 2])]
  const rows = layers.neighbourhoods(pairs, [0, 1], 1, 0)
  const kernel = { dims: [4, 1], values: Float32Array.of(0, before, centre, after) }
  return layers.multiply(rows, kernel, layer.bias, path)
}

function cropInputs(stage: string): Crop {
  return { from: `${stage}_from`, to: `${stage}_to` }
}
