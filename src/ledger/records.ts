import { Decoder, Encoder } from '@msgpack/msgpack'

/**
 * Turns one kind of record into stored bytes and back. Every field is checked on both ways.
 *
 *   byte 0    1 …
 *   version   msgpack array of the fields, in the order the layout names them
 */
export interface RecordCodec<T> {
  readonly name: string
  /** Throws `InvalidRecord`. */
  check(record: T): void
  /** Of a record that was checked. */
  encode(record: T): Uint8Array
  /** Throws `InvalidRecord`. The result shares no memory with `bytes`. */
  decode(bytes: Uint8Array): T
}

/** What one field may hold, in words and as a check. */
export interface Field<T> {
  readonly rule: string
  is(value: unknown): value is T
}
export type Layout<T> = { readonly [K in keyof T]-?: Field<T[K]> }

/** A field breaks its rule, or the bytes are of another version of the program or no record at all. */
export class InvalidRecord extends Error {}

export function recordCodec<T extends object>(name: string, version: number, layout: Layout<T>): RecordCodec<T> {
  const names = Object.keys(layout) as (keyof T & string)[]
  const checkField = (field: keyof T & string, value: unknown) => {
    if (!layout[field].is(value)) throw new InvalidRecord(`${name} record: ${field} must be ${layout[field].rule}`)
  }

  return {
    name,
    check(record) {
      for (const field of names) checkField(field, record[field])
    },
    encode(record) {
      const body = encoder.encodeSharedRef(names.map((field) => record[field]))
      const bytes = new Uint8Array(1 + body.length)
      bytes[0] = version
      bytes.set(body, 1)
      return bytes
    },
    decode(bytes) {
      if (bytes[0] !== version) {
        throw new InvalidRecord(
          `${name} record has version ${bytes[0]}, and this program reads version ${version}: ` +
            'the data folder belongs to another version of Syrinx',
        )
      }
      const values = decoder.decode(bytes.subarray(1))
      if (!Array.isArray(values) || values.length !== names.length) {
        throw new InvalidRecord(`${name} record: ${names.length} fields expected`)
      }
      const record: Record<string, unknown> = {}
      for (const [index, field] of names.entries()) {
        const value: unknown = values[index]
        checkField(field, value)
        // What arrives is a view of the stored bytes, and a Buffer's own `slice` would be another.
        record[field] = value instanceof Uint8Array ? new Uint8Array(value) : value
      }
      return record as T
    },
  }
}

const encoder = new Encoder()
const decoder = new Decoder()

export const text: Field<string> = { rule: 'text', is: (value) => typeof value === 'string' }
export const flag: Field<boolean> = { rule: 'true or false', is: (value) => typeof value === 'boolean' }
/** A number of characters, milliseconds or intervals. */
export const count: Field<number> = {
  rule: 'a whole number that is not negative',
  is: (value): value is number => Number.isSafeInteger(value) && Number(value) >= 0,
}
/** Milliseconds since the epoch; before 1970 only where a clock is badly wrong. */
export const time: Field<number> = {
  rule: 'a whole number of milliseconds',
  is: (value): value is number => Number.isSafeInteger(value),
}
export const bytes: Field<Uint8Array> = { rule: 'bytes', is: (value) => value instanceof Uint8Array }

export function oneOf<const T extends string>(...choices: T[]): Field<T> {
  const known = new Set<unknown>(choices)
  return { rule: `one of ${choices.join(', ')}`, is: (value): value is T => known.has(value) }
}

export function nullable<T>(field: Field<T>): Field<T | null> {
  return { rule: `${field.rule}, or null`, is: (value): value is T | null => value === null || field.is(value) }
}

export function listOf<T>(field: Field<T>): Field<readonly T[]> {
  return {
    rule: `a list, each item ${field.rule}`,
    is: (value): value is readonly T[] => Array.isArray(value) && value.every((item) => field.is(item)),
  }
}

/** An object within a record: stored with its field names. */
export function shape<T extends object>(layout: Layout<T>): Field<T> {
  const fields = Object.entries<Field<unknown>>(layout)
  return {
    rule: `an object of ${fields.map(([name]) => name).join(', ')}`,
    is: (value): value is T =>
      typeof value === 'object' &&
      value !== null &&
      fields.every(([name, field]) => field.is((value as Record<string, unknown>)[name])),
  }
}
