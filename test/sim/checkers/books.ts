import type { ApiKey, Meter } from '../../../src/ledger/ledger.ts'
import type { LmdbLedger } from '../../../src/ledger/lmdb-ledger.ts'
import { accounts, keys, type Posting, postings, type StoredAccount } from '../../../src/ledger/tables.ts'
import { IDEMPOTENCY_LIFETIME_MS, UNLIMITED } from '../../../src/limits.ts'
import type { Written } from '../simulated-lmdb.ts'
import type { World } from '../world.ts'

/** Something a client asked for that costs characters. */
export interface Purchase {
  /** Of the request; its debit is posted under it. */
  readonly id: string
  readonly keyId: string
  readonly meter: Meter
  /** What speech costs; what a transcript costs shows only as it is made. */
  readonly price: number | undefined
  /** Requests of one group are repeats of each other. */
  readonly group: string | undefined
}

/**
 * What is on disk, commit by commit, and whether it may be so: each posting belongs to somebody's request and is in the balances, no
 * key passes its ceiling and no account its quota, and nobody pays twice, or for a refusal.
 */
export class Books {
  /** When ceilings were last changed from outside, or time was: refusals that began before may look wrong since. */
  easedAt = Number.NEGATIVE_INFINITY
  readonly #world: World
  readonly #purchases = new Map<string, Purchase>()
  readonly #postings = new Map<string, Posting>()
  readonly #groups = new Map<string, { readonly askedAt: number; posting: Posting | undefined }>()
  readonly #refused = new Set<string>()
  readonly #keys = new Map<string, ApiKey>()
  readonly #accounts = new Map<string, StoredAccount>()

  constructor(world: World) {
    this.#world = world
  }

  expect(purchase: Purchase): void {
    this.#purchases.set(purchase.id, purchase)
    const { group } = purchase
    const isFirst = group !== undefined && !this.#groups.has(group)
    if (isFirst) this.#groups.set(group, { askedAt: this.#world.clock.now(), posting: undefined })
  }

  ease(): void {
    this.easedAt = this.#world.clock.monotonic()
  }

  /** Characters debited for a request that are on disk; undefined: none. */
  charged(id: string): number | undefined {
    return this.#postings.get(id)?.characters
  }

  /** Characters debited for a transcript so far. */
  chargedInPieces(id: string): number {
    const pieces = [...this.#postings.values()].filter((posting) => posting.id.startsWith(`${id}.`))
    return pieces.reduce((sum, { characters }) => sum + characters, 0)
  }

  /** The client was told no: it must not have paid, and never will, unless it asks again under the same name. */
  refused(id: string): void {
    if (this.#purchases.get(id)?.group === undefined) this.#refused.add(id)
    if (this.#postings.has(id) || this.chargedInPieces(id) > 0) this.#world.fail(`${id} was refused and charged`)
  }

  /** What a key can still spend of its own ceiling, and what its account has left. */
  left(keyId: string, meter: Meter): { readonly credit: number; readonly quota: number } {
    const key = this.#keys.get(keyId)
    const account = key && this.#accounts.get(key.accountId)
    if (key === undefined || account === undefined) throw new Error(`no key ${keyId}`)
    return {
      credit: remaining(key.creditLimit, key.creditUsed),
      quota: remaining(account[meter].limit, account[meter].used),
    }
  }

  committed(written: readonly Written[]): void {
    const growth = new Map<string, number>()
    for (const { table, key, bytes } of written) {
      if (table !== postings.name) continue
      if (bytes === undefined || this.#postings.has(postings.codec.decode(bytes).id)) {
        this.#world.fail(`posting ${key} was changed`)
        continue
      }
      const posting = postings.codec.decode(bytes)
      this.#post(posting)
      for (const subject of [posting.keyId, `${posting.accountId} ${posting.meter}`])
        growth.set(subject, (growth.get(subject) ?? 0) + posting.characters)
    }
    for (const { table, bytes } of written) {
      if (bytes === undefined) continue
      if (table === keys.name) this.#balanceKey(keys.codec.decode(bytes), growth)
      if (table === accounts.name) this.#balanceAccount(accounts.codec.decode(bytes), growth)
    }
  }

  verify(ledger: LmdbLedger): void {
    const { differences } = ledger.verify()
    if (differences.length > 0) this.#world.fail(`the books do not balance: ${JSON.stringify(differences)}`)
  }

  /** At the end of the world. */
  close(): void {
    const posted = [...this.#postings.values()].reduce((sum, { characters }) => sum + characters, 0)
    const used = [...this.#keys.values()].reduce((sum, { creditUsed }) => sum + creditUsed, 0)
    if (posted !== used) this.#world.fail(`keys have used ${used} characters and ${posted} are posted`)
  }

  #post(posting: Posting): void {
    const { id, keyId, meter, characters } = posting
    this.#world.note(`posted ${id}: ${characters} ${meter}`)
    this.#postings.set(id, posting)
    const request = meter === 'stt' ? id.replace(/\.\d+$/, '') : id
    if (this.#refused.has(request)) this.#world.fail(`${id} was charged after it was refused`)
    const purchase = this.#purchases.get(request)
    if (purchase?.keyId !== keyId || purchase.meter !== meter) this.#world.fail(`nobody asked for ${id}`)
    else if (purchase.price !== undefined && purchase.price !== characters) {
      this.#world.fail(`${id} costs ${purchase.price} and was charged ${characters}`)
    }
    const group = this.#groups.get(purchase?.group ?? '')
    if (group === undefined) return
    const isForgotten = this.#world.wallMax >= group.askedAt + IDEMPOTENCY_LIFETIME_MS
    if (group.posting && !isForgotten)
      this.#world.fail(`${id} was charged again after ${group.posting.id}, which it repeats`)
    group.posting = posting
  }

  #balanceKey(key: ApiKey, growth: ReadonlyMap<string, number>): void {
    const before = this.#keys.get(key.id)
    this.#keys.set(key.id, key)
    const grown = key.creditUsed - (before?.creditUsed ?? 0)
    if (grown !== (growth.get(key.id) ?? 0)) this.#world.fail(`${key.id} used ${grown}, posted ${growth.get(key.id)}`)
    if (grown > 0 && key.creditUsed > limitOf(key.creditLimit, before?.creditLimit)) {
      this.#world.fail(`${key.id} is past its ceiling: ${key.creditUsed} of ${key.creditLimit}`)
    }
  }

  #balanceAccount(account: StoredAccount, growth: ReadonlyMap<string, number>): void {
    const before = this.#accounts.get(account.id)
    this.#accounts.set(account.id, account)
    for (const meter of ['tts', 'stt'] as const) {
      const [now, then] = [account[meter], before?.[meter]]
      const usedBefore = then?.period === now.period ? then.used : 0
      const grown = now.used - usedBefore
      if (then !== undefined && now.period !== then.period) this.#requireDue(account.id, then.resetDate, now.resetDate)
      // Where a period ended inside of this commit, some of what was posted counted against the one before.
      const isPosted = grown === (growth.get(`${account.id} ${meter}`) ?? 0) || then?.period !== now.period
      if (!isPosted) this.#world.fail(`${account.id} used ${grown} ${meter}, posted otherwise`)
      if (grown > 0 && now.used > limitOf(now.limit, then?.limit)) {
        this.#world.fail(`${account.id} is past its quota: ${now.used} of ${now.limit} ${meter}`)
      }
    }
  }

  /** An allowance is handed out once, however the clock goes back and forth. */
  #requireDue(id: string, date: number, nextDate: number): void {
    const wallMax = Math.max(this.#world.wallMax, this.#world.clock.now())
    if (wallMax < date || nextDate <= date) this.#world.fail(`${id} was renewed before its time`)
  }
}

function remaining(limit: number | null, used: number): number {
  return limit === null ? UNLIMITED : Math.max(0, limit - used)
}

/** The higher one, where a commit changed it: the debit may have come before the change, or after. */
function limitOf(limit: number | null, before: number | null | undefined): number {
  return Math.max(limit ?? UNLIMITED, before === undefined ? 0 : (before ?? UNLIMITED))
}
