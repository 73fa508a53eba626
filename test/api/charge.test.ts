import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { priceOf, uncharged } from '../../src/api/charge.ts'

describe('a price', () => {
  it.each<[string, number | null, number]>([
    ['Hello', null, 5],
    [' a ', null, 3],
    ['😀', null, 2],
    ['x', 0.5, 8],
    ['x', 30, 450],
    ['x', 2, 30],
    ['x', 2.01, 31],
    ['x'.repeat(31), 2, 31],
    // 16.6 × 15 is 249.00000000000003 in floating point.
    ['x', 16.6, 249],
  ])('of %j in %j seconds is %i characters (D12)', (text, seconds, characters) => {
    expect(priceOf(text, seconds)).toBe(characters)
  })

  it('of any duration in hundredths is exact', () => {
    fc.assert(
      fc.property(fc.integer({ min: 50, max: 3_000 }), (hundredths) => {
        expect(priceOf('', hundredths / 100)).toBe(Math.ceil((hundredths * 15) / 100))
      }),
    )
  })
})

it.each([
  ['key_credit_exceeded', 'KEY_CREDIT_EXCEEDED', 403],
  ['quota_exceeded', 'QUOTA_EXCEEDED', 403],
  ['not_found', 'NOT_FOUND', 404],
] as const)('a debit refused as %s is told as %s %i', (status, code, httpStatus) => {
  expect(uncharged(status)).toMatchObject({ code, status: httpStatus })
})
