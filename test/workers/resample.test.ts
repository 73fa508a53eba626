import { describe, expect, it } from 'vitest'
import { resample } from '../../workers/resample.ts'

function tone(hertz: number, rate: number, seconds = 0.25): Float32Array {
  return Float32Array.from({ length: rate * seconds }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / rate))
}

describe('resampling', () => {
  it.each([
    [24_000, 16_000],
    [16_000, 24_000],
    [22_050, 16_000],
  ])('a tone from %i to %i Hz gives the same tone', (from, to) => {
    const output = resample(tone(440, from), from / to)
    const expected = tone(440, to)
    expect(Math.abs(output.length - expected.length)).toBeLessThanOrEqual(1)
    for (let at = 100; at < output.length - 100; at++) expect(output[at]).toBeCloseTo(expected[at]!, 2)
  })

  it('leaves out what the lower rate can’t hold', () => {
    const output = resample(tone(10_000, 24_000), 1.5)
    expect(Math.max(...output.subarray(100, -100).map(Math.abs))).toBeLessThan(0.01)
  })

  it('to the same rate is a copy', () => {
    const samples = tone(440, 16_000)
    const output = resample(samples, 1)
    expect(output).toEqual(samples)
    expect(output.buffer).not.toBe(samples.buffer)
  })
})
