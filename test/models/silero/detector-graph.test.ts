import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { afterAll, describe, expect, it } from 'vitest'
import { Graph } from '../../../models/onnx/graph.ts'
import { detectorGraph } from '../../../models/silero/detector-graph.ts'
import { openSession, type Tensor, tensor } from '../../../workers/session.ts'
import { clip } from '../../workers/clips.ts'
import { SILERO_MODEL } from '../../workers/packs.ts'

const INPUT = 576
const WINDOW = 512
const STATE = 128

const published = await openSession(SILERO_MODEL)
const detector = await openSession(detectorGraph(Graph.parse(readFileSync(SILERO_MODEL))).serialize())
afterAll(() => Promise.all([published.release(), detector.release()]))

/** Windows of a clip with what came before each, from sample `start`. */
function inputs(samples: Float32Array, start: number, windows: number): Float32Array[] {
  return Array.from({ length: windows }, (_, window) => samples.slice(start + window * WINDOW).slice(0, INPUT))
}

function values(output: Tensor | undefined): Float32Array {
  assert.ok(output?.data instanceof Float32Array)
  return output.data
}

/** The published graph takes one window of every stream at a time. */
async function publishedSpeech(streams: readonly (readonly Float32Array[])[]) {
  let state: Float32Array = new Float32Array(2 * streams.length * STATE)
  const speech: number[] = []
  for (let window = 0; window < (streams[0]?.length ?? 0); window++) {
    const samples = Float32Array.from(streams.flatMap((stream) => [...(stream[window] ?? [])]))
    const { output, stateN } = await published.run({
      input: tensor('float32', samples, [streams.length, INPUT]),
      state: tensor('float32', state, [2, streams.length, STATE]),
      sr: tensor('int64', BigInt64Array.of(16_000n), []),
    })
    speech.push(...values(output))
    state = values(stateN)
  }
  return { speech, state }
}

describe('the graph of the detector', () => {
  it('says of all windows of several streams what the published one says of them one after the other', async () => {
    const [windows, starts] = [120, [0, 20_000, 50_000]]
    const samples = clip('ljspeech/LJ001-0004.wav')
    const streams = starts.map((start) => inputs(samples, start % (samples.length - 62_000), windows))
    const expected = await publishedSpeech(streams)
    const rows = Float32Array.from({ length: windows * streams.length * INPUT }, (_, at) => {
      const row = Math.floor(at / INPUT)
      return streams[row % streams.length]?.[Math.floor(row / streams.length)]?.[at % INPUT] ?? 0
    })
    const { speech, next } = await detector.run({
      samples: tensor('float32', rows, [windows, streams.length, INPUT]),
      state: tensor('float32', new Float32Array(2 * streams.length * STATE), [2, streams.length, STATE]),
    })
    const difference = (found: Float32Array, wanted: ArrayLike<number>) =>
      found.reduce((most, value, at) => Math.max(most, Math.abs(value - (wanted[at] ?? Number.POSITIVE_INFINITY))), 0)
    expect(expected.speech.some((value) => value > 0.9) && expected.speech.some((value) => value < 0.3)).toBe(true)
    expect(difference(values(speech), expected.speech)).toBeLessThan(1e-3)
    expect(difference(values(next), expected.state)).toBeLessThan(1e-2)
  })
})
