import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { encodeVoiceSpace, heardOf, loadVoiceSpace } from '../models/voices/voice-space.ts'
import { joinSamples } from '../src/audio/pcm.ts'
import { modelFolders } from '../src/cli/serve.ts'
import { loadConfig } from '../src/config.ts'
import { CostModel } from '../src/inference/cost-model.ts'
import { mixedRow } from '../src/inference/kokoro-voice-fitter.ts'
import { PresetVoices } from '../src/inference/preset-voices.ts'
import { Scheduler } from '../src/inference/scheduler.ts'
import { workerFile } from '../src/inference/worker-file.ts'
import { PiscinaWorkerPool } from '../src/inference/worker-pool.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { LISTENING_SAMPLE_RATE } from '../src/speech/recognition.ts'
import { TRIAL_STYLE_CLASS } from '../src/speech/style-classes.ts'
import type { VoiceMixture, VoicePrint } from '../src/speech/task-protocol.ts'
import { searchVoice } from '../workers/voice-search.ts'
import { seededRandom } from './seeded-random.ts'
import { CALIBRATION_SPEAKERS, recordingOf } from './speakers.ts'

/**
 * `node dist/bench/sharpen-voice-space.js`, after `train-voice-space.js`: searches the space for people who do not exist, tries what
 * it finds, and adds what was heard to `models/voices/voice-space.json`. A search goes where the guesses promise too much: there
 * they are put right first. Each round is written as it ends; each run adds more people.
 */
const ROUNDS = Number(process.env.VOICE_SPACE_ROUNDS ?? 12)
const PEOPLE_A_ROUND = 24
const LOW_VOICE_HZ = 150
/** How much of an imaginary person is the first of the two whom it is made of, at least. */
const SHARE_MIN = 0.5
const PITCH_SPREAD = 0.05

const config = loadConfig()
const models = await modelFolders({ ...config, sttEngine: 'off' })
const styles = await new PresetVoices(models.kokoroVoices, models.kokoroConditioning).styles(TRIAL_STYLE_CLASS)
const pool = new PiscinaWorkerPool(workerFile('inference'), config.workers, {
  kokoroDir: models.kokoroInstalled,
  encoderDir: models.encoderInstalled,
})
const scheduler = new Scheduler(pool, new CostModel(), systemClock)
const people: VoicePrint[] = []
for (const speaker of CALIBRATION_SPEAKERS) {
  const samples = await recordingOf(speaker)
  people.push(await pool.run({ kind: 'embed', samples, sampleRate: LISTENING_SAMPLE_RATE }))
}
let space = await loadVoiceSpace()
// Other people than those of an earlier run.
const random = seededRandom(space.tried.length)
for (let round = 1; round <= ROUNDS; round++) {
  const imagined = Array.from({ length: PEOPLE_A_ROUND }, imaginePerson)
  const found = imagined.map((target) => searchVoice(space, { kind: 'search', target, trials: [] }))
  const heard = await Promise.all(found.map((mixture, index) => attempt(mixture, imagined[index]!)))
  const voiced = [...heard.keys()].filter((index) => heard[index]!.pitch > 0)
  space = {
    ...space,
    tried: joinSamples([space.tried, ...voiced.map((index) => found[index]!.coordinates)]),
    heard: joinSamples([
      space.heard,
      ...voiced.map((index) => heardOf(space.embeddings, heard[index]!.embedding, heard[index]!.pitch)),
    ]),
  }
  await writeFile(resolve('models/voices/voice-space.json'), `${JSON.stringify(encodeVoiceSpace(space), null, 2)}\n`)
  const likeness = heard.reduce((sum, print, index) => sum + likenessOf(print, imagined[index]!) / heard.length, 0)
  process.stderr.write(`round ${round} of ${ROUNDS}: likeness ${likeness.toFixed(3)}\n`)
}
await pool.close()
process.exit(0)

/** Somebody between two people of the same sex. */
function imaginePerson(): VoicePrint {
  const first = pick(people)
  const second = pick(people.filter(({ pitch }) => pitch < LOW_VOICE_HZ === first.pitch < LOW_VOICE_HZ))
  const share = SHARE_MIN + (1 - SHARE_MIN) * random()
  const between = first.embedding.map((value, at) => share * value + (1 - share) * second.embedding[at]!)
  const length = Math.hypot(...between)
  const lnPitch = share * Math.log(first.pitch) + (1 - share) * Math.log(second.pitch)
  const pitch = Math.exp(lnPitch + PITCH_SPREAD * (2 * random() - 1))
  return { ...first, embedding: between.map((value) => value / length), pitch }
}

function pick<T>(from: readonly T[]): T {
  return from[Math.floor(random() * from.length)]!
}

async function attempt(mixture: VoiceMixture, target: VoicePrint): Promise<VoicePrint> {
  const style = mixedRow(mixture, styles)
  // With a deadline it is no batch work, which would leave a worker free.
  const trial = await scheduler.run(
    { kind: 'trial', style, pitch: mixture.pitch, sentence: 0, target },
    { deadline: 0 },
  )
  // The colour that it would need is not looked at.
  return trial.print
}

function likenessOf(a: VoicePrint, b: VoicePrint): number {
  return a.embedding.reduce((sum, value, at) => sum + value * b.embedding[at]!, 0)
}
