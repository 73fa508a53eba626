import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import { KokoroEngine } from '../../workers/kokoro.ts'
import { openSession, tensor } from '../../workers/session.ts'
import { Graph } from '../onnx/graph.ts'
import { INT64 } from '../onnx/tensor.ts'
import { spectralDistanceDb } from './spectral-distance.ts'
import { modelInput, symbolIds } from './symbols.ts'

/** "We will be there before the evening." */
const PHONEMES = 'wiː wɪl biː ðˈɛɹ bᵻfˌɔːɹ ðɪ ˈiːvnɪŋ.'

/** Tensor of the shipped graph: int64 [tokens]. */
const DURATIONS = '/encoder/Gather_output_0'

/** A sentence as the shipped graph speaks it, and the style it was spoken with. */
export interface SpokenReference {
  readonly style: Float32Array
  /** Frames a token. Rounding at other places makes some a frame longer or shorter, which a comparison of sound must not see. */
  readonly durations: Int32Array
  readonly audio: Float32Array
}

/** Speaks with the shipped graph. `voiceTable`: path of a voice's style table. */
export async function speakReference(shipped: Uint8Array, voiceTable: string): Promise<SpokenReference> {
  const ids = symbolIds(PHONEMES)
  const tokens = modelInput(ids)
  const table = await readFile(voiceTable)
  const rowBytes = STYLE_WIDTH * Float32Array.BYTES_PER_ELEMENT
  const row = new Uint8Array(table.subarray(ids.length * rowBytes, (ids.length + 1) * rowBytes))
  const style = new Float32Array(row.buffer)
  const graph = Graph.parse(shipped)
  graph.name(DURATIONS, 'durations')
  graph.outputs.push({ name: 'durations', type: INT64, dims: ['tokens'] })
  const session = await openSession(graph.serialize())
  const { audio, durations } = await session.run({
    tokens: tensor('int64', tokens, [1, tokens.length]),
    style: tensor('float32', style, [1, STYLE_WIDTH]),
    speed: tensor('float32', Float32Array.of(1), [1]),
  })
  assert.ok(audio?.data instanceof Float32Array && durations?.data instanceof BigInt64Array)
  const reference = { style, durations: Int32Array.from(durations.data, Number), audio: audio.data.slice() }
  await session.release()
  return reference
}

/** Log-spectral distance to the reference, in dB, of both ways to render. */
export interface ReferenceDistance {
  readonly whole: number
  readonly window: number
}

/** Speaks the reference's sentence with an installation, whole and as a window, and compares. */
export async function distanceToReference(
  installedDir: string,
  reference: SpokenReference,
): Promise<ReferenceDistance> {
  const engine = await KokoroEngine.load(installedDir, { phonemes: () => PHONEMES })
  const { style } = reference
  const features = await engine.features(symbolIds(PHONEMES), { vector: style }, () => reference.durations)
  const whole = await engine.whole(features, style)
  // Its own statistics: what is tested is the arithmetic of windows.
  const { conditioning } = whole
  const window = await engine.window({ kind: 'window', features, before: 0, frames: features.frames, conditioning })
  await engine.close()
  return {
    whole: spectralDistanceDb(reference.audio, whole.audio),
    window: spectralDistanceDb(reference.audio, window.samples),
  }
}
