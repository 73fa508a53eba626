import { describe, expect, it } from 'vitest'
import { spectralDistanceDb } from '../../../models/kokoro/spectral-distance.ts'
import { noise } from '../onnx/run-graph.ts'

describe('the spectral distance', () => {
  const speech = noise(4_096).map((value, at) => value * 0.1 + 0.5 * Math.sin(at / 9))

  it('is zero between equal signals and infinite between different lengths', () => {
    expect(spectralDistanceDb(speech, speech)).toBe(0)
    expect(spectralDistanceDb(speech, speech.subarray(1))).toBe(Number.POSITIVE_INFINITY)
  })

  it('is the gain in decibels between a signal and itself, louder', () => {
    const louder = speech.map((value) => value * 2)
    expect(spectralDistanceDb(speech, louder)).toBeCloseTo(20 * Math.log10(2), 1)
  })

  it('is not a number where the signal is not one, so that no limit accepts it', () => {
    expect(
      spectralDistanceDb(
        speech,
        speech.map(() => Number.NaN),
      ),
    ).toBeNaN()
  })
})
