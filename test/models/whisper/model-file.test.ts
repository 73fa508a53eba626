import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { ModelFile } from '../../../models/whisper/model-file.ts'
import { readShape } from '../../../models/whisper/shape.ts'
import { modelBytes, type StoredVariable, TINY, tinyWhisper, VOCABULARY } from './tiny-model.ts'

const folder = mkdtempSync(join(tmpdir(), 'syrinx-model-'))
afterAll(() => rmSync(folder, { recursive: true }))

let files = 0
function open(...args: Parameters<typeof modelBytes>): ModelFile {
  return openBytes(modelBytes(...args))
}

function openBytes(bytes: Uint8Array): ModelFile {
  const path = join(folder, `${files++}.bin`)
  writeFileSync(path, bytes)
  return new ModelFile(path)
}

describe('a model file', () => {
  it('gives variables by name and by alias, wherever they lie', () => {
    const long: StoredVariable = { dims: [3_000], values: new Float32Array(3_000).fill(0.5) }
    const small: StoredVariable = { dims: [2, 2], values: Float32Array.of(1, 2, 3, 4) }
    const file = open({ long, small, 'x/heads': { dims: [], values: Int16Array.of(8) } }, { other: 'small' })
    expect(file.names).toEqual(['long', 'small', 'x/heads'])
    expect(file.floats('other')).toEqual(small)
    expect(file.floats('long').values.every((value) => value === 0.5)).toBe(true)
    expect([file.number('x/heads'), file.has('other'), file.has('none')]).toEqual([8, true, false])
    expect(() => file.floats('none')).toThrow('no variable none')
    file.close()
  })

  it('reads halves of both kinds', () => {
    const half = Uint16Array.of(0x3c00, 0xc000, 0x0001, 0x7bff, 0x3555, 0x7c00, 0x8000)
    const brain = Uint16Array.of(0x3f80, 0xc000, 0x4049)
    const file = open({
      half: { dims: [7], values: half, half: 'float16' },
      brain: { dims: [3], values: brain, half: 'bfloat16' },
    })
    const { values } = file.floats('half')
    expect([...values]).toEqual([1, -2, 2 ** -24, 65_504, 0.333251953125, Number.POSITIVE_INFINITY, -0])
    expect([...file.floats('brain').values]).toEqual([1, -2, 3.140625])
    file.close()
  })

  it('multiplies rounded weights back, by a scale a row or one for all', () => {
    const file = open({
      bytes: { dims: [2, 2], values: Int8Array.of(127, -127, 50, 100) },
      bytes_scale: { dims: [2], values: Float32Array.of(127, 50) },
      shorts: { dims: [2, 2], values: Int16Array.of(1_024, -512, 0, 256) },
      shorts_scale: { dims: [], values: Float32Array.of(512) },
    })
    expect([...file.floats('bytes').values]).toEqual([1, -1, 1, 2])
    expect([...file.floats('shorts').values]).toEqual([2, -1, 0, 0.5])
    file.close()
  })

  it('is refused in a version that has another layout, or cut off', () => {
    expect(() => open({}, {}, { version: 3 })).toThrow('version 3')
    const whole = modelBytes(tinyWhisper())
    expect(() => openBytes(whole.subarray(0, 60))).toThrow('ends too early')
    const cut = openBytes(whole.slice())
    expect(() => cut.floats('decoder/embeddings/weight')).not.toThrow()
    cut.close()
  })

  it('tells the sizes of a Whisper model, and of no other', () => {
    const file = open(tinyWhisper())
    expect(readShape(file)).toEqual({
      width: TINY.width,
      encoderHeads: TINY.heads,
      encoderLayers: TINY.layers,
      decoderHeads: TINY.heads,
      decoderLayers: TINY.layers,
      melBands: TINY.melBands,
      vocabulary: VOCABULARY.length,
      framesMax: TINY.framesMax,
      tokensMax: TINY.tokensMax,
    })
    expect(readShape(file, 1)).toMatchObject({ encoderLayers: 1, decoderLayers: 1 })
    file.close()
    const other = open({}, {}, { specification: 'TransformerSpec' })
    expect(() => readShape(other)).toThrow('not a Whisper model')
    other.close()
  })
})
