import { base32Id, type Random } from '../runtime/random.ts'
import type { Reader, Transaction } from './commit-batch.ts'
import type { ResetInterval } from './ledger.ts'
import { changeTerms, newQuota, renew } from './quota.ts'
import { InvalidOption, NotFound, requireName, requireWholeNumber } from './refusals.ts'
import { accounts, type StoredAccount } from './tables.ts'

export interface AccountOptions {
  readonly name: string
  /** Characters each interval; null: unlimited. */
  readonly ttsQuota: number | null
  readonly sttQuota: number | null
  readonly interval: ResetInterval
  readonly intervalCount: number
}

export const ACCOUNT_DEFAULTS = {
  ttsQuota: 100_000,
  sttQuota: 100_000,
  interval: 'month',
  intervalCount: 1,
} as const satisfies Omit<AccountOptions, 'name'>

/** Throws `InvalidOption`. */
export function createAccount(
  transaction: Transaction,
  options: AccountOptions,
  now: number,
  random: Random,
): StoredAccount {
  requireValid(options)
  const { name, interval: resetInterval, intervalCount: resetIntervalCount } = options
  const account: StoredAccount = {
    id: `acct_${base32Id(random, 20)}`,
    name,
    createdAt: now,
    disabled: false,
    tts: newQuota({ limit: options.ttsQuota, resetInterval, resetIntervalCount }, now),
    stt: newQuota({ limit: options.sttQuota, resetInterval, resetIntervalCount }, now),
  }
  transaction.put(accounts, account.id, account)
  return account
}

/** Changes what is given. What has been used stays used. Throws `InvalidOption`, `NotFound`. */
export function setAccount(
  transaction: Transaction,
  id: string,
  changes: Partial<AccountOptions & { readonly disabled: boolean }>,
  now: number,
): StoredAccount {
  requireValid(changes)
  const account = requireAccount(transaction, id)
  const changed: StoredAccount = {
    ...account,
    name: changes.name ?? account.name,
    disabled: changes.disabled ?? account.disabled,
    tts: changeTerms(account.tts, { ...changes, quota: changes.ttsQuota }, now),
    stt: changeTerms(account.stt, { ...changes, quota: changes.sttQuota }, now),
  }
  transaction.put(accounts, id, changed)
  return changed
}

/** The account with its quotas as they stand now. */
export function accountAt(reader: Reader, id: string, now: number): StoredAccount | undefined {
  const account = reader.get(accounts, id)
  return account === undefined ? undefined : renewed(account, now)
}

export function renewed(account: StoredAccount, now: number): StoredAccount {
  return { ...account, tts: renew(account.tts, now), stt: renew(account.stt, now) }
}

export function requireAccount(reader: Reader, id: string): StoredAccount {
  const account = reader.get(accounts, id)
  if (account === undefined) throw new NotFound('account', id)
  return account
}

const INTERVALS: readonly string[] = ['day', 'week', 'month', 'year'] satisfies ResetInterval[]

function requireValid(options: Partial<AccountOptions>): void {
  if (options.name !== undefined) requireName(options.name)
  requireQuota('ttsQuota', options.ttsQuota)
  requireQuota('sttQuota', options.sttQuota)
  if (options.interval !== undefined && !INTERVALS.includes(options.interval)) {
    throw new InvalidOption('interval', 'must be day, week, month or year')
  }
  // A thousand years at most, so that every date stays a date.
  if (options.intervalCount !== undefined) requireWholeNumber('intervalCount', options.intervalCount, 1, 1_000)
}

function requireQuota(option: string, quota: number | null | undefined): void {
  if (quota !== undefined && quota !== null) requireWholeNumber(option, quota, 0)
}
