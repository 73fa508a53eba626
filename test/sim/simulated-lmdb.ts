import type { Chance } from './chance.ts'
import type { Life } from './life.ts'

/*
 * Stands in for the package `lmdb` below the real store. What a commit wrote is seen by nobody, and survives nothing, until it is
 * on disk; then it survives everything, although who asked for it hears of that a little later:
 *
 *   childTransaction ── lock ──▶ callback ── flush ──▶ on disk ──▶ promise resolves
 *                                    └─ a process that dies here has written nothing
 */

export interface CommitFaults {
  /** Share of the commits that the disk refuses. */
  readonly refusedShare: number
  readonly flushMsMax: number
}

export interface Written {
  readonly table: string
  readonly key: string
  readonly bytes: Uint8Array | undefined
}

/** The ledger's folder on disk. It outlives processes; any number of them may have it open. */
export class LedgerDisk {
  readonly tables = new Map<string, Map<string, Uint8Array>>()
  readonly chance: Chance
  faults: CommitFaults
  /** Whoever opens it next. */
  opener: Life | undefined
  /** Called when writes have reached the disk. */
  onCommit: (written: readonly Written[]) => void = () => {}
  /** Called just before and just after that; whoever asked for it has not heard of it yet. */
  onFlush: () => void = () => {}
  /** The process that holds the lock for writing. */
  #writer: Life | undefined
  readonly #waiting: { readonly life: Life; readonly begin: () => void }[] = []

  constructor(chance: Chance, faults: CommitFaults) {
    this.chance = chance
    this.faults = faults
  }

  table(name: string): Map<string, Uint8Array> {
    const table = this.tables.get(name) ?? new Map<string, Uint8Array>()
    this.tables.set(name, table)
    return table
  }

  lock(life: Life, begin: () => void): void {
    this.#waiting.push({ life, begin })
    this.#handOver()
  }

  unlock(): void {
    this.#writer = undefined
    this.#handOver()
  }

  /** Of a process that died: its lock goes to whoever waits, as the kernel sees to. */
  abandon(life: Life): void {
    if (this.#writer === life) this.unlock()
  }

  commit(written: readonly Written[]): void {
    for (const { table, key, bytes } of written) {
      if (bytes === undefined) this.table(table).delete(key)
      else this.table(table).set(key, bytes)
    }
    this.onCommit(written)
  }

  #handOver(): void {
    while (this.#writer === undefined) {
      const next = this.#waiting.shift()
      if (next === undefined) return
      if (!next.life.alive) continue
      this.#writer = next.life
      next.begin()
    }
  }
}

let mounted: LedgerDisk | undefined

/** Whatever opens a ledger from here on opens this one. */
export function mountLedger(disk: LedgerDisk): void {
  mounted = disk
}

/** As the package's, as far as the store uses it. */
export function open(): Root {
  if (mounted?.opener === undefined) throw new Error('no ledger disk is mounted')
  return new Root(mounted, mounted.opener)
}

class Root {
  readonly #disk: LedgerDisk
  readonly #life: Life
  /** What the callback that runs now has written, by table and key. */
  #own: Map<string, Written> | undefined

  constructor(disk: LedgerDisk, life: Life) {
    this.#disk = disk
    this.#life = life
  }

  openDB({ name }: { readonly name: string }): Database {
    return new Database(this.#disk.table(name), name, () => this.#own)
  }

  useReadTransaction(): { done(): void } {
    return { done() {} }
  }

  childTransaction(callback: () => void): Promise<void> {
    const { chance } = this.#disk
    return new Promise((resolve, reject) => {
      const finish = (deliver: () => void) => {
        this.#disk.unlock()
        this.#life.after(chance.between(0, 0.5), deliver)
      }
      const begin = () => {
        const own = new Map<string, Written>()
        this.#own = own
        try {
          callback()
        } catch (error) {
          finish(() => reject(error))
          return
        } finally {
          this.#own = undefined
        }
        const { refusedShare, flushMsMax } = this.#disk.faults
        const isRefused = chance.hits(refusedShare)
        this.#life.after(chance.between(0.1, flushMsMax), () => {
          this.#disk.onFlush()
          if (!this.#life.alive) return
          if (isRefused) {
            finish(() => reject(Object.assign(new Error('MDB_commit'), { commitError: Promise.reject(noSpace()) })))
          } else {
            this.#disk.commit([...own.values()])
            this.#disk.onFlush()
            finish(resolve)
          }
        })
      }
      this.#disk.lock(this.#life, () => void this.#life.after(chance.between(0.01, 0.3), begin))
    })
  }

  async close(): Promise<void> {}
}

class Database {
  readonly #onDisk: Map<string, Uint8Array>
  readonly #name: string
  readonly #own: () => Map<string, Written> | undefined

  constructor(onDisk: Map<string, Uint8Array>, name: string, own: () => Map<string, Written> | undefined) {
    this.#onDisk = onDisk
    this.#name = name
    this.#own = own
  }

  get(key: string): Uint8Array | undefined {
    const own = this.#own()?.get(this.#place(key))
    return own === undefined ? this.#onDisk.get(key) : own.bytes
  }

  putSync(key: string, bytes: Uint8Array): void {
    this.#write({ table: this.#name, key, bytes: Uint8Array.from(bytes) })
  }

  removeSync(key: string): void {
    this.#write({ table: this.#name, key, bytes: undefined })
  }

  *getRange({ start = '', end = '\uffff', limit = Number.POSITIVE_INFINITY }) {
    const own = [...(this.#own()?.values() ?? [])].filter(({ table }) => table === this.#name)
    const keys = new Set([...this.#onDisk.keys(), ...own.map(({ key }) => key)])
    let count = 0
    for (const key of [...keys].filter((candidate) => candidate >= start && candidate < end).sort()) {
      const value = this.get(key)
      if (value === undefined) continue
      if (count++ === limit) return
      yield { key, value }
    }
  }

  #write(written: Written): void {
    const own = this.#own()
    if (own === undefined) throw new Error('written outside of a transaction')
    own.set(this.#place(written.key), written)
  }

  #place(key: string): string {
    return `${this.#name} ${key}`
  }
}

function noSpace(): Error {
  return Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' })
}
