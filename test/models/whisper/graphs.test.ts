import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AlignmentHeads, decoderGraph } from '../../../models/whisper/decoder-graph.ts'
import { encoderGraph } from '../../../models/whisper/encoder-graph.ts'
import { formOf, type WhisperForm } from '../../../models/whisper/forms.ts'
import { ModelFile } from '../../../models/whisper/model-file.ts'
import { openSession, type Tensor, tensor } from '../../../workers/session.ts'
import { largestDifference, noise } from '../onnx/run-graph.ts'
import { modelBytes, TINY, tinyWhisper, VOCABULARY } from './tiny-model.ts'

const folder = mkdtempSync(join(tmpdir(), 'syrinx-graphs-'))
const HEADS: AlignmentHeads = [
  [0, 1],
  [1, 0],
  [1, 1],
]
const DEPTH = TINY.width / TINY.heads
const TOKENS = [5, 1, 20, 7]
let file: ModelFile

beforeAll(() => {
  const path = join(folder, 'model.bin')
  writeFileSync(path, modelBytes(tinyWhisper()))
  file = new ModelFile(path)
})

afterAll(() => {
  file.close()
  rmSync(folder, { recursive: true })
})

type Values = Record<string, Tensor>

async function encode(positions: number, form: WhisperForm = 'float', mel = noise(TINY.melBands * 2 * positions)) {
  const session = await openSession(encoderGraph(file, formOf(form)).serialize())
  const heard = await session.run({ mel: tensor('float32', mel, [1, TINY.melBands, 2 * positions]) })
  await session.release()
  return heard as Values
}

/** Gives the decoder the tokens in as many steps; returns what it says after the last, and all its attention. */
async function decode(heard: Values, steps: readonly (readonly number[])[], form: WhisperForm = 'float') {
  const session = await openSession(decoderGraph(file, formOf(form), HEADS).serialize())
  const nothing = tensor('float32', new Float32Array(0), [TINY.heads, 0, DEPTH])
  let past = Object.fromEntries(session.inputNames.filter((name) => name.startsWith('past.')).map((n) => [n, nothing]))
  let scores = new Float32Array()
  const alignments: Tensor[] = []
  for (const tokens of steps) {
    const given = tensor('int64', BigInt64Array.from(tokens, BigInt), [tokens.length])
    const { scores: next, alignment, ...present } = (await session.run({ ...heard, ...past, tokens: given })) as Values
    scores = next?.data as Float32Array<ArrayBuffer>
    alignments.push(alignment!)
    past = Object.fromEntries(Object.entries(present).map(([name, value]) => [name.replace('present', 'past'), value]))
  }
  await session.release()
  return { scores, alignments, past }
}

function floatsOf(tensor: Tensor | undefined): Float32Array {
  return tensor?.data as Float32Array
}

describe('the encoder', () => {
  it('gives keys and values for every layer of the decoder, as many positions as half the frames', async () => {
    const heard = await encode(12)
    expect(Object.keys(heard).sort()).toEqual(['key.0', 'key.1', 'value.0', 'value.1'])
    for (const { dims } of Object.values(heard)) expect(dims).toEqual([TINY.heads, 12, DEPTH])
  })

  it('takes audio up to the length of its table of positions, and no more', async () => {
    expect((await encode(TINY.framesMax))['key.0']?.dims[1]).toBe(TINY.framesMax)
    await expect(encode(TINY.framesMax + 1)).rejects.toThrow()
  })

  it.each([['mixed'], ['blocks']] as const)('in the %s form computes nearly the same', async (form) => {
    const [exact, rounded] = [await encode(20), await encode(20, form)]
    for (const name of Object.keys(exact)) {
      expect(relativeDifference(floatsOf(exact[name]), floatsOf(rounded[name]))).toBeLessThan(0.05)
    }
  })
})

describe('the decoder', () => {
  it('says the same whether tokens come together or one by one', async () => {
    const heard = await encode(20)
    const together = await decode(heard, [TOKENS])
    const oneByOne = await decode(
      heard,
      TOKENS.map((token) => [token]),
    )
    expect(together.scores).toHaveLength(VOCABULARY.length)
    expect(largestDifference(together.scores, oneByOne.scores)).toBeLessThan(1e-4)
    const remembered = oneByOne.past['past.key.0']
    expect(remembered?.dims).toEqual([TINY.heads, TOKENS.length, DEPTH])
    expect(largestDifference(floatsOf(remembered), floatsOf(together.past['past.key.0']))).toBeLessThan(1e-4)
  })

  it('never looks at tokens to come', async () => {
    const heard = await encode(20)
    const short = await decode(heard, [TOKENS.slice(0, 2)])
    const long = await decode(heard, [TOKENS])
    const row = (values: Float32Array, rows: number) => values.subarray(0, rows * 20)
    const [before] = short.alignments
    const [after] = long.alignments
    expect(largestDifference(row(floatsOf(before), 2), row(floatsOf(after), 2))).toBeLessThan(1e-5)
  })

  it('tells where each token looked: weights that sum to one, for each head that was named', async () => {
    const { alignments } = await decode(await encode(20), [TOKENS])
    const [alignment] = alignments
    expect(alignment?.dims).toEqual([HEADS.length, TOKENS.length, 20])
    const values = floatsOf(alignment)
    for (let row = 0; row < HEADS.length * TOKENS.length; row++) {
      const sum = values.subarray(20 * row, 20 * row + 20).reduce((total, value) => total + value, 0)
      expect(sum).toBeCloseTo(1, 4)
    }
  })

  it.each([['mixed'], ['blocks']] as const)('in the %s form says nearly the same', async (form) => {
    const heard = await encode(20)
    const [exact, rounded] = [await decode(heard, [TOKENS]), await decode(heard, [TOKENS], form)]
    expect(relativeDifference(exact.scores, rounded.scores)).toBeLessThan(0.05)
  })

  it('hears what the encoder heard', async () => {
    const [one, other] = [await encode(20), await encode(20, 'float', noise(TINY.melBands * 40, 9))]
    const difference = relativeDifference((await decode(one, [TOKENS])).scores, (await decode(other, [TOKENS])).scores)
    expect(difference).toBeGreaterThan(0.01)
  })
})

function relativeDifference(expected: Float32Array, found: Float32Array): number {
  const gap = expected.reduce((sum, value, at) => sum + (value - found[at]!) ** 2, 0)
  return Math.sqrt(gap / expected.reduce((sum, value) => sum + value ** 2, 0))
}
