import { IDEMPOTENCY_LIFETIME_MS } from '../limits.ts'
import type { Transaction } from './commit-batch.ts'
import type { IdempotencyOutcome } from './ledger.ts'
import { sha256Of } from './plaintext.ts'
import { expiries, type IdempotencyEntry, idempotency, timeKey } from './tables.ts'

/** A request that may be repeated. */
export interface Repeatable {
  readonly keyId: string
  readonly idempotencyKey: string
}

/**
 *                 ┌────────── another process died with it ─────────┐
 *   nothing ──▶ running ──finish──▶ answered ──24 h──▶ nothing      │
 *                 │  ▲──────────────────────────────────────────────┘
 *             give up └── repeat (same request id) ── given_up
 */
export function begin(
  transaction: Transaction,
  request: Repeatable,
  run: { readonly bodyHash: string; readonly requestId: string; readonly instance: string },
  now: number,
): IdempotencyOutcome {
  const place = placeOf(request)
  const entry = transaction.get(idempotency, place)
  if (entry === undefined || now >= entry.expiresAt) {
    const expiresAt = now + IDEMPOTENCY_LIFETIME_MS
    transaction.put(idempotency, place, { ...run, state: 'running', answer: '', expiresAt })
    transaction.put(expiries, `${timeKey(expiresAt)}/${place}`, { kind: 'idempotency', key: place })
    return { status: 'begin', requestId: run.requestId }
  }
  const { requestId, answer } = entry
  if (entry.bodyHash !== run.bodyHash) return { status: 'other_body' }
  if (entry.state === 'answered') return { status: 'answered', requestId, answer }
  if (entry.state === 'running' && entry.instance === run.instance) return { status: 'running' }
  transaction.put(idempotency, place, { ...entry, state: 'running', instance: run.instance })
  return { status: 'begin', requestId }
}

export function finish(transaction: Transaction, request: Repeatable, answer: string): void {
  settle(transaction, request, { state: 'answered', answer })
}

export function giveUp(transaction: Transaction, request: Repeatable): void {
  settle(transaction, request, { state: 'given_up' })
}

function settle(transaction: Transaction, request: Repeatable, change: Partial<IdempotencyEntry>): void {
  const place = placeOf(request)
  const entry = transaction.get(idempotency, place)
  // Longer than a day in the works: the entry has been swept, and nobody can ask for it any more.
  if (entry?.state === 'running') transaction.put(idempotency, place, { ...entry, ...change })
}

/** What a caller chose as a key is kept only as part of a hash: it may hold anything. */
function placeOf({ keyId, idempotencyKey }: Repeatable): string {
  return sha256Of(keyId, '\n', idempotencyKey).toString('hex')
}
