import assert from 'node:assert/strict'
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

  /** The contents of the file, for all constants placed so far. */
  bytes(): Uint8Array {
    const contents = new Uint8Array(this.#size)
    for (const { tensor, offset } of this.#places.values()) contents.set(bytesOf(tensor), offset)
    return contents
  }
}
