import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SeamJoiner } from '../../src/audio/seam.ts'

const OVERLAP = 4

/** Cuts a signal into windows of the given lengths that reach over their seams, as the decoder returns them. */
function windowsOf(signal: Float32Array, lengths: readonly number[]): Float32Array[] {
  let at = 0
  return lengths.map((length, index) => {
    const from = at - (index === 0 ? 0 : OVERLAP)
    at += length
    return signal.slice(from, at + (index === lengths.length - 1 ? 0 : OVERLAP))
  })
}

function joined(windows: readonly Float32Array[]): number[] {
  const joiner = new SeamJoiner(OVERLAP)
  return windows.flatMap((window, index) => [...joiner.push(window, index === windows.length - 1)])
}

describe('SeamJoiner', () => {
  it('returns the signal itself when neighbours agree, however it was cut', () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 2 * OVERLAP, max: 40 }), { minLength: 1, maxLength: 6 }), (lengths) => {
        const signal = Float32Array.from({ length: lengths.reduce((a, b) => a + b, 0) }, (_, i) => Math.sin(i))
        const result = joined(windowsOf(signal, lengths))
        expect(result).toHaveLength(signal.length)
        for (const [i, sample] of result.entries()) expect(sample).toBeCloseTo(signal[i]!, 5)
      }),
    )
  })

  it('moves from one window to the next without a step larger than their difference over the overlap', () => {
    const low = new Float32Array(20 + OVERLAP)
    const high = new Float32Array(20 + OVERLAP).fill(1)
    const result = joined([low, high])
    const steps = result.slice(1).map((sample, i) => Math.abs(sample - result[i]!))
    expect(Math.max(...steps)).toBeLessThanOrEqual(1 / (2 * OVERLAP) + 1e-6)
  })

  it('refuses a window too short to hold its overlaps', () => {
    const joiner = new SeamJoiner(OVERLAP)
    expect(() => joiner.push(new Float32Array(OVERLAP), false)).toThrow(RangeError)
  })
})
