import assert from 'node:assert/strict'
import type { Tensor } from '../onnx/tensor.ts'
import { type Layers, type Signal, TO_END } from './layers.ts'
import type { Normalisation } from './normalisation.ts'
import { snake, snakeGain } from './snake.ts'
import { quantizeColumns, type ShippedWeights } from './weights.ts'

const PATH = '/decoder/decoder/generator'
const PARAMETERS = 'decoder.decoder.generator'
/**
 * `pieces`: those of a window of a second are about 500 kB each, so that a few fit into a core's own cache: a tenth faster than in
 * one. Twice as many are hardly faster still, and a session takes five times as long to open, for the runtime's planning grows with
 * the square of the number of nodes.
 */
const STAGES = [
  { stride: 10, pieces: 2, blocks: ['resblocks.0', 'resblocks.1', 'resblocks.2'] },
  { stride: 6, pieces: 4, blocks: ['resblocks.3', 'resblocks.4', 'resblocks.5'] },
] as const
const BLOCK_STEPS = 3
/**
 * Steps whose branch says little beyond its mean over time, which is added in its place: a tenth of a window's work and more. Each
 * of the 24 was left out alone: these change words, DNSMOS and the spectrum up to 12 kHz no more than rounding elsewhere does. DNSMOS
 * is no judge of it alone: it hears up to 8 kHz, and doesn't miss some steps that carry most of what lies above 4 kHz.
 */
const STEADY_STEPS: ReadonlySet<string> = new Set(['noise_res.0.0', 'noise_res.0.1', 'noise_res.0.2', 'noise_res.1.1'])
/** Short-time spectrum of the harmonic source and of the output: 11 magnitudes and 11 phases, 20 samples, one every 5. */
const BINS = 11
const TRANSFORM = 20
const HOP = 5

/** Run-time positions at which a signal is cut, each an int64 tensor [1]; `to` is exclusive. */
export interface Crop {
  readonly from: string
  readonly to: string
}

/** What each stage of the generator sees. Both crops are left out where everything is rendered. */
export interface GeneratorSignals {
  /** Decoder output [80 a second, 512]. */
  readonly x: Signal
  /** Spectrum of the harmonic source [4,800 a second + 1, 22], from where `x` begins. */
  readonly source: Signal
  /** In 800ths of a second: what of the first stage's output the second stage needs. */
  readonly secondStage?: Crop
  /** The same in rows of `source`. */
  readonly secondSource?: Crop
}

/**
 * The iSTFTNet generator: decoder features and harmonic source → samples [n]. `seldom`: signals stay in one piece, for a
 * session that is opened for every run.
 */
export function generator(
  signals: GeneratorSignals,
  weights: ShippedWeights,
  layers: Layers,
  normalisation: Normalisation,
  use: 'windows' | 'seldom',
): string {
  let { x, source } = signals
  for (const [index, stage] of STAGES.entries()) {
    if (index === 1 && signals.secondStage !== undefined && signals.secondSource !== undefined) {
      x = [layers.sliceAt(layers.joined(x), signals.secondStage.from, signals.secondStage.to)]
      source = [layers.sliceAt(layers.joined(source), signals.secondSource.from, signals.secondSource.to)]
    }
    x = layers.leakyRelu(x, 0.1)
    const excitation =
      index === 0 ? firstExcitation(source, weights, layers) : secondExcitation(source, weights, layers)
    layers.keepTime(excitation)
    const pieces = use === 'windows' ? stage.pieces : 1
    const shaped = generatorBlock(
      layers.split(excitation, pieces),
      `noise_res.${index}`,
      weights,
      layers,
      normalisation,
    )
    x = upsample(x, index, stage.stride, weights, layers)
    if (index === 1) x = layers.mirrorFirst(x)
    const mixed = layers.add(layers.split(x, pieces), shaped)
    const outputs = stage.blocks.map((block) => generatorBlock(mixed, block, weights, layers, normalisation))
    x = layers.scale(
      outputs.reduce((sum, output) => layers.add(sum, output)),
      layers.number(1 / outputs.length),
    )
  }
  return synthesis(layers.leakyRelu(x, 0.01), weights, layers)
}

/** Three dilated convolution pairs, each with its own residual connection (`AdaINResBlock1`). */
function generatorBlock(
  x: Signal,
  block: string,
  weights: ShippedWeights,
  layers: Layers,
  normalisation: Normalisation,
): Signal {
  const path = `${PATH}/${block}`
  const normOf = (name: string, alpha: Float32Array) => ({
    name: `${path}/${name}`,
    style: weights.linear(`${path}/${name}/fc/Gemm_MatMul_quant`, `${PARAMETERS}.${block}.${name}.fc.bias`),
    gain: snakeGain(alpha),
  })
  for (let step = 0; step < BLOCK_STEPS; step++) {
    const plain = weights.convolution(`${path}/convs2.${step}`)
    const branch = () => {
      const alphaIn = weights.floats(`${PARAMETERS}.${block}.alpha1.${step}`)
      const alphaOut = weights.floats(`${PARAMETERS}.${block}.alpha2.${step}`)
      const dilated = weights.convolution(`${path}/convs1.${step}`)
      let inner = normalisation.normalise(x, normOf(`adain1.${step}`, alphaIn))
      inner = snake(inner, alphaIn, layers, `${path}/alpha1.${step}`)
      inner = normalisation.normaliseConvolution(inner, dilated, normOf(`adain2.${step}`, alphaOut))
      inner = snake(inner, alphaOut, layers, `${path}/alpha2.${step}`)
      return layers.convolve(inner, plain, `${path}/convs2.${step}`)
    }
    x = STEADY_STEPS.has(`${block}.${step}`)
      ? normalisation.addSteady(x, `${path}/step.${step}`, plain.weights.columns, branch)
      : layers.add(branch(), x)
  }
  return x
}

function upsample(x: Signal, index: number, stride: number, weights: ShippedWeights, layers: Layers): Signal {
  const node = `${PATH}/ups.${index}/ConvTranspose`
  const { values, dims } = weights.operand(node, 1)
  const [inputs = 0, outputs = 0, taps = 0] = dims
  assert.equal(taps, 2 * stride)
  const columns = stride * outputs
  const matrix = new Float32Array(2 * inputs * columns)
  for (let input = 0; input < inputs; input++) {
    for (let output = 0; output < outputs; output++) {
      for (let tap = 0; tap < taps; tap++) {
        const row = tap < stride ? input : inputs + input
        matrix[row * columns + (tap % stride) * outputs + output] = Number(
          values[(input * outputs + output) * taps + tap],
        )
      }
    }
  }
  const bias = Float32Array.from(weights.operand(node, 2).values, Number)
  return layers.upsample(x, quantizeColumns(matrix, 2 * inputs, columns), bias, stride, `${PATH}/ups.${index}`)
}

/** Kernel 12, stride 6, padding 3: every output row reads two neighbouring groups of six rows. */
function firstExcitation(source: Signal, weights: ShippedWeights, layers: Layers): Signal {
  const layer = weights.convolution(`${PATH}/noise_convs.0`)
  const groups = [layers.reshape(layers.padded(source, 3, 2), [-1, 6 * 2 * BINS])]
  return layers.multiply(
    layers.neighbourhoods(groups, [0, 1], 0, 0),
    floatWeights(layer),
    layer.bias,
    `${PATH}/noise_convs.0`,
  )
}

function secondExcitation(source: Signal, weights: ShippedWeights, layers: Layers): Signal {
  const layer = weights.convolution(`${PATH}/noise_convs.1`)
  return layers.multiply(source, floatWeights(layer), layer.bias, `${PATH}/noise_convs.1`)
}

/** Last convolution, then the inverse short-time transform as an overlap of four products. */
function synthesis(x: Signal, weights: ShippedWeights, layers: Layers): string {
  const { graph } = layers
  const node = `${PATH}/conv_post/Conv`
  const kernel = weights.operand(node, 1)
  const [outputs = 0, inputs = 0, taps = 0] = kernel.dims
  const reach = (taps - 1) / 2
  const columns = taps * outputs
  const values = new Float32Array(inputs * columns)
  for (let output = 0; output < outputs; output++) {
    for (let input = 0; input < inputs; input++) {
      for (let tap = 0; tap < taps; tap++) {
        values[input * columns + tap * outputs + output] = Number(kernel.values[(output * inputs + input) * taps + tap])
      }
    }
  }
  // What each row gives to every row it reaches, then what each row gets: far less to move than every row's seven neighbours.
  const given = layers.padded(layers.multiply(x, { dims: [inputs, columns], values }, undefined, node), reach, reach)
  const got = Array.from({ length: taps }, (_, tap) => {
    return layers.channels(layers.slice(given, tap, tap - 2 * reach || TO_END), tap * outputs, (tap + 1) * outputs)
  })
  const bias = layers.vector(Float32Array.from(weights.operand(node, 2).values, Number), `${node}.bias`)
  const spectrum = graph.emit('Add', [graph.emit('Sum', got), bias])
  const magnitude = graph.emit('Exp', [layers.channels(spectrum, 0, BINS)])
  const phase = graph.emit('Sin', [layers.channels(spectrum, BINS, 2 * BINS)])
  const real = graph.emit('Mul', [magnitude, graph.emit('Cos', [phase])])
  const imaginary = graph.emit('Mul', [magnitude, graph.emit('Sin', [phase])])
  const frames = layers.concat([[real], [imaginary]])
  // Output block j holds samples 5j … 5j + 4 and lies under the frames j + 2, j + 1, j and j - 1.
  const overlapping = layers.neighbourhoods(frames, [3, 2, 1, 0], 1, 1)
  const samples = layers.multiply(overlapping, inverseBasis(weights), undefined, `${PATH}/istft`)
  return layers.reshape(layers.joined(samples), [-1])
}

/** Inverse basis [22, 20] of the shipped graph → [4 frames × 22, 5 samples], with the window's sum divided out. */
function inverseBasis(weights: ShippedWeights): Tensor {
  const basis = weights.floats('decoder.decoder.generator.stft.istft.stft.inverse_basis')
  const windowSum = weights.floats('decoder.decoder.generator.stft.istft.stft.window_sum')
  const scale = TRANSFORM / HOP / (windowSum[2 * TRANSFORM] ?? 1)
  const values = new Float32Array(2 * BINS * TRANSFORM)
  for (let frame = 0; frame < TRANSFORM / HOP; frame++) {
    for (let bin = 0; bin < 2 * BINS; bin++) {
      for (let sample = 0; sample < HOP; sample++) {
        const at = (frame * 2 * BINS + bin) * HOP + sample
        values[at] = (basis[bin * TRANSFORM + frame * HOP + sample] ?? 0) * scale
      }
    }
  }
  return { dims: [(TRANSFORM / HOP) * 2 * BINS, HOP], values }
}

function floatWeights({ weights }: { weights: ReturnType<typeof quantizeColumns> }): Tensor {
  const scale = weights.scale[0] ?? 0
  return {
    dims: [weights.rows, weights.columns],
    values: Float32Array.from(weights.values, (value) => (value - weights.zeroPoint) * scale),
  }
}
