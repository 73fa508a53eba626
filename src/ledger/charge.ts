import assert from 'node:assert/strict'
import type { Transaction } from './commit-batch.ts'
import type { Charge, ChargeOutcome } from './ledger.ts'
import { creditRemaining, quotaRemaining, renew } from './quota.ts'
import { accounts, charges, keys, type Posting, postings, timeKey } from './tables.ts'

/**
 * One debit, whole or not at all: the account's quota, the key's ceiling, the posting that proves both, and the entry that
 * makes a repeat a no-op. Everything is decided before the first write.
 */
export function debit(transaction: Transaction, charge: Charge, now: number): ChargeOutcome {
  assert(
    Number.isSafeInteger(charge.characters) && charge.characters > 0,
    'a charge is a positive number of characters',
  )
  assert(CHARGE_ID.test(charge.id), 'a charge id is 1 to 200 printable ASCII characters')

  const earlier = transaction.get(charges, charge.id)
  if (earlier !== undefined) {
    const posting = transaction.get(postings, earlier.posting)
    assert(posting !== undefined && sameDebit(posting, charge), `charge ${charge.id} stands for another debit`)
    return { status: 'charged' }
  }

  const key = transaction.get(keys, charge.keyId)
  const account = key && transaction.get(accounts, key.accountId)
  // Revoked or disabled since the request was authenticated: as good as gone.
  if (key?.status !== 'active' || account === undefined || account.disabled) return { status: 'not_found' }

  const quota = renew(account[charge.meter], now)
  const credit = creditRemaining(key)
  if (credit !== null && charge.characters > credit) return { status: 'key_credit_exceeded' }
  if (charge.characters > quotaRemaining(quota)) return { status: 'quota_exceeded' }

  const posting: Posting = { ...charge, accountId: account.id, createdAt: now, period: quota.period }
  const place = `${timeKey(now)}/${charge.id}`
  transaction.put(postings, place, posting)
  transaction.put(charges, charge.id, { posting: place })
  transaction.put(keys, key.id, { ...key, creditUsed: key.creditUsed + charge.characters, lastUsedAt: now })
  transaction.put(accounts, account.id, {
    ...account,
    [charge.meter]: { ...quota, used: quota.used + charge.characters },
  })
  return { status: 'charged' }
}

const CHARGE_ID = /^[\x21-\x7e]{1,200}$/

function sameDebit(posting: Posting, charge: Charge): boolean {
  return posting.keyId === charge.keyId && posting.meter === charge.meter && posting.characters === charge.characters
}
