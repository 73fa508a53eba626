import { appendFile, readFile, rm, writeFile } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join, resolve } from 'node:path'
import { eigenvectors } from '../models/voices/principal-axes.ts'
import { coordinatesOf, type VoiceAxes, voiceAxes } from '../models/voices/voice-axes.ts'
import {
  coordinatesAt,
  EMBEDDING_AXES,
  EMBEDDING_WIDTH,
  encodeVoiceSpace,
  heardOf,
  type VoiceSpace,
} from '../models/voices/voice-space.ts'
import { modelFolders } from '../src/cli/serve.ts'
import { loadConfig } from '../src/config.ts'
import { workerFile } from '../src/inference/worker-file.ts'
import { PiscinaWorkerPool } from '../src/inference/worker-pool.ts'
import { STYLE_CLASSES, STYLE_WIDTH, TRIAL_STYLE_CLASS } from '../src/speech/style-classes.ts'
import type { VoicePrint } from '../src/speech/task-protocol.ts'
import { PRESET_VOICES } from '../src/speech/voices.ts'
import { seededRandom } from './seeded-random.ts'
import { CALIBRATION_SPEAKERS, recordingOf } from './speakers.ts'

/**
 * `node dist/bench/train-voice-space.js`: speaks a sentence with some hundred mixtures of the model's own voices, measures each,
 * and writes `models/voices/voice-space.json`, to which `sharpen-voice-space.ts` adds more. Ten minutes on two cores. A run that
 * was stopped goes on where it was: delete `models/voices/.trials.jsonl` after a change of what is tried or how it is measured.
 */
const TRIED = Number(process.env.VOICE_SPACE_TRIALS ?? 320)
const TIMBRE_AXES = 24
const PROSODY_AXES = 10
/** Styles are longest along a few axes; a step along the others is heard about as well as the root of its share tells. */
const SHRINKAGE = 0.5
/** Half of a style vector each: timbre, then prosody. */
const HALF = STYLE_WIDTH / 2
const LOW_VOICE_HZ = 150
/** How far mixtures go beyond the voices that they are mixed of. */
const EXTRAPOLATION = [0.8, 1.45] as const
const PITCH_SPREAD = 0.13
const LN_PITCH_MAX = 0.3

const TRIALS_FILE = resolve('models/voices/.trials.jsonl')

const names = PRESET_VOICES.map(({ model }) => model)
const folders = await modelFolders({ ...loadConfig(), sttEngine: 'off' })
const styles = await Promise.all(names.map((name) => styleOf(join(folders.kokoroVoices, `${name}.bin`))))
const halves = [styles.map((style) => style.subarray(0, HALF)), styles.map((style) => style.subarray(HALF))] as const
const timbre = axesOf(
  halves[0],
  names.map(() => true),
  TIMBRE_AXES,
)
// Only voices that were made of English have a prosody that English can be spoken with.
const prosody = axesOf(
  halves[1],
  names.map((name) => /^[ab]/.test(name)),
  PROSODY_AXES,
)

const pool = new PiscinaWorkerPool(workerFile('inference'), availableParallelism(), {
  kokoroDir: folders.kokoroInstalled,
  encoderDir: folders.encoderInstalled,
})
const mixtures = [...names.keys()].map((voice) => ({ timbre: alone(voice), prosody: alone(voice), lnPitch: 0 }))
const random = seededRandom(1)
while (mixtures.length < TRIED) {
  const weights = mixture()
  const lnPitch = Math.min(Math.max(PITCH_SPREAD * normal(), -LN_PITCH_MAX), LN_PITCH_MAX)
  mixtures.push({ timbre: weights, prosody: random() < 0.4 ? weights : mixture(), lnPitch })
}
const recordings: VoicePrint[] = []
for (const speaker of CALIBRATION_SPEAKERS) {
  recordings.push(await pool.run({ kind: 'embed', samples: await recordingOf(speaker), sampleRate: 16_000 }))
}
const prints = await earlierTrials()
const missing = [...mixtures.keys()].filter((index) => prints[index] === undefined)
await Promise.all(Array.from({ length: pool.workers }, tryMissing))
await pool.close()

const kept = [...prints.keys()].filter((index) => prints[index]!.pitch > 0)
const embeddings = principalEmbeddings(kept.map((index) => prints[index]!.embedding))
const space: VoiceSpace = {
  voices: names,
  timbre,
  prosody,
  tried: flat(kept.map((index) => placeOf(mixtures[index]!))),
  heard: flat(kept.map((index) => heardOf(embeddings, prints[index]!.embedding, prints[index]!.pitch))),
  embeddings,
  people: [true, false].map((isLow) => meanEmbedding(recordings.filter(({ pitch }) => pitch < LOW_VOICE_HZ === isLow))),
}
await writeFile(resolve('models/voices/voice-space.json'), `${JSON.stringify(encodeVoiceSpace(space), null, 2)}\n`)
await rm(TRIALS_FILE, { force: true })
process.exit(0)

async function tryMissing(): Promise<void> {
  for (let index = missing.shift(); index !== undefined; index = missing.shift()) {
    const { timbre: colours, prosody: melodies, lnPitch } = mixtures[index]!
    const style = Float32Array.of(...mixed(halves[0], colours), ...mixed(halves[1], melodies))
    // The colour that it would need to be like somebody is not looked at.
    const { print } = await pool.run({
      kind: 'trial',
      style,
      pitch: Math.exp(lnPitch),
      sentence: 0,
      target: recordings[0]!,
    })
    prints[index] = print
    const { embedding, pitch } = print
    await appendFile(TRIALS_FILE, `${JSON.stringify({ index, embedding: [...embedding], pitch })}\n`)
    if (missing.length % 40 === 0) process.stderr.write(`${missing.length} to go\n`)
  }
}

/** Of what is heard, only what the space keeps. */
async function earlierTrials(): Promise<Pick<VoicePrint, 'embedding' | 'pitch'>[]> {
  const text = await readFile(TRIALS_FILE, 'utf8').catch(() => '')
  const found: Pick<VoicePrint, 'embedding' | 'pitch'>[] = []
  // A line that was cut off is measured again, and must not become the beginning of the next.
  const lines = text.split('\n').slice(0, -1)
  await writeFile(TRIALS_FILE, lines.map((line) => `${line}\n`).join(''))
  for (const line of lines) {
    const { index, embedding, pitch } = JSON.parse(line)
    found[index] = { embedding: Float32Array.from(embedding), pitch }
  }
  return found.slice(0, mixtures.length)
}

function placeOf(mixture: (typeof mixtures)[number]): Float32Array {
  return coordinatesAt({
    timbre: coordinatesOf(timbre, mixture.timbre),
    prosody: coordinatesOf(prosody, mixture.prosody),
    lnPitch: mixture.lnPitch,
  })
}

async function styleOf(path: string): Promise<Float32Array> {
  const table = await readFile(path)
  const row = STYLE_CLASSES[TRIAL_STYLE_CLASS]!.row
  const bytes = Float32Array.BYTES_PER_ELEMENT * STYLE_WIDTH
  return new Float32Array(new Uint8Array(table.subarray(row * bytes, (row + 1) * bytes)).buffer)
}

/** Principal components of the styles that count. */
function axesOf(vectors: readonly Float32Array[], counts: readonly boolean[], dimensions: number): VoiceAxes {
  const members = vectors.filter((_, index) => counts[index])
  const middle = meanVector(members)
  const centred = vectors.map((vector) => vector.map((value, at) => value - middle[at]!))
  const inside = centred.filter((_, index) => counts[index])
  const count = inside.length
  // Of the voices' products instead of the vectors' components: there are fewer voices.
  const gram = Float64Array.from({ length: count * count }, (_, at) =>
    dot(inside[Math.floor(at / count)]!, inside[at % count]!),
  )
  const { values, vectors: shares } = eigenvectors(gram, count)
  const scales = Array.from({ length: dimensions }, (_, axis) => (values[axis]! / values[0]!) ** (SHRINKAGE / 2))
  const directions = new Float32Array(dimensions * vectors.length)
  const places = new Float32Array(vectors.length * dimensions)
  for (let axis = 0; axis < dimensions; axis++) {
    const share = shares[axis]!
    let member = 0
    for (const [voice, isIn] of counts.entries()) {
      if (isIn) directions[axis * vectors.length + voice] = share[member++]! / Math.sqrt(count) / scales[axis]!
    }
    const spread = Math.sqrt(values[axis]! / count)
    const component = middle.map((_, at) => inside.reduce((sum, vector, index) => sum + share[index]! * vector[at]!, 0))
    for (const [voice, vector] of centred.entries()) {
      // The component has the length √value.
      places[voice * dimensions + axis] = (dot(vector, component) / Math.sqrt(values[axis]!) / spread) * scales[axis]!
    }
  }
  return voiceAxes(
    Float32Array.from(counts, (isIn) => (isIn ? 1 / count : 0)),
    directions,
    places,
  )
}

function principalEmbeddings(vectors: readonly Float32Array[]) {
  const mean = meanVector(vectors)
  const covariance = new Float64Array(EMBEDDING_WIDTH ** 2)
  for (const vector of vectors) {
    const centred = vector.map((value, at) => value - mean[at]!)
    for (let i = 0; i < EMBEDDING_WIDTH; i++) {
      for (let j = 0; j < EMBEDDING_WIDTH; j++) covariance[i * EMBEDDING_WIDTH + j]! += centred[i]! * centred[j]!
    }
  }
  const { values, vectors: axes } = eigenvectors(covariance, EMBEDDING_WIDTH)
  const all = values.reduce((sum, value) => sum + value, 0)
  const share = values.slice(0, EMBEDDING_AXES).reduce((sum, value) => sum + value, 0) / all
  process.stderr.write(`${EMBEDDING_AXES} axes hold ${share.toFixed(4)} of how embeddings differ\n`)
  return { mean, basis: flat(axes.slice(0, EMBEDDING_AXES)) }
}

function meanEmbedding(prints: readonly VoicePrint[]): Float32Array {
  return meanVector(prints.map(({ embedding }) => embedding))
}

function alone(voice: number): Float32Array {
  return Float32Array.from(names, (_, index) => (index === voice ? 1 : 0))
}

/** One to five voices, and on beyond them. */
function mixture(): Float32Array {
  const count = 1 + Math.floor(5 * random())
  const chosen = [...names.keys()]
    .map((voice) => ({ voice, key: random() }))
    .sort((a, b) => a.key - b.key)
    .slice(0, count)
  // Dirichlet's distribution with all parameters 1.
  const shares = chosen.map(() => -Math.log(1 - random()))
  const total = shares.reduce((sum, share) => sum + share, 0)
  const [from, to] = EXTRAPOLATION
  const factor = from + (to - from) * random() * (count > 1 ? 1 : 0.6)
  const weights = new Float32Array(names.length).fill((1 - factor) / names.length)
  for (const [index, { voice }] of chosen.entries()) weights[voice]! += (factor * shares[index]!) / total
  return weights
}

function normal(): number {
  return Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random())
}

function mixed(vectors: readonly Float32Array[], weights: Float32Array): Float32Array {
  const sum = new Float32Array(HALF)
  for (const [index, vector] of vectors.entries()) {
    for (let at = 0; at < HALF; at++) sum[at]! += weights[index]! * vector[at]!
  }
  return sum
}

function meanVector(vectors: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(vectors[0]!.length)
  for (const vector of vectors) for (const [at, value] of vector.entries()) sum[at]! += value / vectors.length
  return sum
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * b[at]!, 0)
}

function flat(rows: readonly (Float32Array | Float64Array)[]): Float32Array {
  return Float32Array.from(rows.flatMap((row) => [...row]))
}
