import { Graph } from '../onnx/graph.ts'
import { FLOAT32, INT64 } from '../onnx/tensor.ts'
import { rollUpAlbert } from './albert.ts'
import { Layers, type Signal, type WeightForm } from './layers.ts'
import { MeasuredNormalisation } from './normalisation.ts'
import { residualBlock } from './residual-block.ts'
import type { ShippedWeights } from './weights.ts'

const PATH = '/encoder'
const PARAMETERS = 'encoder.predictor'
const STYLE_WIDTH = 256
const PREDICTOR_STYLE = [128, 256] as const
const TEXT_CONVOLUTIONS = [0, 1, 2].map((index) => `${PATH}/text_encoder/cnn.${index}/cnn.${index}.0`)

/** Tensors of the shipped graph between the text and the alignment of text and time. */
const DURATIONS = '/encoder/predictor/ReduceSum_output_0'
const PREDICTOR_ROWS = '/encoder/predictor/text_encoder/Concat_4_output_0'
const TEXT_ROWS = '/encoder/text_encoder/lstm/Reshape_output_0'

/**
 * The part of the shipped graph before durations become frames, so that they can be changed:
 *
 *   tokens [1, n], style [1, 256] → durations [n] in frames at speed 1, predictor [n, 640], text [n, 512]
 *
 * Takes the graph over: its nodes are changed in place.
 */
export function durationGraph(shipped: Graph, weights: ShippedWeights, form: WeightForm): Graph {
  const layers = new Layers(shipped, form)
  rollUpAlbert(shipped, weights, form)
  for (const path of TEXT_CONVOLUTIONS) replaceConvolution(path, weights, layers)
  shipped.name(layers.reshape(DURATIONS, [-1]), 'durations')
  shipped.name(layers.reshape(PREDICTOR_ROWS, [-1, 640]), 'predictor')
  shipped.name(layers.reshape(TEXT_ROWS, [-1, 512]), 'text')
  shipped.cut(
    [
      { name: 'tokens', type: INT64, dims: [1, 'tokens'] },
      { name: 'style', type: FLOAT32, dims: [1, STYLE_WIDTH] },
    ],
    [
      { name: 'durations', type: FLOAT32, dims: ['tokens'] },
      { name: 'predictor', type: FLOAT32, dims: ['tokens', 640] },
      { name: 'text', type: FLOAT32, dims: ['tokens', 512] },
    ],
  )
  return shipped
}

/**
 * Pitch and energy along time, from the token that each frame belongs to:
 *
 *   predictor [n, 640], alignment int64 [T], style [1, 256] → f0 [2T] in hertz, 0 where unvoiced, and energy [2T]
 */
export function prosodyGraph(weights: ShippedWeights, form: WeightForm): Graph {
  const graph = new Graph()
  const layers = new Layers(graph, form)
  const aligned = graph.emit('Gather', ['predictor', 'alignment'], { attributes: { axis: { int: 0 } } })
  const shared = recurrent(layers.reshape(aligned, [-1, 1, 640]), `${PATH}/shared/LSTM_quant`, weights, graph)
  const x = [layers.reshape(shared, [-1, 512])]
  const normalisation = new MeasuredNormalisation(layers, layers.channels('style', ...PREDICTOR_STYLE))
  for (const [output, branch] of [
    ['f0', 'F0'],
    ['energy', 'N'],
  ] as const) {
    let curve: Signal = x
    layers.keepTime(x)
    for (const index of [0, 1, 2]) {
      const block = `${branch}.${index}`
      curve = residualBlock(curve, `${PATH}/${block}`, `${PARAMETERS}.${block}`, weights, layers, normalisation)
    }
    curve = layers.convolve(curve, weights.convolution(`${PATH}/${branch}_proj`), `${PATH}/${branch}_proj`)
    graph.name(layers.reshape(layers.joined(curve), [-1]), output)
  }
  graph.inputs = [
    { name: 'predictor', type: FLOAT32, dims: ['tokens', 640] },
    { name: 'alignment', type: INT64, dims: ['frames'] },
    { name: 'style', type: FLOAT32, dims: [1, STYLE_WIDTH] },
  ]
  graph.outputs = [
    { name: 'f0', type: FLOAT32, dims: ['half_frames'] },
    { name: 'energy', type: FLOAT32, dims: ['half_frames'] },
  ]
  return graph
}

/** Puts an integer product in the place of a `ConvInteger` over [1, channel, time] and everything that scales its result. */
function replaceConvolution(path: string, weights: ShippedWeights, layers: Layers): void {
  const { graph } = layers
  const layer = weights.convolution(path)
  const inputs = layer.weights.rows / layer.taps
  const flip = { attributes: { perm: { ints: [0, 2, 1] } } }
  const [quantized = ''] = graph.node(`${path}/Conv_quant`).inputs
  const [signal = ''] = graph.producer(quantized)?.inputs ?? []
  const rows = [layers.reshape(graph.emit('Transpose', [signal], flip), [-1, inputs])]
  layers.keepTime(rows)
  const product = layers.joined(layers.convolve(rows, layer, path))
  const replacement = graph.emit('Transpose', [layers.reshape(product, [1, -1, layer.weights.columns])], flip)
  graph.redirect(`${path}/Conv_output_0`, replacement)
}

/** Copies a recurrent layer with its weights. It starts from zeros, which an empty input means. */
function recurrent(x: string, name: string, weights: ShippedWeights, graph: Graph): string {
  const shipped = weights.node(name)
  const INITIAL_STATES = [5, 6]
  const inputs = shipped.inputs.map((input, index) => {
    if (index === 0) return x
    if (input === '' || INITIAL_STATES.includes(index)) return ''
    return graph.define(input, weights.constant(input))
  })
  graph.add({ ...shipped, inputs, outputs: [`${name}:0`] })
  return `${name}:0`
}
