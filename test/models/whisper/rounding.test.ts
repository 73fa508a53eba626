import { expect, test } from 'vitest'
import { BLOCK_VALUES, BLOCK_ZERO, roundBlocks, roundChannels } from '../../../models/whisper/rounding.ts'
import { noise } from '../onnx/run-graph.ts'

const [outputs, inputs] = [3, 64]
const values = noise(outputs * inputs)

test('blocks give back every weight to within half a step of its block', () => {
  const rounded = roundBlocks({ values, outputs, inputs })
  expect(rounded.scales).toHaveLength((outputs * inputs) / BLOCK_VALUES)
  for (const [at, value] of values.entries()) {
    const scale = rounded.scales[Math.floor(at / BLOCK_VALUES)] ?? 0
    expect(Math.abs(((rounded.values[at] ?? 0) - BLOCK_ZERO) * scale - value)).toBeLessThanOrEqual(0.501 * scale)
  }
})

test('channels give back every weight to within half a step of its output, with inputs as rows', () => {
  const rounded = roundChannels({ values, outputs, inputs })
  for (const [at, value] of values.entries()) {
    const [output, input] = [Math.floor(at / inputs), at % inputs]
    const scale = rounded.scales[output] ?? 0
    expect(Math.abs((rounded.values[input * outputs + output] ?? 0) * scale - value)).toBeLessThanOrEqual(0.501 * scale)
  }
})

test('weights that are all zero stay zero', () => {
  const zeros = { values: new Float32Array(inputs), outputs: 1, inputs }
  expect(new Set(roundBlocks(zeros).values)).toEqual(new Set([BLOCK_ZERO]))
  expect(new Set(roundChannels(zeros).values)).toEqual(new Set([0]))
})

test('rows that are no whole blocks are refused', () => {
  expect(() => roundBlocks({ values: new Float32Array(40), outputs: 1, inputs: 40 })).toThrow("can't be cut")
})
