import type { Random } from '../runtime/random.ts'
import { ACCOUNT_DEFAULTS, createAccount } from './accounts.ts'
import type { Transaction } from './commit-batch.ts'
import { createKey } from './keys.ts'
import type { Account, NewKey } from './ledger.ts'
import { accounts } from './tables.ts'

/** What an empty ledger starts with. The plaintexts are here and nowhere else. */
export interface FirstAccount {
  readonly account: Account
  readonly admin: NewKey
  readonly voice: NewKey
  readonly stt: NewKey
}

/** One account and one key of each kind, if there is no account yet; undefined otherwise. */
export function bootstrap(
  transaction: Transaction,
  voiceId: string,
  now: number,
  random: Random,
): FirstAccount | undefined {
  const [existing] = transaction.scan(accounts, { limit: 1 })
  if (existing !== undefined) return undefined
  const account = createAccount(transaction, { name: 'First account', ...ACCOUNT_DEFAULTS }, now, random)
  const newKey = (options: { kind: 'admin' | 'stt' } | { kind: 'voice'; voiceId: string }, name: string) =>
    createKey(transaction, { accountId: account.id, name, ...options }, now, random)
  return {
    account,
    admin: newKey({ kind: 'admin' }, 'First admin key'),
    voice: newKey({ kind: 'voice', voiceId }, 'First voice key'),
    stt: newKey({ kind: 'stt' }, 'First speech-to-text key'),
  }
}
