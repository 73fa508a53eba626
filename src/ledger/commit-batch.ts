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
 *   function's own writes  ─on return─▶  batch  ─changes()─▶  store's transaction
 *          ▲ reads fall through ────────────┴──────────────────────▲
 */
export class CommitBatch {
  readonly #reader: Reader
  readonly #apply: (changes: readonly Change[]) => void
  readonly #batch = new Cells()

  /** `reader` and `apply` belong to the one open transaction of the store. */
  constructor(reader: Reader, apply: (changes: readonly Change[]) => void) {
    this.#reader = reader
    this.#apply = apply
  }

  run<R>(decide: (transaction: Transaction) => R): R {
    const own = new Cells()
    const result = decide({
      get: (table, key) => {
        const cell = own.find(table, key) ?? this.#batch.find(table, key)
        if (cell !== undefined) return cell.value
        const value = this.#reader.get(table, key)
        this.#batch.set(table, key, { value, changed: false })
        return value
      },
      scan: (table, range) => {
        assert(!own.any, 'scan before the first write: a function that throws must leave no trace')
        this.flush()
        return this.#reader.scan(table, range)
      },
      put: (table, key, value) => own.set(table, key, { value, changed: true }),
      remove: (table, key) => own.set(table, key, { value: undefined, changed: true }),
    })
    assert(!(result instanceof Promise), 'a transaction decides without waiting')
    this.#batch.merge(own)
    return result
  }

  /** Hands everything the finished functions wrote to the store's transaction. Encodes all of it before the first write. */
  flush(): void {
    this.#apply(this.#batch.takeChanges())
  }
}

interface Cell<T> {
  readonly value: T | undefined
  readonly changed: boolean
}

/** Values by table and key. Each table's map only ever holds values of that table, which is what its one cast rests on. */
class Cells {
  readonly #tables = new Map<Table<unknown>, Map<string, Cell<unknown>>>()

  get any(): boolean {
    return this.#tables.size > 0
  }

  find<T>(table: Table<T>, key: string): Cell<T> | undefined {
    return this.#cellsOf(table)?.get(key)
  }

  set<T>(table: Table<T>, key: string, cell: Cell<T>): void {
    const cells = this.#cellsOf(table)
    if (cells === undefined) this.#tables.set(table, new Map([[key, cell]]))
    else cells.set(key, cell)
  }

  merge(other: Cells): void {
    for (const [table, cells] of other.#tables) {
      for (const [key, cell] of cells) this.set(table, key, cell)
    }
  }

  takeChanges(): Change[] {
    const changes: Change[] = []
    for (const [table, cells] of this.#tables) {
      for (const [key, cell] of cells) {
        if (!cell.changed) continue
        const { value } = cell
        changes.push({ table, key, bytes: value === undefined ? undefined : table.codec.encode(value) })
        cells.set(key, { value, changed: false })
      }
    }
    return changes
  }

  #cellsOf<T>(table: Table<T>): Map<string, Cell<T>> | undefined {
    return this.#tables.get(table) as Map<string, Cell<T>> | undefined
  }
}
