import assert from 'node:assert/strict'
import { STREAM_TOKEN_LIFETIME_MS } from '../limits.ts'
import { base62Secret, type Random } from '../runtime/random.ts'
import { debit } from './charge.ts'
import type { Reader, Transaction } from './commit-batch.ts'
import type { Charge, ChargeOutcome, StreamToken } from './ledger.ts'
import { sha256Of } from './plaintext.ts'
import { accounts, charges, expiries, keys, timeKey, tokens } from './tables.ts'

export type TokenOutcome =
  | { readonly status: 'issued'; readonly token: string }
  | Exclude<ChargeOutcome, { readonly status: 'charged' }>

/** Debits and issues in one transaction. The plaintext is returned here and stored nowhere. */
export function issueToken(
  transaction: Transaction,
  charge: Charge,
  voiceId: string,
  now: number,
  random: Random,
): TokenOutcome {
  assert(transaction.get(charges, charge.id) === undefined, 'one token a debit')
  const outcome = debit(transaction, charge, now)
  if (outcome.status !== 'charged') return outcome

  const key = transaction.get(keys, charge.keyId)
  assert(key !== undefined, 'a key that was just charged')
  const plaintext = base62Secret(random)
  const hash = hashOf(plaintext)
  const expiresAt = now + STREAM_TOKEN_LIFETIME_MS
  transaction.put(tokens, hash, {
    requestId: charge.id,
    keyId: key.id,
    accountId: key.accountId,
    voiceId,
    textLengthMax: charge.characters,
    expiresAt,
  })
  transaction.put(expiries, `${timeKey(expiresAt)}/${hash}`, { kind: 'token', key: hash })
  return { status: 'issued', token: plaintext }
}

/** The token, unless it is unknown, spent, expired, or its key or account has been closed since. */
export function peekToken(reader: Reader, plaintext: string, now: number): StreamToken | undefined {
  const token = reader.get(tokens, hashOf(plaintext))
  if (token === undefined || now >= token.expiresAt) return undefined
  if (reader.get(keys, token.keyId)?.status !== 'active') return undefined
  return reader.get(accounts, token.accountId)?.disabled === false ? token : undefined
}

/** Takes the token out of the store: whoever is second finds nothing. */
export function spendToken(transaction: Transaction, plaintext: string, now: number): StreamToken | undefined {
  const token = peekToken(transaction, plaintext, now)
  if (token === undefined) return undefined
  const hash = hashOf(plaintext)
  transaction.remove(tokens, hash)
  transaction.remove(expiries, `${timeKey(token.expiresAt)}/${hash}`)
  return token
}

function hashOf(plaintext: string): string {
  return sha256Of(plaintext).toString('hex')
}
