import { describe, expect, it } from 'vitest'
import { leastSquares } from '../../bench/statistics.ts'

describe('leastSquares', () => {
  it('finds the slope of a line exactly', () => {
    const { slope, standardError } = leastSquares([0, 1, 2, 3].map((x) => ({ x, y: 5 + 3 * x })))
    expect(slope).toBeCloseTo(3)
    expect(standardError).toBeCloseTo(0)
  })

  it('says how uncertain the slope of scattered points is', () => {
    // By hand: mean x 2, sum of squares 10; residuals −0.8, 0.6, 0, 1.4, −1.2 of slope 0.6, their squares sum to 4.4.
    const points = [1, 3, 3, 5, 3].map((y, x) => ({ x, y }))
    const { slope, standardError } = leastSquares(points)
    expect(slope).toBeCloseTo(0.6)
    expect(standardError).toBeCloseTo(Math.sqrt(4.4 / 3 / 10))
  })
})
