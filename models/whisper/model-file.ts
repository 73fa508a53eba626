import assert from 'node:assert/strict'
import { closeSync, openSync, readSync } from 'node:fs'

/** The layout of the file has been the same since 4; Whisper came with 5. */
const VERSIONS = [4, 5, 6]
const HEADER_BYTES = 4_096

/** Element types in the order of their numbers, with the bytes of one element. */
const ELEMENT_TYPES = ['float32', 'int8', 'int16', 'int32', 'float16', 'bfloat16'] as const
type ElementType = (typeof ELEMENT_TYPES)[number]
const ELEMENT_BYTES: Readonly<Record<ElementType, number>> = {
  float32: 4,
  int8: 1,
  int16: 2,
  int32: 4,
  float16: 2,
  bfloat16: 2,
}

interface Variable {
  readonly dims: readonly number[]
  readonly type: ElementType
  /** In bytes from the start of the file. */
  readonly offset: number
  readonly bytes: number
}

/** Row-major values. */
export interface FloatTensor {
  readonly dims: readonly number[]
  readonly values: Float32Array
}

/**
 * The `model.bin` of a model in CTranslate2's format, read variable by variable, since a large one does not fit into one buffer:
 *
 *   u32 version, string specification, u32 revision
 *   u32 count, then each: string name, u8 rank, u32 dims…, u8 type, u32 bytes, data
 *   u32 count, then each: string alias, string name
 *
 * All little-endian; a string is a u16 length, which counts the zero at its end, and its bytes. Rows of linear layers are outputs.
 */
export class ModelFile {
  readonly specification: string
  readonly #descriptor: number
  readonly #variables = new Map<string, Variable>()
  readonly #aliases = new Map<string, string>()

  /** Throws where the file is not of this format, is cut off, or has a newer layout. */
  constructor(path: string) {
    this.#descriptor = openSync(path, 'r')
    try {
      const reader = new HeaderReader(this.#descriptor)
      const version = reader.u32()
      assert.ok(VERSIONS.includes(version), `${path} has version ${version} of the format; known are ${VERSIONS}`)
      this.specification = reader.string()
      reader.u32()
      for (let left = reader.u32(); left > 0; left--) {
        const name = reader.string()
        this.#variables.set(name, reader.variable(name))
      }
      for (let left = reader.u32(); left > 0; left--) this.#aliases.set(reader.string(), reader.string())
    } catch (error) {
      this.close()
      throw error
    }
  }

  get names(): readonly string[] {
    return [...this.#variables.keys()]
  }

  has(name: string): boolean {
    return this.#variables.has(this.#aliases.get(name) ?? name)
  }

  dims(name: string): readonly number[] {
    return this.#variable(name).dims
  }

  /** A variable in float32. Rounded weights are multiplied back by the scale beside them, one for all or one a row. */
  floats(name: string): FloatTensor {
    const { dims, type, offset, bytes } = this.#variable(name)
    const values = toFloats(readExactly(this.#descriptor, offset, bytes), type)
    if (type === 'int8' || type === 'int16') divideByScale(values, this.floats(`${name}_scale`).values)
    return { dims, values }
  }

  /** A single integer. */
  number(name: string): number {
    const { type, offset, bytes } = this.#variable(name)
    const value = toFloats(readExactly(this.#descriptor, offset, bytes), type)
    assert.equal(value.length, 1, `${name} is not one number`)
    return value[0] ?? 0
  }

  close(): void {
    closeSync(this.#descriptor)
  }

  #variable(name: string): Variable {
    const found = this.#variables.get(this.#aliases.get(name) ?? name)
    assert.ok(found, `the model has no variable ${name}`)
    return found
  }
}

/** Reads forward through the file, passing over the data. */
class HeaderReader {
  readonly #descriptor: number
  #block = new DataView(new ArrayBuffer(0))
  #blockAt = 0
  #at = 0

  constructor(descriptor: number) {
    this.#descriptor = descriptor
  }

  u32(): number {
    return this.#take(4).getUint32(0, true)
  }

  string(): string {
    const length = this.#take(2).getUint16(0, true)
    const text = this.#take(length)
    return new TextDecoder().decode(new Uint8Array(text.buffer, text.byteOffset, Math.max(0, length - 1)))
  }

  variable(name: string): Variable {
    const rank = this.#take(1).getUint8(0)
    const dims = Array.from({ length: rank }, () => this.u32())
    const type = ELEMENT_TYPES[this.#take(1).getUint8(0)]
    assert.ok(type, `${name} has an unknown element type`)
    const bytes = this.u32()
    const elements = dims.reduce((product, dim) => product * dim, 1)
    assert.equal(bytes, elements * ELEMENT_BYTES[type], `${name} has ${bytes} bytes for ${dims.join('x')} ${type}`)
    const offset = this.#at
    this.#at += bytes
    return { dims, type, offset, bytes }
  }

  #take(bytes: number): DataView {
    if (this.#at < this.#blockAt || this.#at + bytes > this.#blockAt + this.#block.byteLength) {
      const block = new Uint8Array(Math.max(HEADER_BYTES, bytes))
      const read = readSync(this.#descriptor, block, 0, block.length, this.#at)
      assert.ok(read >= bytes, 'the model file ends too early')
      this.#block = new DataView(block.buffer, 0, read)
      this.#blockAt = this.#at
    }
    const taken = new DataView(this.#block.buffer, this.#at - this.#blockAt, bytes)
    this.#at += bytes
    return taken
  }
}

function readExactly(descriptor: number, offset: number, bytes: number): ArrayBuffer {
  const data = new Uint8Array(bytes)
  for (let done = 0; done < bytes; ) {
    const read = readSync(descriptor, data, done, bytes - done, offset + done)
    assert.ok(read > 0, 'the model file ends too early')
    done += read
  }
  return data.buffer
}

function toFloats(data: ArrayBuffer, type: ElementType): Float32Array {
  switch (type) {
    case 'float32':
      return new Float32Array(data)
    case 'int8':
      return new Float32Array(new Int8Array(data))
    case 'int16':
      return new Float32Array(new Int16Array(data))
    case 'int32':
      return new Float32Array(new Int32Array(data))
    case 'float16':
      return fromHalves(new Uint16Array(data))
    case 'bfloat16':
      // The upper half of a float32.
      return new Float32Array(Uint32Array.from(new Uint16Array(data), (bits) => bits << 16).buffer)
  }
}

function fromHalves(halves: Uint16Array): Float32Array {
  HALVES ??= Float32Array.from({ length: 2 ** 16 }, (_, bits) => halfToFloat(bits))
  const values = new Float32Array(halves.length)
  for (let at = 0; at < halves.length; at++) values[at] = HALVES[halves[at] ?? 0] ?? 0
  return values
}

/** The value of every pattern of bits: models have tens of millions of weights. */
let HALVES: Float32Array | undefined

/** IEEE 754 half precision: one sign bit, five of exponent, ten of fraction. */
function halfToFloat(bits: number): number {
  const sign = bits >>> 15 ? -1 : 1
  const exponent = (bits >>> 10) & 0x1f
  const fraction = (bits & 0x3ff) / 1_024
  if (exponent === 0) return sign * fraction * 2 ** -14
  if (exponent === 0x1f) return fraction === 0 ? sign * Number.POSITIVE_INFINITY : Number.NaN
  return sign * (1 + fraction) * 2 ** (exponent - 15)
}

/** A stored value is the weight times its scale. */
function divideByScale(values: Float32Array, scale: Float32Array): void {
  const width = values.length / scale.length
  for (let at = 0; at < values.length; at++) values[at] = (values[at] ?? 0) / (scale[Math.floor(at / width)] ?? 1)
}
