import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { alignment, fitDurations, paceDurations } from '../../../models/kokoro/durations.ts'

const durations = fc
  .array(fc.float({ min: Math.fround(0.1), max: 60, noNaN: true }), { minLength: 1, maxLength: 200 })
  .map((values) => Float32Array.from(values))

describe('durations at a rate', () => {
  it('round halves to even and never below one frame', () => {
    expect([...paceDurations(Float32Array.of(0.2, 2.5, 3.5, 4.4), 1)]).toEqual([1, 2, 4, 4])
    expect([...paceDurations(Float32Array.of(10, 1), 2)]).toEqual([5, 1])
  })
})

describe('durations of an exact length', () => {
  it('add up to it, each at least one frame', () => {
    fc.assert(
      fc.property(durations, fc.integer({ min: 1, max: 5_000 }), (values, frames) => {
        const fitted = fitDurations(values, frames)
        expect(fitted.reduce((sum, value) => sum + value, 0)).toBe(Math.max(frames, values.length))
        expect(fitted.every((value) => value >= 1)).toBe(true)
      }),
    )
  })

  it('keep their proportions to within a frame', () => {
    const fitted = fitDurations(Float32Array.of(10, 20, 30, 40), 150)
    expect([...fitted]).toEqual([15, 30, 45, 60])
  })

  it('are those of speed 1 when that is the length', () => {
    const values = Float32Array.of(3, 5, 2, 8)
    expect(fitDurations(values, 18)).toEqual(paceDurations(values, 1))
  })
})

describe('the alignment', () => {
  it('names the token of every frame', () => {
    expect([...alignment(Int32Array.of(2, 1, 3))]).toEqual([0n, 0n, 1n, 2n, 2n, 2n])
  })
})
