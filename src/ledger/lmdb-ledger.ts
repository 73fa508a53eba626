import { join } from 'node:path'
import type { Clock } from '../runtime/clock.ts'
import { base32Id, type Random } from '../runtime/random.ts'
import { type AccountOptions, accountAt, createAccount, renewed, setAccount } from './accounts.ts'
import { bootstrap, type FirstAccount } from './bootstrap.ts'
import { debit, debited, debitUpTo } from './charge.ts'
import type { Transaction } from './commit-batch.ts'
import * as idempotency from './idempotency.ts'
import { createKey, type KeyOptions, keysOf, revokeKey, setCreditLimit } from './keys.ts'
import type {
  Account,
  ApiKey,
  Charge,
  ChargeOutcome,
  Consent,
  CutChargeOutcome,
  EnrolledVoice,
  EnrollmentOutcome,
  Generation,
  IdempotencyOutcome,
  Ledger,
  NewKey,
  StreamToken,
} from './ledger.ts'
import { findKey } from './plaintext.ts'
import { Store } from './store.ts'
import { issueToken, peekToken, spendToken, type TokenOutcome } from './stream-tokens.ts'
import { sweep } from './sweep.ts'
import { accounts, childrenOf, generations, keys, type Posting, postings, secrets, timeKey, voices } from './tables.ts'
import { type Verification, verify } from './verify.ts'
import {
  beginEnrollment,
  consentsOf,
  deleteVoice,
  type EnrollmentStart,
  enrollVoice,
  findEnrolled,
  isVoiceId,
  type Known,
  voiceOfContent,
  voicesOf,
} from './voices.ts'

/** How exact "last used" is for a key that is only looked up. */
const LAST_USED_STEP_MS = 60_000
/** Postings read at once while exporting: the ledger may grow meanwhile, and no old state is held. */
const EXPORT_PAGE = 1_000

/** Where a data folder keeps its ledger. */
export function ledgerFolder(dataDir: string): string {
  return join(dataDir, 'ledger')
}

/** Hears of what the ledger has on disk, to count it. */
export interface LedgerObserver {
  committed(ms: number): void
  /** A debit, once however often it is repeated. */
  charged(meter: Charge['meter'], characters: number): void
}

const unobserved: LedgerObserver = { committed() {}, charged() {} }

/**
 * The ledger over LMDB. Nothing is cached between calls: the command line may change any of it from another process, and
 * the next call sees that. Writes resolve when they are on disk and reject with `StoreFailed` when they could not be.
 */
export class LmdbLedger implements Ledger {
  readonly #store: Store
  readonly #clock: Clock
  readonly #random: Random
  readonly #observer: LedgerObserver
  /** Tells this run of the process from those before it. */
  readonly #instance: string

  /** Opens or creates the ledger of a data folder. Close it, or the last writes may still be on their way. */
  static open(dataDir: string, clock: Clock, random: Random, observer: LedgerObserver = unobserved): LmdbLedger {
    const startTimer = () => {
      const startedAt = clock.monotonic()
      return () => observer.committed(clock.monotonic() - startedAt)
    }
    return new LmdbLedger(Store.open(ledgerFolder(dataDir), startTimer), clock, random, observer)
  }

  private constructor(store: Store, clock: Clock, random: Random, observer: LedgerObserver) {
    this.#store = store
    this.#clock = clock
    this.#random = random
    this.#observer = observer
    this.#instance = base32Id(random, 20)
  }

  findKey(plaintext: string): ApiKey | undefined {
    const key = findKey(this.#store.read, plaintext)
    if (key?.status === 'active') this.#touch(key)
    return key
  }

  key(keyId: string): ApiKey | undefined {
    return this.#store.read.get(keys, keyId)
  }

  account(accountId: string): Account | undefined {
    return accountAt(this.#store.read, accountId, this.#clock.now())
  }

  keysOf(accountId: string): ApiKey[] {
    return keysOf(this.#store.read, accountId)
  }

  charge(charge: Charge): Promise<ChargeOutcome> {
    return this.#debit(charge, (transaction) => debit(transaction, charge, this.#clock.now()))
  }

  chargeUpTo(charge: Charge): Promise<CutChargeOutcome> {
    return this.#debit(charge, (transaction) => debitUpTo(transaction, charge, this.#clock.now()))
  }

  issueToken(charge: Charge, voiceId: string): Promise<TokenOutcome> {
    return this.#debit(charge, (transaction) =>
      issueToken(transaction, charge, voiceId, this.#clock.now(), this.#random),
    )
  }

  peekToken(token: string): StreamToken | undefined {
    return peekToken(this.#store.read, token, this.#clock.now())
  }

  spendToken(token: string): Promise<StreamToken | undefined> {
    return this.#store.write((transaction) => spendToken(transaction, token, this.#clock.now()))
  }

  beginIdempotent(
    keyId: string,
    idempotencyKey: string,
    bodyHash: string,
    requestId: string,
  ): Promise<IdempotencyOutcome> {
    const run = { bodyHash, requestId, instance: this.#instance }
    return this.#store.write((transaction) =>
      idempotency.begin(transaction, { keyId, idempotencyKey }, run, this.#clock.now()),
    )
  }

  finishIdempotent(keyId: string, idempotencyKey: string, answer: string): Promise<void> {
    return this.#store.write((transaction) => idempotency.finish(transaction, { keyId, idempotencyKey }, answer))
  }

  releaseIdempotent(keyId: string, idempotencyKey: string): Promise<void> {
    return this.#store.write((transaction) => idempotency.giveUp(transaction, { keyId, idempotencyKey }))
  }

  recordGeneration(generation: Generation): Promise<void> {
    const place = `${generation.accountId}/${timeKey(generation.createdAt)}/${generation.id}`
    return this.#store.write((transaction) => transaction.put(generations, place, generation))
  }

  voice(voiceId: string): EnrolledVoice | undefined {
    return isVoiceId(voiceId) ? this.#store.read.get(voices, voiceId) : undefined
  }

  voiceOfContent(accountId: string, sha256: string): EnrolledVoice | undefined {
    return voiceOfContent(this.#store.read, { accountId, sha256 })
  }

  voicesOf(accountId: string): EnrolledVoice[] {
    return voicesOf(this.#store.read, accountId)
  }

  beginEnrollment(accountId: string): Promise<EnrollmentStart> {
    return this.#store.write((transaction) => beginEnrollment(transaction, accountId, this.#clock.now()))
  }

  findEnrolled(accountId: string, sha256: string): Promise<Known | undefined> {
    return this.#store.write((transaction) =>
      findEnrolled(transaction, { accountId, sha256 }, this.#clock.now(), this.#random),
    )
  }

  enrollVoice(voice: Omit<EnrolledVoice, 'createdAt'>, keyId: string): Promise<EnrollmentOutcome> {
    return this.#store.write((transaction) => enrollVoice(transaction, voice, keyId, this.#clock.now(), this.#random))
  }

  deleteVoice(voiceId: string, accountId: string): Promise<EnrolledVoice | undefined> {
    return this.#store.write((transaction) => deleteVoice(transaction, voiceId, accountId, this.#clock.now()))
  }

  close(): Promise<void> {
    return this.#store.close()
  }

  // For the command line and the node's start: everything below throws `InvalidOption` and `NotFound`.

  listAccounts(): Account[] {
    const now = this.#clock.now()
    return Array.from(this.#store.read.scan(accounts, {}), ([, account]) => renewed(account, now))
  }

  createAccount(options: AccountOptions): Promise<Account> {
    return this.#store.write((transaction) => createAccount(transaction, options, this.#clock.now(), this.#random))
  }

  setAccount(id: string, changes: Partial<AccountOptions & { readonly disabled: boolean }>): Promise<Account> {
    return this.#store.write((transaction) => setAccount(transaction, id, changes, this.#clock.now()))
  }

  createKey(options: KeyOptions): Promise<NewKey> {
    return this.#store.write((transaction) => createKey(transaction, options, this.#clock.now(), this.#random))
  }

  /** null takes the ceiling away. */
  setCreditLimit(keyId: string, creditLimit: number | null): Promise<ApiKey> {
    return this.#store.write((transaction) => setCreditLimit(transaction, keyId, creditLimit))
  }

  revokeKey(keyId: string): Promise<ApiKey> {
    return this.#store.write((transaction) => revokeKey(transaction, keyId))
  }

  /** Consents an account has brought, oldest first, those of deleted voices included. */
  consentsOf(accountId: string): Consent[] {
    return consentsOf(this.#store.read, accountId)
  }

  /** Fills an empty ledger; undefined when it holds an account already. */
  bootstrap(voiceId: string): Promise<FirstAccount | undefined> {
    return this.#store.write((transaction) => bootstrap(transaction, voiceId, this.#clock.now(), this.#random))
  }

  /** 32 random bytes that belong to `name`, the same for ever after the first call. */
  secret(name: string): Promise<Uint8Array> {
    return this.#store.write((transaction) => {
      const existing = transaction.get(secrets, name)
      if (existing !== undefined) return existing.secret
      const secret = this.#random.bytes(32)
      transaction.put(secrets, name, { secret })
      return secret
    })
  }

  /** Forgets a bounded number of expired tokens and idempotency entries; returns how many, 0 when none is left. */
  sweep(): Promise<number> {
    return this.#store.write((transaction) => sweep(transaction, this.#clock.now()))
  }

  verify(): Verification {
    return this.#store.snapshot(verify)
  }

  /** Debits at or after `since` (milliseconds since the epoch), oldest first. May be stopped and resumed at any pace. */
  *exportPostings(since = 0): Iterable<Posting> {
    let from = timeKey(since)
    for (;;) {
      const page = [...this.#store.read.scan(postings, { from, limit: EXPORT_PAGE })]
      for (const [, posting] of page) yield posting
      const last = page.at(-1)
      if (last === undefined || page.length < EXPORT_PAGE) return
      // A space sorts before every character a key may hold, so nothing lies between the last key and this one.
      from = `${last[0]} `
    }
  }

  /** The history of an account, oldest first. */
  generationsOf(accountId: string): Generation[] {
    return Array.from(this.#store.read.scan(generations, childrenOf(accountId)), ([, generation]) => generation)
  }

  /** Runs `decide`, which may debit the charge, and tells the observer what it debited once that is on disk. */
  async #debit<R>(charge: Charge, decide: (transaction: Transaction) => R): Promise<R> {
    const { outcome, characters } = await this.#store.write((transaction) => {
      const isRepeat = debited(transaction, charge) !== undefined
      const outcome = decide(transaction)
      return { outcome, characters: isRepeat ? 0 : (debited(transaction, charge) ?? 0) }
    })
    if (characters > 0) this.#observer.charged(charge.meter, characters)
    return outcome
  }

  /** Not worth failing a request for: when the disk is in trouble, the debit that follows says so. */
  #touch(key: ApiKey): void {
    const now = this.#clock.now()
    if (key.lastUsedAt !== null && now < key.lastUsedAt + LAST_USED_STEP_MS) return
    this.#store
      .write((transaction) => {
        const current = transaction.get(keys, key.id)
        if (current !== undefined && current.lastUsedAt === key.lastUsedAt)
          transaction.put(keys, key.id, { ...current, lastUsedAt: now })
      })
      .catch(() => undefined)
  }
}
