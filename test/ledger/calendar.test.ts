import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addIntervals, nextBoundary } from '../../src/ledger/calendar.ts'
import type { ResetInterval } from '../../src/ledger/ledger.ts'

const at = (text: string) => Date.parse(text)
const iso = (time: number) => new Date(time).toISOString()

const interval = fc.constantFrom<ResetInterval>('day', 'week', 'month', 'year')
const instant = fc.integer({ min: at('2000-01-01T00:00:00Z'), max: at('2099-12-31T00:00:00Z') })

describe('the calendar of renewals', () => {
  it.each<[string, ResetInterval, number, string]>([
    ['2026-01-31T09:30:00.125Z', 'month', 1, '2026-02-28T09:30:00.125Z'],
    ['2026-01-31T09:30:00.125Z', 'month', 2, '2026-03-31T09:30:00.125Z'],
    ['2026-01-31T09:30:00.125Z', 'month', 3, '2026-04-30T09:30:00.125Z'],
    ['2028-01-31T00:00:00.000Z', 'month', 1, '2028-02-29T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', 'year', 1, '2029-02-28T00:00:00.000Z'],
    ['2028-02-29T00:00:00.000Z', 'year', 4, '2032-02-29T00:00:00.000Z'],
    ['2026-11-30T00:00:00.000Z', 'month', 3, '2027-02-28T00:00:00.000Z'],
    ['2026-12-31T23:59:59.999Z', 'day', 1, '2027-01-01T23:59:59.999Z'],
    ['2026-12-28T00:00:00.000Z', 'week', 2, '2027-01-11T00:00:00.000Z'],
    // The clocks of Europe and America change in between; UTC does not.
    ['2026-03-01T01:00:00.000Z', 'month', 1, '2026-04-01T01:00:00.000Z'],
  ])('%s plus %s × %i is %s', (from, unit, count, to) => {
    expect(iso(addIntervals(at(from), unit, count))).toBe(to)
  })

  it('finds the first boundary after now, a whole number of steps from the anchor', () => {
    fc.assert(
      fc.property(instant, interval, fc.integer({ min: 1, max: 40 }), instant, (anchor, unit, step, now) => {
        const boundary = nextBoundary(anchor, unit, step, now)
        expect(boundary).toBeGreaterThan(now)
        let periods = 1
        while (addIntervals(anchor, unit, periods * step) <= now) periods += 1
        expect(boundary).toBe(addIntervals(anchor, unit, periods * step))
      }),
    )
  })
})
