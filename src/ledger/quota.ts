import { UNLIMITED } from '../limits.ts'
import { addIntervals, nextBoundary } from './calendar.ts'
import type { Account, ApiKey, Quota, ResetInterval } from './ledger.ts'

/** A quota as it is stored: renewals are counted from the anchor, and every period has a number of its own. */
export interface StoredQuota extends Quota {
  /** When the first period began, or when the interval was last changed. */
  readonly anchor: number
  /** Counts renewals; postings say which period they count against. */
  readonly period: number
}

export interface QuotaTerms {
  /** null: unlimited. */
  readonly limit: number | null
  readonly resetInterval: ResetInterval
  readonly resetIntervalCount: number
}

export interface QuotaChanges {
  readonly quota?: number | null | undefined
  readonly interval?: ResetInterval | undefined
  readonly intervalCount?: number | undefined
}

export function newQuota(terms: QuotaTerms, now: number): StoredQuota {
  const { limit, resetInterval, resetIntervalCount } = terms
  const resetDate = addIntervals(now, resetInterval, resetIntervalCount)
  return { limit, used: 0, resetDate, resetInterval, resetIntervalCount, anchor: now, period: 0 }
}

/**
 * The quota as it stands at `now`: renewed if its date has passed, however many periods ago. A clock that jumps back finds
 * the renewed period still running, so the same allowance is never handed out twice.
 */
export function renew(quota: StoredQuota, now: number): StoredQuota {
  if (now < quota.resetDate) return quota
  const resetDate = nextBoundary(quota.anchor, quota.resetInterval, quota.resetIntervalCount, now)
  return { ...quota, used: 0, resetDate, period: quota.period + 1 }
}

/**
 * Changes what is given and keeps what is used. A changed interval counts from now; the allowance still renews only when its
 * date comes.
 */
export function changeTerms(quota: StoredQuota, changes: QuotaChanges, now: number): StoredQuota {
  const current = renew(quota, now)
  const changed: StoredQuota = {
    ...current,
    limit: changes.quota === undefined ? current.limit : changes.quota,
    resetInterval: changes.interval ?? current.resetInterval,
    resetIntervalCount: changes.intervalCount ?? current.resetIntervalCount,
  }
  const { resetInterval, resetIntervalCount } = changed
  if (resetInterval === current.resetInterval && resetIntervalCount === current.resetIntervalCount) return changed
  return { ...changed, anchor: now, resetDate: addIntervals(now, resetInterval, resetIntervalCount) }
}

/** What remains of a quota; `UNLIMITED` when it has no limit. */
export function quotaRemaining(quota: Quota): number {
  return quota.limit === null ? UNLIMITED : Math.max(0, quota.limit - quota.used)
}

/** What remains below a key's own lifetime ceiling; null when it has none. */
export function creditRemaining(key: ApiKey): number | null {
  return key.creditLimit === null ? null : Math.max(0, key.creditLimit - key.creditUsed)
}

/** Characters the key can spend now: the smaller of its ceiling's and its account quota's remainder. */
export function spendable(key: ApiKey, account: Account): number {
  const quota = key.kind === 'stt' ? account.stt : account.tts
  return Math.min(quotaRemaining(quota), creditRemaining(key) ?? UNLIMITED)
}
