import { describe, expect, it } from 'vitest'
import { Layers } from '../../../models/kokoro/layers.ts'
import {
  type AdaptiveNorm,
  FixedNormalisation,
  MeasuredNormalisation,
  type Normalisation,
} from '../../../models/kokoro/normalisation.ts'
import { type Convolution, quantizeColumns } from '../../../models/kokoro/weights.ts'
import { Graph } from '../../../models/onnx/graph.ts'
import { FLOAT32 } from '../../../models/onnx/tensor.ts'
import { openSession, tensor } from '../../../workers/session.ts'
import { largestDifference, noise, runGraph } from '../onnx/run-graph.ts'

const CHANNELS = 4
const STYLE = 3
const ROWS = 50

const norm: AdaptiveNorm = {
  name: 'norm',
  style: {
    weights: quantizeColumns(noise(STYLE * 2 * CHANNELS, 2), STYLE, 2 * CHANNELS),
    bias: noise(2 * CHANNELS, 4),
  },
  gain: Float32Array.of(0.5, 1, 2, 3),
}
const layer: Convolution = {
  weights: { ...quantizeColumns(noise(3 * CHANNELS * CHANNELS, 6), 3 * CHANNELS, CHANNELS) },
  bias: noise(CHANNELS, 8),
  taps: 3,
  dilation: 1,
}

function build(layers: Layers, normalisation: Normalisation, pieces: number): void {
  layers.keepTime(['x'])
  const first = normalisation.normalise(layers.split(['x'], pieces), norm)
  const second = normalisation.normaliseConvolution(first, layer, { ...norm, name: 'second' })
  layers.graph.name(layers.joined(second), 'y')
}

/** A branch with a normalisation inside of it, taken for its mean, and another one behind it. */
function buildSteady(layers: Layers, normalisation: Normalisation): void {
  layers.keepTime(['x'])
  const sum = normalisation.addSteady(['x'], 'steady', CHANNELS, () =>
    normalisation.normaliseConvolution(['x'], layer, { ...norm, name: 'inside' }),
  )
  const behind = { ...layer, bias: noise(CHANNELS, 10) }
  layers.graph.name(layers.joined(normalisation.normaliseConvolution(sum, behind, norm)), 'y')
}

type Build = typeof build

async function measured(
  x: Float32Array,
  pieces: number,
  write: Build = build,
): Promise<{ y: Float32Array; conditioning: Float32Array }> {
  const layers = new Layers(new Graph(), 'fast')
  const normalisation = new MeasuredNormalisation(layers, 'style')
  write(layers, normalisation, pieces)
  layers.graph.name(layers.reshape(normalisation.conditioning(), [1, -1]), 'conditioning')
  const style = { values: noise(STYLE, 5), columns: STYLE }
  const [y, conditioning] = await runGraph(layers.graph, { x: { values: x, columns: CHANNELS }, style }, [
    'y',
    'conditioning',
  ])
  return { y: y!, conditioning: conditioning! }
}

async function fixed(x: Float32Array, conditioning: Float32Array, write: Build = build): Promise<Float32Array> {
  const layers = new Layers(new Graph(), 'fast')
  const normalisation = new FixedNormalisation(layers)
  write(layers, normalisation, 1)
  const size = normalisation.connect('conditioning')
  expect(size).toBe(conditioning.length)
  layers.graph.inputs = [
    { name: 'x', type: FLOAT32, dims: ['rows', CHANNELS] },
    { name: 'conditioning', type: FLOAT32, dims: [size] },
  ]
  layers.graph.outputs = [{ name: 'y', type: FLOAT32, dims: ['rows', CHANNELS] }]
  const session = await openSession(layers.graph.serialize())
  const { y } = await session.run({
    x: tensor('float32', x, [x.length / CHANNELS, CHANNELS]),
    conditioning: tensor('float32', conditioning, [size]),
  })
  await session.release()
  return y?.data as Float32Array
}

describe('adaptive normalisation', () => {
  const x = noise(ROWS * CHANNELS, 11).map((value, at) => value * 3 + (at % CHANNELS))

  it('brings every channel to the mean that the style asks for', async () => {
    const { y } = await measured(x, 1)
    const bias = norm.style.bias
    expect(bias).toHaveLength(2 * CHANNELS)
    const means = Array.from({ length: CHANNELS }, (_, channel) => {
      return y.filter((_, at) => at % CHANNELS === channel).reduce((sum, value) => sum + value, 0) / ROWS
    })
    // The mean of a normalised channel is its shift alone, whatever the signal was.
    const other = await measured(
      x.map((value) => value * 5 - 2),
      1,
    )
    const otherMeans = Array.from({ length: CHANNELS }, (_, channel) => {
      return other.y.filter((_, at) => at % CHANNELS === channel).reduce((sum, value) => sum + value, 0) / ROWS
    })
    expect(largestDifference(means, otherMeans)).toBeLessThan(0.02)
  })

  it('with its own measurements given back repeats itself, folded into the convolution before it', async () => {
    const { y, conditioning } = await measured(x, 1)
    expect(largestDifference(await fixed(x, conditioning), y)).toBeLessThan(1e-3)
  })

  it('takes a steady branch for its mean, and measures nothing inside of it', async () => {
    const { y, conditioning } = await measured(x, 1, buildSteady)
    expect(conditioning).toHaveLength(CHANNELS + 2 * CHANNELS)
    expect(largestDifference(await fixed(x, conditioning, buildSteady), y)).toBeLessThan(1e-3)
    // A normalised branch has the mean its style asks for, which is what stands first.
    const alone = await measured(x, 1, (layers, normalisation) => {
      layers.keepTime(['x'])
      const branch = normalisation.normaliseConvolution(['x'], layer, { ...norm, name: 'inside' })
      layers.graph.name(layers.joined(branch), 'y')
    })
    const means = Array.from({ length: CHANNELS }, (_, channel) => {
      return alone.y.filter((_, at) => at % CHANNELS === channel).reduce((sum, value) => sum + value, 0) / ROWS
    })
    expect(largestDifference(conditioning.slice(0, CHANNELS), means)).toBeLessThan(1e-3)
  })

  it('measures the same in pieces', async () => {
    const [one, four] = [await measured(x, 1), await measured(x, 4)]
    expect(largestDifference(one.y, four.y)).toBeLessThan(1e-3)
    expect(largestDifference(one.conditioning, four.conditioning)).toBeLessThan(1e-3)
  })
})
