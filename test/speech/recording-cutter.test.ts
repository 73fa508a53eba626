import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { DETECTION_WINDOW_SAMPLES } from '../../src/speech/detection.ts'
import { cutRecording } from '../../src/speech/recording-cutter.ts'

const WINDOWS_PER_SECOND = 16_000 / DETECTION_WINDOW_SAMPLES

/** Probabilities of a recording told as stretches of speech (positive seconds) and silence (negative seconds). */
function recording(...seconds: readonly number[]): Float32Array {
  return Float32Array.from(
    seconds.flatMap((length) =>
      Array.from({ length: Math.round(Math.abs(length) * WINDOWS_PER_SECOND) }, () => (length > 0 ? 0.95 : 0.02)),
    ),
  )
}

/** The pieces, in seconds. */
function cut(probabilities: Float32Array): (readonly [number, number])[] {
  const pieces = cutRecording(probabilities, probabilities.length * DETECTION_WINDOW_SAMPLES)
  return pieces.map(({ start, end }) => [start / 16_000, end / 16_000])
}

const lengths = (pieces: readonly (readonly [number, number])[]) => pieces.map(([start, end]) => end - start)

describe('a recording', () => {
  it('of silence has no piece', () => {
    expect(cut(recording(-60))).toEqual([])
    expect(cut(new Float32Array(0))).toEqual([])
  })

  it('of a click in silence has no piece', () => {
    expect(cut(recording(-5, 0.064, -5))).toEqual([])
  })

  it('of one word is one piece with a margin on both sides', () => {
    const [[start, end] = [0, 0], ...others] = cut(recording(-3, 0.4, -3))
    expect(others).toEqual([])
    expect(start).toBeCloseTo(2.8, 1)
    expect(end).toBeCloseTo(3.6, 1)
  })

  it('that begins and ends with speech has no margin to take', () => {
    expect(cut(recording(1))).toEqual([[0, 0.992]])
  })

  it('of a dozen seconds stays whole, though somebody breathes', () => {
    expect(cut(recording(-0.3, 5, -0.3, 6, -0.3))).toHaveLength(1)
  })

  it('is cut at its long pauses rather than at the short ones beside them', () => {
    const pieces = cut(recording(4, -0.2, 4.5, -0.7, 2, -0.2, 4, -0.2, 4, -0.8, 9, -0.2, 9))
    expect(pieces[0]?.[1]).toBeCloseTo(8.9, 1)
    expect(pieces[1]?.[0]).toBeCloseTo(9.2, 1)
    expect(pieces[1]?.[1]).toBeCloseTo(20, 1)
  })

  it('loses its long silences', () => {
    const pieces = cut(recording(2, -10, 2, -600, 2))
    expect(lengths(pieces).every((length) => length < 2.5)).toBe(true)
    expect(pieces).toHaveLength(3)
  })

  it('without any pause is cut all the same, into pieces that fit', () => {
    const pieces = cut(recording(100))
    expect(Math.max(...lengths(pieces))).toBeLessThanOrEqual(28)
    expect(pieces[0]?.[0]).toBe(0)
    // Nothing is lost and nothing heard twice.
    pieces.slice(1).forEach(([start], index) => void expect(start).toBe(pieces[index]?.[1]))
    expect(pieces.at(-1)?.[1]).toBeCloseTo(100, 1)
  })

  it('without a real pause is cut where speech is least likely', () => {
    const probabilities = recording(40)
    const faint = Math.round(13 * WINDOWS_PER_SECOND)
    probabilities.fill(0.4, faint, faint + 2)
    const [first] = cut(probabilities)
    expect(first?.[1]).toBeCloseTo(13, 0)
    expect(Math.abs((first?.[1] ?? 0) - 13.03)).toBeLessThan(0.07)
  })

  it('goes on through a weak syllable', () => {
    const probabilities = recording(2)
    probabilities.fill(0.2, 30, 32)
    expect(cut(probabilities)).toHaveLength(1)
  })
})

describe('pieces', () => {
  const anySpeech = fc.array(
    fc.oneof(
      { weight: 4, arbitrary: fc.double({ min: 0.05, max: 12, noNaN: true }) },
      { weight: 4, arbitrary: fc.double({ min: -3, max: -0.05, noNaN: true }) },
      { weight: 1, arbitrary: fc.double({ min: 20, max: 90, noNaN: true }) },
    ),
    { maxLength: 30 },
  )

  it('are in order, apart, inside of the recording, at most 28 s long, and miss no speech', () => {
    fc.assert(
      fc.property(anySpeech, fc.integer({ min: 0, max: 511 }), (seconds, missing) => {
        const probabilities = recording(...seconds)
        const sampleCount = Math.max(0, probabilities.length * DETECTION_WINDOW_SAMPLES - missing)
        const pieces = cutRecording(probabilities, sampleCount)
        let at = 0
        for (const { start, end } of pieces) {
          expect(start).toBeGreaterThanOrEqual(at)
          expect(end).toBeGreaterThan(start)
          expect(end - start).toBeLessThanOrEqual(28 * 16_000)
          at = end
        }
        expect(at).toBeLessThanOrEqual(sampleCount)
        const heard = (sample: number) => pieces.some(({ start, end }) => start <= sample && sample < end)
        let window = 0
        for (const length of seconds) {
          const count = Math.round(Math.abs(length) * WINDOWS_PER_SECOND)
          const middle = (window + Math.floor(count / 2)) * DETECTION_WINDOW_SAMPLES
          if (length > 0 && count >= 3) expect(heard(Math.min(middle, sampleCount - 1))).toBe(true)
          window += count
        }
      }),
    )
  })

  it('come of any probabilities without a fault', () => {
    fc.assert(
      fc.property(fc.float32Array({ min: 0, max: 1, noNaN: true, maxLength: 3_000 }), (probabilities) => {
        const sampleCount = probabilities.length * DETECTION_WINDOW_SAMPLES
        for (const { start, end } of cutRecording(probabilities, sampleCount)) {
          expect(start).toBeLessThan(end)
          expect(end - start).toBeLessThanOrEqual(28 * 16_000)
        }
      }),
    )
  })
})
