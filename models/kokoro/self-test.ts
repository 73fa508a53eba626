import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import { KokoroEngine } from '../../workers/kokoro.ts'
import { openSession, tensor } from '../../workers/session.ts'
import { spectralDistanceDb } from './spectral-distance.ts'
import { modelInput, symbolIds } from './symbols.ts'

/** "We will be there before the evening." */
const PHONEMES = 'wiː wɪl biː ðˈɛɹ bᵻfˌɔːɹ ðɪ ˈiːvnɪŋ.'

/** A sentence as the shipped graph speaks it, and the style it was spoken with. */
export interface SpokenReference {
  readonly style: Float32Array
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
  const session = await openSession(shipped)
  const { audio } = await session.run({
    tokens: tensor('int64', tokens, [1, tokens.length]),
    style: tensor('float32', style, [1, STYLE_WIDTH]),
    speed: tensor('float32', Float32Array.of(1), [1]),
  })
  assert.ok(audio?.data instanceof Float32Array)
  const reference = { style, audio: audio.data.slice() }
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
  const styles = new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH)
  STYLE_CLASSES.forEach((_, index) => {
    styles.set(style, index * STYLE_WIDTH)
  })
  const plan = await engine.plan({ kind: 'plan', text: PHONEMES, pronunciation: 'en-us', styles, speed: 1 })
  assert.equal(plan.status, 'planned')
  const { features } = plan
  const whole = await engine.whole({ kind: 'whole', features, style })
  const { conditioning } = await engine.calibrate({ kind: 'calibrate', style })
  const window = await engine.window({ kind: 'window', features, before: 0, frames: features.frames, conditioning })
  await engine.close()
  return {
    whole: spectralDistanceDb(reference.audio, whole.samples),
    window: spectralDistanceDb(reference.audio, window.samples),
  }
}
