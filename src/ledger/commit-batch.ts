import assert from 'node:assert/strict'
import type { Range, Table } from './tables.ts'

/** Reads one consistent state of the store. */
export interface Reader {
  get<T>(table: Table<T>, key: string): T | undefined
  /** Entries in the order of their keys. Iterate at once: the state must not be held across an await. */
  scan<T>(table: Table<T>, range: Range): Iterable<readonly [key: string, value: T]>
}

/** A reader that sees its own writes. Nothing written counts unless the function it was given to returns. */
export interface Transaction extends Reader {
  put<T>(table: Table<T>, key: string, value: T): void
  remove<T>(table: Table<T>, key: string): void
}

export interface Change {
  readonly table: Table<unknown>
  readonly key: string
  /** undefined: the entry goes. */
  readonly bytes: Uint8Array | undefined
}

/**
 * The functions that share one commit. A record is read and decoded once, however many of them use it, and written once
 * with its last value: a hundred charges of one account cost one account record. A function that throws leaves no trace.
 *
 *   function's own writes  ─on return─▶  batch  ─flush()─▶  store's transaction
 *          ▲ reads fall through ───────────┴──────────────────────▲
 */
export class CommitBatch {
  readonly #reader: Reader
  readonly #apply: (change: Change) => void
  /** Each table's map only ever holds values of that table, which is what the one cast in `#cellsOf` rests on. */
  readonly #tables = new Map<Table<unknown>, Map<string, Cell<unknown>>>()

  /** `reader` and `apply` belong to the one open transaction of the store. */
  constructor(reader: Reader, apply: (change: Change) => void) {
    this.#reader = reader
    this.#apply = apply
  }

  run<R>(decide: (transaction: Transaction) => R): R {
    const own = new OwnWrites(this)
    const result = decide(own)
    assert(!(result instanceof Promise), 'a transaction decides without waiting')
    for (const { table, key, value } of own.writes) this.#cellsOf(table).set(key, { value, changed: true })
    return result
  }

  get<T>(table: Table<T>, key: string): T | undefined {
    const cells = this.#cellsOf(table)
    let cell = cells.get(key)
    if (cell === undefined) {
      cell = { value: this.#reader.get(table, key), changed: false }
      cells.set(key, cell)
    }
    return cell.value
  }

  scan<T>(table: Table<T>, range: Range): Iterable<readonly [string, T]> {
    this.flush()
    return this.#reader.scan(table, range)
  }

  /** Hands what the finished functions wrote to the store's transaction, all of it encoded before the first write. */
  flush(): void {
    const changes: Change[] = []
    for (const [table, cells] of this.#tables) {
      for (const [key, cell] of cells) {
        if (!cell.changed) continue
        changes.push({ table, key, bytes: cell.value === undefined ? undefined : table.codec.encode(cell.value) })
        cell.changed = false
      }
    }
    for (const change of changes) this.#apply(change)
  }

  #cellsOf<T>(table: Table<T>): Map<string, Cell<T>> {
    let cells = this.#tables.get(table)
    if (cells === undefined) {
      cells = new Map()
      this.#tables.set(table, cells)
    }
    return cells as Map<string, Cell<T>>
  }
}

interface Cell<T> {
  readonly value: T | undefined
  changed: boolean
}

/** What one function has written so far: a handful, so a list is searched sooner than a map is made. */
class OwnWrites implements Transaction {
  readonly writes: { readonly table: Table<unknown>; readonly key: string; readonly value: unknown }[] = []
  readonly #batch: CommitBatch

  constructor(batch: CommitBatch) {
    this.#batch = batch
  }

  get<T>(table: Table<T>, key: string): T | undefined {
    const own = this.writes.findLast((write) => write.key === key && write.table === table)
    return own === undefined ? this.#batch.get(table, key) : (own.value as T | undefined)
  }

  scan<T>(table: Table<T>, range: Range): Iterable<readonly [string, T]> {
    assert(this.writes.length === 0, 'scan before the first write: a function that throws must leave no trace')
    return this.#batch.scan(table, range)
  }

  put<T>(table: Table<T>, key: string, value: T): void {
    // Here and not when it is encoded: a bad record must fail the function that made it, not the whole commit.
    table.codec.check(value)
    this.writes.push({ table, key, value })
  }

  remove<T>(table: Table<T>, key: string): void {
    this.writes.push({ table, key, value: undefined })
  }
}
