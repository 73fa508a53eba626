import assert from 'node:assert/strict'
import { open } from 'node:fs/promises'
import onnxProto, { type onnx } from 'onnx-proto'
import { bytesOf, dataTypeOf, type Tensor } from './tensor.ts'

const EXTERNAL = onnxProto.onnx.TensorProto.DataLocation.EXTERNAL
/** Smaller constants stay in the graph, where the runtime can fold them. */
const BYTES_MIN = 4_096
/** Of a memory page, so that the runtime can map each constant where it lies. */
const ALIGNMENT = 4_096

/**
 * Constants of several graphs in one file: on disk once, and in memory once for all sessions and threads that use them as they lie
 * there.
 */
export class WeightsFile {
  readonly #fileName: string
  readonly #places = new Map<string, { readonly tensor: Tensor; readonly offset: number }>()
  #size = 0

  /** `fileName`: in the folder of the graphs. */
  constructor(fileName: string) {
    this.#fileName = fileName
  }

  /** Where to find a constant, for the graph that uses it; undefined where it is too small. Equal names are equal constants. */
  place(name: string, tensor: Tensor): onnx.ITensorProto | undefined {
    const bytes = bytesOf(tensor)
    if (bytes.length < BYTES_MIN) return undefined
    const known = this.#places.get(name)
    if (known !== undefined)
      assert.ok(Buffer.compare(bytesOf(known.tensor), bytes) === 0, `two constants named ${name}`)
    const offset = known?.offset ?? this.#size
    if (known === undefined) {
      this.#places.set(name, { tensor, offset })
      this.#size = Math.ceil((offset + bytes.length) / ALIGNMENT) * ALIGNMENT
    }
    const externalData = Object.entries({ location: this.#fileName, offset, length: bytes.length }).map(
      ([key, value]) => ({ key, value: String(value) }),
    )
    return { name, dims: [...tensor.dims], dataType: dataTypeOf(tensor.values), dataLocation: EXTERNAL, externalData }
  }

  /** Writes the file, constant by constant: a large one is not held in memory twice. */
  async writeTo(path: string): Promise<void> {
    const file = await open(path, 'w')
    try {
      for (const { tensor, offset } of this.#places.values()) {
        const bytes = bytesOf(tensor)
        const { bytesWritten } = await file.write(bytes, 0, bytes.length, offset)
        assert.equal(bytesWritten, bytes.length, `${path} could not be written`)
      }
      await file.truncate(this.#size)
    } finally {
      await file.close()
    }
  }

  /** The contents of the file, for all constants placed so far. */
  bytes(): Uint8Array {
    const contents = new Uint8Array(this.#size)
    for (const { tensor, offset } of this.#places.values()) contents.set(bytesOf(tensor), offset)
    return contents
  }
}
