import assert from 'node:assert/strict'
import { UNLIMITED } from '../limits.ts'
import type { Transaction } from './commit-batch.ts'
import type { Charge, ChargeOutcome, CutChargeOutcome } from './ledger.ts'
import { creditRemaining, quotaRemaining, renew } from './quota.ts'
import { accounts, charges, keys, type Posting, postingKey, postings } from './tables.ts'

/**
 * One debit, whole or not at all: the account's quota, the key's ceiling, the posting that proves both, and the entry that
 * makes a repeat a no-op. Everything is decided before the first write.
 */
export function debit(transaction: Transaction, charge: Charge, now: number): ChargeOutcome {
  const { id, keyId, meter, characters } = charge
  assert(Number.isSafeInteger(characters) && characters > 0, 'a charge is a positive number of characters')
  assert(CHARGE_ID.test(id), 'a charge id is 1 to 200 printable ASCII characters')

  const earlier = transaction.get(charges, id)
  if (earlier !== undefined) {
    const posting = transaction.get(postings, postingKey({ id, createdAt: earlier.createdAt }))
    assert(posting !== undefined && sameDebit(posting, charge), `charge ${id} stands for another debit`)
    return { status: 'charged' }
  }

  const key = transaction.get(keys, keyId)
  const account = key && transaction.get(accounts, key.accountId)
  // Revoked or disabled since the request was authenticated: as good as gone.
  if (key?.status !== 'active' || account === undefined || account.disabled) return { status: 'not_found' }

  const quota = renew(account[meter], now)
  const credit = creditRemaining(key)
  if (credit !== null && characters > credit) return { status: 'key_credit_exceeded' }
  if (characters > quotaRemaining(quota)) return { status: 'quota_exceeded' }

  const posting: Posting = { id, keyId, accountId: account.id, meter, characters, createdAt: now, period: quota.period }
  transaction.put(postings, postingKey(posting), posting)
  transaction.put(charges, id, { createdAt: now })
  transaction.put(keys, keyId, { ...key, creditUsed: key.creditUsed + characters, lastUsedAt: now })
  transaction.put(accounts, account.id, { ...account, [meter]: { ...quota, used: quota.used + characters } })
  return { status: 'charged' }
}

/** `debit` of what quota and ceiling leave of the charge. A repeat finds what the first time was debited, and adds nothing. */
export function debitUpTo(transaction: Transaction, charge: Charge, now: number): CutChargeOutcome {
  const key = transaction.get(keys, charge.keyId)
  const account = key && transaction.get(accounts, key.accountId)
  if (key?.status !== 'active' || account === undefined || account.disabled) return { status: 'not_found' }
  const credit = creditRemaining(key) ?? UNLIMITED
  const left = Math.min(credit, quotaRemaining(renew(account[charge.meter], now)))
  const characters = debited(transaction, charge) ?? Math.min(charge.characters, left)
  if (characters > 0) {
    const outcome = debit(transaction, { ...charge, characters }, now)
    assert(outcome.status === 'charged', 'what remains can be charged')
  }
  if (characters === charge.characters) return { status: 'charged', characters, short: undefined }
  return { status: 'charged', characters, short: credit < charge.characters ? 'key_credit_exceeded' : 'quota_exceeded' }
}

/** What was debited under the id of this charge so far; undefined when nothing was. */
export function debited(transaction: Transaction, { id }: Charge): number | undefined {
  const earlier = transaction.get(charges, id)
  return earlier && transaction.get(postings, postingKey({ id, createdAt: earlier.createdAt }))?.characters
}

const CHARGE_ID = /^[\x21-\x7e]{1,200}$/

function sameDebit(posting: Posting, charge: Charge): boolean {
  return posting.keyId === charge.keyId && posting.meter === charge.meter && posting.characters === charge.characters
}
