import assert from 'node:assert/strict'

/**
 * Reads Python pickles that hold plain data, which is all that a file of weights needs: numbers, texts, lists, tuples (as lists),
 * dictionaries (as maps), and what a `PickleWorld` makes of the classes that the pickle names. A pickle is a program that could
 * call anything; here it can call what the world knows and nothing else.
 *
 * The opcodes are those that protocol 2 writes, after Python's `pickletools.py`. Throws where a pickle has others, is cut off, or
 * names a class that the world does not know.
 */
export class PickleReader {
  readonly #bytes: Uint8Array
  readonly #view: DataView
  readonly #world: PickleWorld
  #at = 0
  #stack: Pickled[] = []
  /** Stacks that are set aside while what belongs to a mark is gathered. */
  #marked: Pickled[][] = []
  #memo = new Map<number, Pickled>()
  readonly #operations: Readonly<Record<number, () => void>> = {
    128: () => assert.ok(this.#u8() <= PROTOCOL_MAX, 'the pickle has a newer protocol'),
    40: () => this.#mark(),
    // Values.
    78: () => this.#push(null),
    136: () => this.#push(true),
    137: () => this.#push(false),
    75: () => this.#push(this.#u8()),
    77: () => this.#push(this.#take(2, (at) => this.#view.getUint16(at, true))),
    74: () => this.#push(this.#take(4, (at) => this.#view.getInt32(at, true))),
    138: () => this.#push(this.#long(this.#u8())),
    71: () => this.#push(this.#take(8, (at) => this.#view.getFloat64(at))),
    88: () => this.#push(this.#text(this.#u32())),
    // What is used again.
    113: () => this.#memo.set(this.#u8(), this.#top()),
    114: () => this.#memo.set(this.#u32(), this.#top()),
    104: () => this.#push(this.#remembered(this.#u8())),
    106: () => this.#push(this.#remembered(this.#u32())),
    // Tuples, lists and dictionaries.
    41: () => this.#push([]),
    133: () => this.#push(this.#stack.splice(-1)),
    134: () => this.#push(this.#stack.splice(-2)),
    135: () => this.#push(this.#stack.splice(-3)),
    116: () => this.#push(this.#unmark()),
    93: () => this.#push([]),
    97: () => this.#append(this.#stack.splice(-1)),
    101: () => this.#append(this.#unmark()),
    125: () => this.#push(new Map()),
    115: () => this.#setItems(this.#stack.splice(-2)),
    117: () => this.#setItems(this.#unmark()),
    // Classes.
    99: () => this.#push(this.#global(`${this.#line()}.${this.#line()}`)),
    82: () => this.#call(),
    // What an object is told after it was made: attributes beside its content, which weights do without.
    98: () => this.#pop(),
    81: () => this.#push(this.#world.persistent(this.#pop())),
  }

  constructor(bytes: Uint8Array, world: PickleWorld) {
    this.#bytes = bytes
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    this.#world = world
  }

  /** Where the next pickle begins, or whatever else follows the last one. */
  get offset(): number {
    return this.#at
  }

  /** The next pickle's value. A file may hold several, one behind the other. */
  read(): Pickled {
    this.#stack = []
    this.#marked = []
    this.#memo = new Map()
    for (let code = this.#u8(); code !== STOP; code = this.#u8()) {
      const operation = this.#operations[code]
      assert.ok(operation, `opcode 0x${code.toString(16)} is none that a file of weights needs`)
      operation()
    }
    return this.#pop()
  }

  #mark(): void {
    this.#marked.push(this.#stack)
    this.#stack = []
  }

  #remembered(index: number): Pickled {
    const value = this.#memo.get(index)
    assert.ok(value !== undefined, 'the pickle remembers what it never put aside')
    return value
  }

  #global(name: string): PickledClass {
    const make = this.#world.classes[name]
    assert.ok(make, `the pickle names ${name}, which has no place in a file of weights`)
    return new PickledClass(name, make)
  }

  #call(): void {
    const parameters = this.#pop()
    const callee = this.#pop()
    assert.ok(callee instanceof PickledClass && Array.isArray(parameters), 'the pickle calls what is no class')
    this.#push(callee.make(parameters))
  }

  #append(values: readonly Pickled[]): void {
    const list = this.#top()
    assert.ok(Array.isArray(list), 'the pickle appends to what is no list')
    list.push(...values)
  }

  #setItems(flat: readonly Pickled[]): void {
    const map = this.#top()
    assert.ok(map instanceof Map, 'the pickle sets items of what is no dictionary')
    for (let at = 0; at < flat.length; at += 2) map.set(flat[at]!, flat[at + 1]!)
  }

  /** What was pushed since the last mark. */
  #unmark(): Pickled[] {
    const gathered = this.#stack
    const before = this.#marked.pop()
    assert.ok(before, 'the pickle lacks a mark')
    this.#stack = before
    return gathered
  }

  #push(value: Pickled): void {
    this.#stack.push(value)
  }

  #pop(): Pickled {
    const value = this.#stack.pop()
    assert.ok(value !== undefined, 'the pickle takes more than it pushed')
    return value
  }

  #top(): Pickled {
    const value = this.#stack.at(-1)
    assert.ok(value !== undefined, 'the pickle takes more than it pushed')
    return value
  }

  #u8(): number {
    return this.#take(1, (at) => this.#view.getUint8(at))
  }

  #u32(): number {
    return this.#take(4, (at) => this.#view.getUint32(at, true))
  }

  #take(bytes: number, read: (at: number) => number): number {
    assert.ok(this.#at + bytes <= this.#bytes.length, 'the pickle is cut off')
    const value = read(this.#at)
    this.#at += bytes
    return value
  }

  /** A whole number of any length, two's complement. Those of a file of weights fit into a double, but for a signature. */
  #long(bytes: number): number {
    let value = 0n
    for (let at = 0; at < bytes; at++) value |= BigInt(this.#u8()) << BigInt(8 * at)
    return Number(BigInt.asIntN(8 * bytes, value))
  }

  #text(bytes: number): string {
    assert.ok(this.#at + bytes <= this.#bytes.length, 'the pickle is cut off')
    this.#at += bytes
    return new TextDecoder().decode(this.#bytes.subarray(this.#at - bytes, this.#at))
  }

  #line(): string {
    const end = this.#bytes.indexOf(LINE_FEED, this.#at)
    assert.ok(end !== -1, 'the pickle is cut off')
    const line = this.#text(end - this.#at)
    this.#at = end + 1
    return line
  }
}

/** What pickled code may refer to. */
export interface PickleWorld {
  /** By full name, such as `collections.OrderedDict`: what a call of it makes. */
  readonly classes: Readonly<Record<string, (parameters: readonly Pickled[]) => Pickled>>
  /** What stands behind the identifier of something that is stored outside of the pickle. */
  persistent(id: Pickled): Pickled
}

export type Pickled = null | boolean | number | string | object | Pickled[] | Map<Pickled, Pickled>

/** A class as a value: what pickles push before they call it. */
export class PickledClass {
  readonly name: string
  readonly make: (parameters: readonly Pickled[]) => Pickled

  constructor(name: string, make: (parameters: readonly Pickled[]) => Pickled) {
    this.name = name
    this.make = make
  }
}

const PROTOCOL_MAX = 2
const STOP = 0x2e
const LINE_FEED = 0x0a
