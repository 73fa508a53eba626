import type { Transaction } from './commit-batch.ts'
import { expiries, idempotency, type Table, timeKey, tokens } from './tables.ts'

/** Entries one sweep looks at, so that it never holds up a debit for long. */
export const SWEEP_MAX = 500

/** Removes tokens and idempotency entries whose time is over, oldest first; returns how many entries it worked off. */
export function sweep(transaction: Transaction, now: number): number {
  const due = [...transaction.scan(expiries, { before: timeKey(now), limit: SWEEP_MAX })]
  for (const [place, { kind, key }] of due) {
    const table: Table<{ readonly expiresAt: number }> = kind === 'token' ? tokens : idempotency
    const record = transaction.get(table, key)
    // The same idempotency key may have been used again since.
    if (record !== undefined && record.expiresAt < now) transaction.remove(table, key)
    transaction.remove(expiries, place)
  }
  return due.length
}
