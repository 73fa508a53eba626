import { describe, expect, it } from 'vitest'
import { EQUALISER_TAPS, equalise, equaliserTaps, type Gain } from '../../src/audio/equaliser.ts'

const RATE = 24_000
const HALF = (EQUALISER_TAPS - 1) / 2
const GAINS: readonly Gain[] = [
  { hertz: 300, db: -6 },
  { hertz: 2_000, db: 6 },
  { hertz: 6_000, db: 0 },
]

function tone(hertz: number, samples = 4_000): Float32Array {
  return Float32Array.from({ length: samples }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / RATE))
}

/** Gain in dB, away from the ends. */
function gainAt(hertz: number): number {
  const before = tone(hertz)
  const after = equalise(before, equaliserTaps(GAINS, RATE))
  const power = (samples: Float32Array) => samples.subarray(HALF, -HALF).reduce((sum, sample) => sum + sample ** 2, 0)
  return 10 * Math.log10(power(after) / power(before))
}

describe('the equaliser', () => {
  it.each([
    [100, -6],
    [300, -6],
    [2_000, 6],
    [6_000, 0],
    [10_000, 0],
  ])('has at %i Hz a gain of %i dB', (hertz, db) => {
    expect(gainAt(hertz)).toBeCloseTo(db, 0)
  })

  it('leaves everything as it is and where it is, where no gain is wanted', () => {
    const before = tone(440)
    const after = equalise(before, equaliserTaps([{ hertz: 1_000, db: 0 }], RATE))
    for (const [at, sample] of after.entries()) expect(sample).toBeCloseTo(before[at]!, 5)
  })

  it('gives a signal in pieces, each with what it needs of its neighbours, the same samples as the whole', () => {
    const taps = equaliserTaps(GAINS, RATE)
    const signal = tone(440).map((sample, at) => sample * Math.sin(at / 300))
    const whole = equalise(signal, taps)
    for (const [from, to] of [
      [500, 1_700],
      [1_700, 2_000],
      [2_000, 3_800],
    ] as const) {
      const piece = equalise(signal.slice(from - HALF, to + HALF), taps).slice(HALF, -HALF)
      expect(piece).toEqual(whole.slice(from, to))
    }
  })
})
