import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { apportion } from '../../src/inference/apportion.ts'

describe('apportion', () => {
  it('gives shares that sum to the total and stay within one unit of their proportion', () => {
    const weights = fc.array(fc.integer({ min: 0, max: 1_000 }), { minLength: 1, maxLength: 30 })
    fc.assert(
      fc.property(weights, fc.integer({ min: 0, max: 5_000 }), (weights, total) => {
        const sum = weights.reduce((a, b) => a + b, 0)
        const shares = apportion(total, weights)
        expect(shares.reduce((a, b) => a + b, 0)).toBe(sum > 0 ? total : 0)
        for (const [i, share] of shares.entries()) {
          expect(Math.abs(share - (sum > 0 ? (total * weights[i]!) / sum : 0))).toBeLessThanOrEqual(1)
        }
      }),
    )
  })
})
