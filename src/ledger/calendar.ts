import type { ResetInterval } from './ledger.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * `anchor` plus `count` intervals by the UTC calendar. A day of the month that the target month lacks becomes its last day,
 * always counted from the anchor, so nothing drifts: 31 January + 1 month is 28 February, + 2 months is 31 March.
 */
export function addIntervals(anchor: number, interval: ResetInterval, count: number): number {
  switch (interval) {
    case 'day':
      return anchor + count * DAY_MS
    case 'week':
      return anchor + count * 7 * DAY_MS
    case 'month':
      return addMonths(anchor, count)
    case 'year':
      return addMonths(anchor, 12 * count)
  }
}

/** The first instant after `now` that lies a multiple of `step` intervals after the anchor (at least one). */
export function nextBoundary(anchor: number, interval: ResetInterval, step: number, now: number): number {
  // Counting in the longest months and years never overshoots; the loop makes up for the shorter ones.
  let periods = Math.max(1, Math.floor((now - anchor) / (step * LONGEST_MS[interval])))
  let boundary = addIntervals(anchor, interval, periods * step)
  while (boundary <= now) {
    periods += 1
    boundary = addIntervals(anchor, interval, periods * step)
  }
  return boundary
}

const LONGEST_MS: Readonly<Record<ResetInterval, number>> = {
  day: DAY_MS,
  week: 7 * DAY_MS,
  month: 31 * DAY_MS,
  year: 366 * DAY_MS,
}

function addMonths(anchor: number, months: number): number {
  const date = new Date(anchor)
  const day = date.getUTCDate()
  date.setUTCDate(1)
  date.setUTCMonth(date.getUTCMonth() + months)
  const lastDay = new Date(Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + 1, 0)).getUTCDate()
  date.setUTCDate(Math.min(day, lastDay))
  return date.getTime()
}
