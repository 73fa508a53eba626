import { mkdirSync } from 'node:fs'
import { type Database, open, type RootDatabase, type Transaction as Snapshot } from 'lmdb'
import { CommitBatch, type Reader, type Transaction } from './commit-batch.ts'
import { type Range, TABLES, type Table } from './tables.ts'

/** Functions decided in one commit; the rest wait for the next, so that the event loop gets a turn. */
const WRITES_PER_COMMIT_MAX = 512
/** Functions waiting for a commit. More than every connection of the node can ask for at once: past it, something is wrong. */
const WRITES_QUEUED_MAX = 65_536

/** The disk did not take a commit, or too many wait for it. Nothing of the refused writes was kept. */
export class StoreFailed extends Error {}

/**
 * The folder on disk: tables of checked records over LMDB. Several processes may have it open; each write function sees the
 * latest state of all of them, because it runs while its transaction holds the one lock for writing.
 *
 * Functions given to `write` in the meantime share the next commit, so a busy node pays one flush for hundreds of debits.
 */
export class Store {
  /** The latest committed state, also of other processes, as of this turn of the event loop. */
  readonly read: Reader
  readonly #root: RootDatabase<Uint8Array, string>
  readonly #databases: ReadonlyMap<string, Database<Uint8Array, string>>
  readonly #queue: Job[] = []
  readonly #startTimer: CommitTimer
  #committing: Promise<void> | undefined
  #closing: Promise<void> | undefined

  /** Opens the folder, creating it if need be (readable by its owner alone). `startTimer` hears of each commit. */
  static open(folder: string, startTimer: CommitTimer = () => () => {}): Store {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    return new Store(
      open<Uint8Array, string>({
        path: folder,
        noSubdir: false,
        maxDbs: 2 * TABLES.length,
        encoding: 'binary',
        keyEncoding: 'ordered-binary',
        cache: false,
        // The commit itself waits for the disk: a resolved promise means durable, a failed flush rejects it, and no process
        // ever sees a debit that a power cut could still take back.
        overlappingSync: false,
        noSync: false,
        noMetaSync: false,
        // Freed memory is zeroed before it can reach the file.
        noMemInit: false,
        useWritemap: false,
        // Writes are gathered here already; LMDB's own gathering makes promises that nobody can handle when a commit fails.
        eventTurnBatching: false,
      }),
      startTimer,
    )
  }

  private constructor(root: RootDatabase<Uint8Array, string>, startTimer: CommitTimer) {
    this.#root = root
    this.#startTimer = startTimer
    this.#databases = new Map(
      TABLES.map(({ name }) => [name, root.openDB<Uint8Array, string>({ name, encoding: 'binary', cache: false })]),
    )
    this.read = this.#reader()
  }

  /** One state of all tables for as long as `look` runs, whatever is written meanwhile. */
  snapshot<R>(look: (reader: Reader) => R): R {
    const snapshot = this.#root.useReadTransaction()
    try {
      return look(this.#reader(snapshot))
    } finally {
      snapshot.done()
    }
  }

  /**
   * Runs `decide` in a write transaction; what it returns is delivered once the commit is on disk. If it throws, nothing it
   * wrote is kept and the promise rejects with what was thrown. Rejects with `StoreFailed` when the disk refuses.
   */
  write<R>(decide: (transaction: Transaction) => R): Promise<R> {
    if (this.#closing !== undefined) return Promise.reject(new StoreFailed('The ledger is closed'))
    if (this.#queue.length >= WRITES_QUEUED_MAX) return Promise.reject(new StoreFailed('Too many writes are waiting'))
    return new Promise((resolve, reject) => {
      this.#queue.push({
        decide(batch) {
          try {
            const result = batch.run(decide)
            return () => resolve(result)
          } catch (error) {
            return () => reject(error)
          }
        },
        fail: reject,
      })
      this.#committing ??= this.#commitQueued()
    })
  }

  /** Takes no more writes, finishes those given, and closes. */
  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    await this.#committing
    await this.#root.close()
  }

  /** One commit after another until nothing waits. Never rejects: every job hears of its own fate. */
  async #commitQueued(): Promise<void> {
    while (this.#queue.length > 0) {
      let jobs: Job[] = []
      let settle: (() => void)[] = []
      try {
        const stopTimer = this.#startTimer()
        // A child transaction rolls back if anything throws; a plain one would keep the writes made before.
        await this.#root.childTransaction(() => {
          jobs = this.#queue.splice(0, WRITES_PER_COMMIT_MAX)
          const batch = new CommitBatch(this.read, ({ table, key, bytes }) => {
            if (bytes === undefined) this.#database(table.name).removeSync(key)
            else this.#database(table.name).putSync(key, bytes)
          })
          settle = jobs.map((job) => job.decide(batch))
          batch.flush()
        })
        stopTimer()
      } catch (error) {
        const failure = await storeFailed(error)
        // Where the transaction never began, nothing was taken from the queue, and what waits there has failed too.
        if (jobs.length === 0) jobs = this.#queue.splice(0)
        settle = jobs.map((job) => () => job.fail(failure))
      }
      for (const deliver of settle) deliver()
    }
    this.#committing = undefined
  }

  #reader(snapshot?: Snapshot): Reader {
    const within = snapshot === undefined ? {} : { transaction: snapshot }
    return {
      get: (table, key) => {
        const bytes = this.#database(table.name).get(key, within)
        return bytes === undefined ? undefined : table.codec.decode(bytes)
      },
      scan: (table, range) => decoded(table, this.#database(table.name).getRange({ ...bounds(range), ...within })),
    }
  }

  #database(name: string): Database<Uint8Array, string> {
    const database = this.#databases.get(name)
    if (database === undefined) throw new Error(`Table ${name} is not listed`)
    return database
  }
}

/** Called when a commit begins; what it returns is called when that commit is on disk, and never if it fails. */
export type CommitTimer = () => () => void

interface Job {
  /** Returns what to call once the commit is on disk. */
  readonly decide: (batch: CommitBatch) => () => void
  readonly fail: (error: StoreFailed) => void
}

function bounds(range: Range): { start?: string; end?: string; limit?: number } {
  return {
    ...(range.from === undefined ? {} : { start: range.from }),
    ...(range.before === undefined ? {} : { end: range.before }),
    ...(range.limit === undefined ? {} : { limit: range.limit }),
  }
}

function* decoded<T>(
  table: Table<T>,
  entries: Iterable<{ key: string; value: Uint8Array }>,
): Iterable<readonly [string, T]> {
  for (const { key, value } of entries) yield [key, table.codec.decode(value)]
}

/** LMDB's rejection hides the reason in a second promise, which must be awaited or it ends the process. */
async function storeFailed(error: unknown): Promise<StoreFailed> {
  const reason: unknown = error instanceof Error && 'commitError' in error ? error.commitError : error
  const cause = await Promise.resolve(reason).catch((rejected: unknown) => rejected)
  return new StoreFailed('The ledger could not be written', { cause })
}
