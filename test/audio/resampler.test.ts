import { describe, expect, it } from 'vitest'
import { Resampler } from '../../src/audio/resampler.ts'

const TO = 16_000
const RATES = [8_000, 11_025, 12_345, 16_000, 22_050, 24_000, 32_000, 44_100, 47_999, 48_000]

function tone(hz: number, rate: number, seconds = 1): Float32Array {
  return Float32Array.from({ length: seconds * rate }, (_, i) => Math.sin((2 * Math.PI * hz * i) / rate))
}

/** Everything that comes out for a stream cut into blocks of these lengths, over and over. */
function resampled(input: Float32Array, rate: number, blocks: readonly number[] = [input.length]): Float32Array {
  const resampler = new Resampler(rate, TO)
  const parts: Float32Array[] = []
  for (let at = 0, turn = 0; at < input.length; turn++) {
    const length = blocks[turn % blocks.length] ?? 1
    parts.push(resampler.push(input.subarray(at, at + length)))
    at += length
  }
  return Float32Array.from([...parts, resampler.flush()].flatMap((part) => [...part]))
}

/** Level in dB of full scale, away from the edges. */
function level(samples: Float32Array): number {
  const middle = samples.subarray(samples.length * 0.1, samples.length * 0.9)
  const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length
  return 10 * Math.log10(2 * power)
}

describe('a stream brought to 16 kHz', () => {
  it.each(RATES)('from %i Hz lasts as long as it did', (rate) => {
    const { length } = resampled(tone(440, rate), rate)
    // The flush adds the silence that the last samples ring into.
    expect(length).toBeGreaterThanOrEqual(TO)
    expect(length).toBeLessThanOrEqual(TO + 100)
  })

  it.each(RATES)('from %i Hz keeps a tone in place, sample for sample', (rate) => {
    const output = resampled(tone(1_000, rate), rate)
    const wanted = tone(1_000, TO)
    const errors = Array.from({ length: 12_000 }, (_, i) => Math.abs(output[2_000 + i]! - wanted[2_000 + i]!))
    expect(Math.max(...errors)).toBeLessThan(2e-4)
  })

  it.each([
    [8_000, 3_400],
    [44_100, 6_500],
    [48_000, 6_500],
  ])('from %i Hz passes %i Hz at its level', (rate, hz) => {
    expect(Math.abs(level(resampled(tone(hz, rate), rate)))).toBeLessThan(0.1)
  })

  it.each([
    [48_000, 8_500],
    [48_000, 12_000],
    [48_000, 23_000],
    [44_100, 10_000],
    [24_000, 9_000],
  ])('from %i Hz does not fold %i Hz back into what can be heard', (rate, hz) => {
    expect(level(resampled(tone(hz, rate), rate))).toBeLessThan(-70)
  })

  it('from 8 kHz has no mirror of its tones above 4 kHz', () => {
    const output = resampled(tone(3_000, 8_000), 8_000)
    const mirror = tone(5_000, TO)
    const correlation = output.subarray(2_000, 14_000).reduce((sum, sample, i) => sum + sample * mirror[2_000 + i]!, 0)
    expect(Math.abs(correlation) / 6_000).toBeLessThan(1e-3)
  })

  it.each(RATES)('from %i Hz is the same however it is cut', (rate) => {
    const input = tone(523, rate, 0.3)
    const whole = resampled(input, rate)
    for (const blocks of [[1], [7, 0, 160], [1_000], [3, 4_001]]) expect(resampled(input, rate, blocks)).toEqual(whole)
  })

  it('keeps its input', () => {
    const input = tone(440, 16_000, 0.1)
    const output = new Resampler(16_000, TO).push(input)
    output.fill(0)
    expect(input[10]).not.toBe(0)
  })
})
