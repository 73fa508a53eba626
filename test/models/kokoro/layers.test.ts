import { describe, expect, it } from 'vitest'
import { Layers, type WeightForm } from '../../../models/kokoro/layers.ts'
import { snake, snakeGain } from '../../../models/kokoro/snake.ts'
import { type Convolution, quantizeColumns, type WeightMatrix } from '../../../models/kokoro/weights.ts'
import { Graph } from '../../../models/onnx/graph.ts'
import { largestDifference, noise, runGraph } from '../onnx/run-graph.ts'

const ROWS = 40
const INPUTS = 6
const OUTPUTS = 5

function layerOf(taps: number, dilation: number): Convolution {
  const weights = quantizeColumns(noise(taps * INPUTS * OUTPUTS, 7), taps * INPUTS, OUTPUTS)
  return { weights, bias: noise(OUTPUTS, 3), taps, dilation }
}

function weightAt({ values, scale, columns, zeroPoint }: WeightMatrix, row: number, column: number): number {
  return ((values[row * columns + column] ?? 0) - zeroPoint) * (scale[column % scale.length] ?? 0)
}

/** The textbook convolution, in float. */
function convolution(x: Float32Array, { weights, bias, taps, dilation }: Convolution): number[] {
  const reach = ((taps - 1) / 2) * dilation
  return Array.from({ length: ROWS * OUTPUTS }, (_, at) => {
    const [time, output] = [Math.floor(at / OUTPUTS), at % OUTPUTS]
    let sum = bias[output] ?? 0
    for (let tap = 0; tap < taps; tap++) {
      const row = time + tap * dilation - reach
      if (row < 0 || row >= ROWS) continue
      for (let input = 0; input < INPUTS; input++) {
        sum += (x[row * INPUTS + input] ?? 0) * weightAt(weights, tap * INPUTS + input, output)
      }
    }
    return sum
  })
}

async function convolved(x: Float32Array, layer: Convolution, form: WeightForm, pieces = 1): Promise<Float32Array> {
  const layers = new Layers(new Graph(), form)
  layers.keepTime(['x'])
  layers.graph.name(layers.joined(layers.convolve(layers.split(['x'], pieces), layer, 'layer')), 'y')
  const [y] = await runGraph(layers.graph, { x: { values: x, columns: INPUTS } }, ['y'])
  return y ?? new Float32Array()
}

describe('a convolution layer', () => {
  const x = noise(ROWS * INPUTS)

  it.each([
    [1, 1],
    [3, 1],
    [7, 3],
    [11, 5],
  ])('with %i taps and dilation %i is the float convolution but for rounding to 8 bits', async (taps, dilation) => {
    const layer = layerOf(taps, dilation)
    const roundingOfOneInput = (2 / 255 / 2) * 1.1
    const tolerance = roundingOfOneInput * taps * INPUTS
    expect(largestDifference(await convolved(x, layer, 'fast'), convolution(x, layer))).toBeLessThan(tolerance)
  })

  it('gives the same numbers in the plain form', async () => {
    const layer = layerOf(3, 1)
    expect(await convolved(x, layer, 'plain')).toEqual(await convolved(x, layer, 'fast'))
  })

  it('gives the same numbers in pieces', async () => {
    const layer = layerOf(5, 3)
    expect(await convolved(x, layer, 'fast', 4)).toEqual(await convolved(x, layer, 'fast'))
  })

  it('refuses to run without knowing the length of its signal', () => {
    const layers = new Layers(new Graph(), 'fast')
    expect(() => layers.convolve(['x'], layerOf(3, 1), 'layer')).toThrow('length of its signal')
  })
})

describe('an upsampling layer', () => {
  it('is the transposed convolution with a kernel of two strides and half a stride of padding', async () => {
    const [stride, inputs, outputs] = [4, 3, 2]
    const kernel = quantizeColumns(noise(2 * inputs * stride * outputs, 5), 2 * inputs, stride * outputs)
    const x = noise(ROWS * inputs)
    const expected = new Float32Array(ROWS * stride * outputs)
    for (let row = 0; row < ROWS; row++) {
      for (let tap = 0; tap < 2 * stride; tap++) {
        const time = row * stride + tap - stride / 2
        if (time < 0 || time >= ROWS * stride) continue
        for (let output = 0; output < outputs; output++) {
          for (let input = 0; input < inputs; input++) {
            const matrixRow = (tap < stride ? 0 : inputs) + input
            const weight = weightAt(kernel, matrixRow, (tap % stride) * outputs + output)
            expected[time * outputs + output]! += (x[row * inputs + input] ?? 0) * weight
          }
        }
      }
    }
    const layers = new Layers(new Graph(), 'fast')
    layers.graph.name(layers.joined(layers.upsample(['x'], kernel, new Float32Array(outputs), stride, 'up')), 'y')
    const [y] = await runGraph(layers.graph, { x: { values: x, columns: inputs } }, ['y'])
    expect(largestDifference(y ?? [], expected)).toBeLessThan(0.03)
  })
})

describe('neighbourhoods', () => {
  it('hold the rows at the given offsets, zeros beyond the ends', async () => {
    const layers = new Layers(new Graph(), 'fast')
    layers.graph.name(layers.joined(layers.neighbourhoods(['x'], [0, 1, 2], 1, 1)), 'y')
    const [y] = await runGraph(layers.graph, { x: { values: Float32Array.of(1, 2, 3), columns: 1 } }, ['y'])
    expect([...(y ?? [])]).toEqual([0, 1, 2, 1, 2, 3, 2, 3, 0])
  })
})

describe('the snake activation', () => {
  it('is x + sin²(αx) / α to a thousandth, far from zero too', async () => {
    const alpha = Float32Array.of(0.2, 0.7, 1, 3)
    const x = noise(400, 9).map((value) => value * 8)
    const layers = new Layers(new Graph(), 'fast')
    const z = layers.scale(['x'], layers.vector(snakeGain(alpha), 'gain'))
    layers.graph.name(layers.joined(snake(z, alpha, layers, 'snake')), 'y')
    const [y] = await runGraph(layers.graph, { x: { values: x, columns: 4 } }, ['y'])
    const expected = x.map((value, at) => value + Math.sin(alpha[at % 4]! * value) ** 2 / alpha[at % 4]!)
    // The polynomial's error is a part of π / α.
    expect(largestDifference(y ?? [], expected)).toBeLessThan((3e-4 * Math.PI) / 0.2)
  })
})
