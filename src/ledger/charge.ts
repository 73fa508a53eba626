import assert from 'node:assert/strict'
import type { Transaction } from './commit-batch.ts'
import type { Charge, ChargeOutcome } from './ledger.ts'
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

const CHARGE_ID = /^[\x21-\x7e]{1,200}$/

function sameDebit(posting: Posting, charge: Charge): boolean {
  return posting.keyId === charge.keyId && posting.meter === charge.meter && posting.characters === charge.characters
}
