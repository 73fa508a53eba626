import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { lastValueFrom, map, toArray } from 'rxjs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { HEARD_WIDTH, heardOf, loadVoiceSpace } from '../../models/voices/voice-space.ts'
import { fromPcm16, joinPcm } from '../../src/audio/pcm.ts'
import { BatchingDetector } from '../../src/inference/batching-detector.ts'
import { CostModel } from '../../src/inference/cost-model.ts'
import { DetectionPool } from '../../src/inference/detection-pool.ts'
import { EnrolledVoices } from '../../src/inference/enrolled-voices.ts'
import { KokoroEngine } from '../../src/inference/kokoro-engine.ts'
import { KokoroVoiceFitter } from '../../src/inference/kokoro-voice-fitter.ts'
import { PresetVoices } from '../../src/inference/preset-voices.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { PiscinaWorkerPool } from '../../src/inference/worker-pool.ts'
import { Synthesizer } from '../../src/pipelines/synthesize.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { Demand } from '../../src/runtime/demand.ts'
import { silentLog } from '../../src/runtime/log.ts'
import type { SynthesisRequest } from '../../src/speech/synthesis.ts'
import { SAMPLE_RATE, type VoicePrint } from '../../src/speech/task-protocol.ts'
import { UnfitReference, type VoiceFeatures, VoiceFeaturesLost } from '../../src/speech/voice-fitting.ts'
import { PRESET_VOICES } from '../../src/speech/voices.ts'
import { resample } from '../../workers/resample.ts'
import { speakerClip } from '../workers/clips.ts'
import { ENCODER_DIR, KOKORO_DIR, SILERO_MODEL, VOICES_DIR, WHISPER_DIR } from '../workers/packs.ts'

const SPEAKER = '1069'
const TRIALS = 2
const VOICE_ID = 'voice_test'
/** Long enough for all that is said below to be of one length class. */
const ENGLISH = 'The children went to the park after school and fed the ducks.'
const SPANISH = 'El tren sale de la estación a las siete de la mañana.'

let pool: PiscinaWorkerPool
let detection: DetectionPool
let folder: string
let features: VoiceFeatures | undefined
let fitter: KokoroVoiceFitter
let synthesizer: Synthesizer
let kept: VoicePrint
let enrolled: Float32Array

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'syrinx-fitted-'))
  mkdirSync(join(folder, VOICE_ID))
  const workerData = { kokoroDir: KOKORO_DIR, whisperDir: WHISPER_DIR, encoderDir: ENCODER_DIR }
  pool = new PiscinaWorkerPool('dist/workers/inference.js', 2, workerData)
  detection = new DetectionPool('dist/workers/detection.js', { sileroModel: SILERO_MODEL }, false)
  const scheduler = new Scheduler(pool, new CostModel(), systemClock)
  const presets = new PresetVoices(VOICES_DIR, join(folder, 'presets'))
  const store = { load: async (voiceId: string) => (voiceId === VOICE_ID ? features : undefined) }
  const voices = {
    find: (id: string) => ({ ...PRESET_VOICES[0]!, id, model: null, accountId: 'acc_test', language: 'en' }),
  }
  const styles = {
    presets: new VoiceStyles(presets, scheduler, silentLog, 1),
    enrolled: new VoiceStyles(new EnrolledVoices(store, folder, 'graphs'), scheduler, silentLog, 1),
  }
  fitter = new KokoroVoiceFitter(scheduler, new BatchingDetector(detection), presets, TRIALS)
  synthesizer = new Synthesizer(new KokoroEngine(scheduler, voices, styles, systemClock, 2))

  const clip = await speakerClip(SPEAKER)
  const at = Math.floor(0.6 * clip.length)
  enrolled = clip.slice(0, at)
  kept = await measured(clip.slice(at), 16_000)
  features = await fitter.fit(enrolled, new AbortController().signal)
})

afterAll(async () => {
  await pool.close()
  await detection.close()
  rmSync(folder, { recursive: true })
})

function measured(samples: Float32Array, sampleRate: number): Promise<VoicePrint> {
  return pool.run({ kind: 'embed', samples, sampleRate })
}

async function speak(text: string, change: Partial<SynthesisRequest> = {}): Promise<Int16Array> {
  const request = { id: 'req_test', text, language: 'en', voiceId: VOICE_ID, speed: 1, durationSeconds: null }
  const frames = synthesizer.synthesize({ ...request, postprocess: true, pace: 'batch', ...change }, Demand.unbounded())
  return joinPcm(
    await lastValueFrom(
      frames.pipe(
        map(({ samples }) => samples),
        toArray(),
      ),
    ),
  )
}

async function wordsIn(speech: Int16Array, language: string): Promise<string[]> {
  const samples = resample(fromPcm16(speech), SAMPLE_RATE / 16_000)
  const { text } = await pool.run({ kind: 'recognize', samples, languages: [language], wordTimes: false })
  return text.toLowerCase().match(/\p{L}+/gu) ?? []
}

function likeness(print: VoicePrint): number {
  return print.embedding.reduce((sum, value, at) => sum + value * kept.embedding[at]!, 0)
}

describe('a voice that was fitted to a recording', () => {
  it('resembles other words of the same person more than the model’s own voice that comes nearest', async () => {
    const spoken = await measured(fromPcm16(await speak(ENGLISH)), SAMPLE_RATE)
    const nearest = await nearestPreset()
    expect(likeness(spoken)).toBeGreaterThan(likeness(nearest))
    expect(likeness(spoken)).toBeGreaterThan(0.65)
    expect(Math.abs(12 * Math.log2(spoken.pitch / kept.pitch))).toBeLessThan(3)
  })

  it('keeps its words, in English and in a language that the person does not speak', async () => {
    expect(await wordsIn(await speak(ENGLISH), 'en')).toEqual(ENGLISH.toLowerCase().match(/\p{L}+/gu))
    const spanish = await wordsIn(await speak(SPANISH, { language: 'es' }), 'es')
    const expected = SPANISH.toLowerCase().match(/\p{L}+/gu)!
    expect(expected.filter((word) => !spanish.includes(word)).length).toBeLessThanOrEqual(1)
  })

  it('speaks the same samples live as in a batch', async () => {
    const [live, batch] = [await speak(ENGLISH, { pace: 'live' }), await speak(ENGLISH)]
    expect(Buffer.compare(Buffer.from(live.buffer), Buffer.from(batch.buffer))).toBe(0)
  })

  it('speaks for exactly as long as it is asked to', async () => {
    expect(await speak(ENGLISH, { durationSeconds: 4.5, postprocess: false })).toHaveLength(4.5 * SAMPLE_RATE)
  })

  it('keeps what was measured of it in the voice’s own folder', () => {
    const kept = readdirSync(join(folder, VOICE_ID))
    expect(kept.filter((name) => /^conditioning-graphs-\d+\.f32$/.test(name))).not.toHaveLength(0)
  })

  it('is the same voice when the same clip is fitted again', async () => {
    expect(await fitter.fit(enrolled, new AbortController().signal)).toEqual(features)
  })

  it('can’t be spoken with once its features are lost', async () => {
    const failure = await speak(ENGLISH, { voiceId: 'voice_gone' }).catch((error: unknown) => error)
    expect(failure).toMatchObject({ cause: expect.any(VoiceFeaturesLost) })
  })

  it('is not made of noise', async () => {
    const noise = Float32Array.from({ length: 48_000 }, (_, at) => 0.2 * Math.sin(at * at * 0.37))
    await expect(fitter.fit(noise, new AbortController().signal)).rejects.toBeInstanceOf(UnfitReference)
  })
})

/** Of what the space knows of the model's own voices, the one that is most alike, spoken. */
async function nearestPreset(): Promise<VoicePrint> {
  const space = await loadVoiceSpace()
  const wanted = heardOf(space.embeddings, (await measured(enrolled, 16_000)).embedding, 1)
  const distance = (voice: number) =>
    Math.hypot(
      ...space.heard
        .subarray(voice * HEARD_WIDTH, (voice + 1) * HEARD_WIDTH - 1)
        .map((value, at) => value - wanted[at]!),
    )
  const nearest = [...PRESET_VOICES.keys()].reduce((a, b) => (distance(b) < distance(a) ? b : a))
  const styles = await new PresetVoices(VOICES_DIR, '').styles(2)
  return pool.run({ kind: 'trial', style: styles[nearest]!, pitch: 1 })
}
