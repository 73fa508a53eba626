import { describe, expect, it } from 'vitest'
import { readCheckpoint } from '../../../models/torch/checkpoint.ts'

/** What PyTorch writes, byte by byte: a dictionary with the weights of one layer below `state`. */
function checkpoint(
  change: { rows?: number; stride?: number; storageType?: string; values?: number } = {},
): Uint8Array {
  const { rows = 2, stride = 3, storageType = 'FloatStorage', values = 7 } = change
  const text = (value: string) => [0x58, ...u32(value.length), ...Buffer.from(value)]
  const global = (module: string, name: string) => [0x63, ...Buffer.from(`${module}\n${name}\n`)]
  const storage = [0x28, ...text('storage'), ...global('torch', storageType), ...text('42'), ...text('cpu')]
  const tensor = [
    ...global('torch._utils', '_rebuild_tensor_v2'),
    ...[0x28, ...storage, 0x4b, values, 0x4e, 0x74, 0x51],
    // From the second value on, [rows, 3].
    ...[0x4b, 1, 0x4b, rows, 0x4b, 3, 0x86, 0x4b, stride, 0x4b, 1, 0x86, 0x89, 0x7d, 0x74, 0x52],
  ]
  const state = [...global('collections', 'OrderedDict'), 0x29, 0x52, ...text('layer.weight'), ...tensor, 0x73]
  const pickles = [
    // The signature.
    [0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20, 0x6a, 0xa8, 0x50, 0x19],
    [0x4d, 0xe9, 0x03],
    [0x7d],
    [0x7d, ...text('state'), ...state, 0x73],
    [0x5d, ...text('42'), 0x61],
  ]
  const floats = Float32Array.from({ length: values }, (_, index) => index / 4)
  return Uint8Array.from([
    ...pickles.flatMap((pickle) => [0x80, 2, ...pickle, 0x2e]),
    ...[values, 0, 0, 0, 0, 0, 0, 0],
    ...new Uint8Array(floats.buffer),
  ])
}

function u32(value: number): number[] {
  return [value & 0xff, (value >> 8) & 0xff, (value >> 16) & 0xff, value >>> 24]
}

describe('a checkpoint of PyTorch', () => {
  it('gives its tensors by name, from where they lie in their storage', () => {
    const tensors = readCheckpoint(checkpoint(), 'state')
    expect(tensors).toEqual(
      new Map([['layer.weight', { dims: [2, 3], values: Float32Array.of(0.25, 0.5, 0.75, 1, 1.25, 1.5) }]]),
    )
  })

  it('is refused where it lacks what is asked for', () => {
    expect(() => readCheckpoint(checkpoint(), 'optimizer')).toThrow('has no optimizer')
  })

  it('is refused where a tensor reaches over its storage, lies in pieces, or is no float32', () => {
    expect(() => readCheckpoint(checkpoint({ rows: 9 }), 'state')).toThrow('over the end')
    expect(() => readCheckpoint(checkpoint({ stride: 4 }), 'state')).toThrow('one piece')
    expect(() => readCheckpoint(checkpoint({ storageType: 'HalfStorage' }), 'state')).toThrow('HalfStorage')
  })

  it('is refused where it is cut off, wherever that is, or is something else', () => {
    const bytes = checkpoint()
    for (let length = 0; length < bytes.length; length += 7) {
      expect(() => readCheckpoint(bytes.subarray(0, length), 'state')).toThrow()
    }
    expect(() => readCheckpoint(Uint8Array.of(0x80, 2, 0x4b, 1, 0x2e), 'state')).toThrow('no PyTorch checkpoint')
  })
})
