import assert from 'node:assert/strict'
import type { Tensor } from '../onnx/tensor.ts'
import { type Pickled, PickledClass, PickleReader } from './pickle.ts'

/** Python's `0x1950a86a20f9469cfc6c`, with which such a file begins, as a double. */
const SIGNATURE = Number(0x1950a86a20f9469cfc6cn)
const PROTOCOL = 1_001
const COUNT_BYTES = 8
/** The only storages that weights of a model for float32 lie in. */
const FLOATS = 'torch.FloatStorage'

/**
 * The tensors below `key` of a PyTorch checkpoint in the format before its version 1.6, by name, row-major:
 *
 *   pickles: signature, protocol, about the system, the checkpoint itself, keys of the storages in their order
 *   each storage: u64 count, then so many float32, little-endian
 *
 * The checkpoint refers to storages by key, and says of a tensor where in its storage it lies. Throws where the file is none of
 * these, or holds anything but float32 tensors that lie in one piece.
 */
export function readCheckpoint(bytes: Uint8Array, key: string): ReadonlyMap<string, Tensor> {
  const reader = new PickleReader(bytes, {
    classes: {
      'collections.OrderedDict': () => new Map(),
      'torch._utils._rebuild_tensor_v2': ([storage, offset, size, stride]) => {
        assert.ok(storage instanceof StorageKey, 'a tensor has no storage')
        return new StoredTensor(storage.key, wholeNumber(offset), wholeNumbers(size), wholeNumbers(stride))
      },
      [FLOATS]: () => assert.fail('storages are named, never made'),
    },
    persistent: (id) => {
      assert.ok(Array.isArray(id), 'the checkpoint refers to what is no storage')
      const [kind, type, storage] = id
      assert.ok(kind === 'storage' && type instanceof PickledClass && type.name === FLOATS)
      assert.ok(typeof storage === 'string')
      return new StorageKey(storage)
    },
  })
  assert.equal(reader.read(), SIGNATURE, 'the file is no PyTorch checkpoint of the older format')
  assert.equal(reader.read(), PROTOCOL)
  reader.read()
  const checkpoint = reader.read()
  const storages = readStorages(bytes, reader, reader.read())

  assert.ok(checkpoint instanceof Map, 'the checkpoint is no dictionary')
  const state: Pickled | undefined = checkpoint.get(key)
  assert.ok(state instanceof Map, `the checkpoint has no ${key}`)
  return new Map(
    [...state].map(([name, stored]) => {
      assert.ok(typeof name === 'string' && stored instanceof StoredTensor)
      return [name, stored.read(storages)]
    }),
  )
}

class StorageKey {
  readonly key: string

  constructor(key: string) {
    this.key = key
  }
}

/** Where a tensor's values lie; in elements. */
class StoredTensor {
  readonly #storage: string
  readonly #offset: number
  readonly #dims: readonly number[]

  constructor(storage: string, offset: number, dims: readonly number[], strides: readonly number[]) {
    let expected = 1
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      assert.equal(strides[axis], expected, 'a tensor does not lie in one piece')
      expected *= dims[axis]!
    }
    this.#storage = storage
    this.#offset = offset
    this.#dims = dims
  }

  read(storages: ReadonlyMap<string, Float32Array>): Tensor {
    const storage = storages.get(this.#storage)
    assert.ok(storage, 'a tensor lies in a storage that the file lacks')
    const count = this.#dims.reduce((product, dim) => product * dim, 1)
    const values = storage.slice(this.#offset, this.#offset + count)
    assert.equal(values.length, count, 'a tensor reaches over the end of its storage')
    return { dims: this.#dims, values }
  }
}

/** The storages behind the last pickle, which named them in their order. */
function readStorages(bytes: Uint8Array, { offset }: PickleReader, keys: Pickled): ReadonlyMap<string, Float32Array> {
  assert.ok(Array.isArray(keys))
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  let at = offset
  return new Map(
    keys.map((key) => {
      assert.ok(typeof key === 'string' && at + COUNT_BYTES <= bytes.length, 'the file is cut off')
      const count = Number(view.getBigUint64(at, true))
      const from = at + COUNT_BYTES
      at = from + count * Float32Array.BYTES_PER_ELEMENT
      assert.ok(at <= bytes.length, 'the file is cut off')
      // A copy, because the storages begin wherever the pickles end.
      return [key, new Float32Array(new Uint8Array(bytes.subarray(from, at)).buffer)]
    }),
  )
}

function wholeNumber(value: Pickled | undefined): number {
  assert.ok(typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
  return value
}

function wholeNumbers(values: Pickled | undefined): readonly number[] {
  assert.ok(Array.isArray(values))
  return values.map(wholeNumber)
}
