import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import { loadVoiceSpace, type VoiceSpace } from '../models/voices/voice-space.ts'
import { joinSamples } from '../src/audio/pcm.ts'
import { createPhonemizer } from '../src/speech/phonemizer.ts'
import {
  type HeardTrial,
  SAMPLE_RATE,
  type SpeechTask,
  type TaskAnswer,
  type TaskResults,
  type TrialTask,
} from '../src/speech/task-protocol.ts'
import { KokoroEngine } from './kokoro.ts'
import { SpeakerEncoder } from './speaker-encoder.ts'
import { caricature } from './voice-aim.ts'
import { rankTrials, searchVoice } from './voice-search.ts'
import { WhisperEngine } from './whisper.ts'

/** What a thread of this file is started with, as Piscina's `workerData`. */
export interface InferenceWorkerData {
  /** Folder that `installKokoro` wrote. */
  readonly kokoroDir: string
  /** Folder that `installWhisper` wrote; absent where the node doesn't listen. */
  readonly whisperDir?: string
  /** Folder that `installSpeakerEncoder` wrote. It is loaded when the first voice is measured. */
  readonly encoderDir: string
}

// The pool counts a thread as ready when this module has been evaluated: by then every model has run once.
const { kokoroDir, whisperDir, encoderDir }: InferenceWorkerData = workerData
const engine = await KokoroEngine.load(kokoroDir, await createPhonemizer())
await engine.warmUp()
const recognizer = whisperDir === undefined ? undefined : await WhisperEngine.load(whisperDir)
await recognizer?.warmUp()
let voiceSpace: VoiceSpace | undefined
let encoder: Promise<SpeakerEncoder> | undefined

/** What follows each other when a voice is fitted or measured: in between, what rendering whole needs is kept. */
const FITTING: readonly SpeechTask['kind'][] = ['embed', 'search', 'trial', 'rank', 'calibrate']

/** Steps towards the colour of a trial, which takes a tenth of a second each, and of what the voice will sound like. */
const COLOUR_CLIMBS = 2
const LAST_COLOUR_CLIMBS = 4

/** Runs one task. The arrays of the answer move to the caller's thread. */
export default async function inference(task: SpeechTask): Promise<TaskAnswer> {
  try {
    return moved({ status: 'done', result: await run(task) })
  } catch (error) {
    return { status: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

async function run(task: SpeechTask): Promise<TaskResults[SpeechTask['kind']]> {
  if (!FITTING.includes(task.kind)) await engine.endWhole()
  switch (task.kind) {
    case 'plan':
      return engine.plan(task)
    case 'measure':
      return engine.measure(task)
    case 'window':
      return engine.window(task)
    case 'calibrate':
      return engine.calibrate(task)
    case 'recognize':
      if (recognizer === undefined) throw new Error('this node does not listen')
      return recognizer.recognize(task)
    case 'embed':
      return (await loadedEncoder()).measure(task.samples, task.sampleRate)
    case 'trial':
      return heardTrial(task)
    case 'search':
      return searchVoice(await loadedSpace(), task)
    case 'rank':
      return rankTrials(await loadedSpace(), task)
  }
}

async function heardTrial(task: TrialTask): Promise<HeardTrial> {
  const spoken = joinSamples([task.before ?? new Float32Array(0), await engine.trial(task)])
  const aim = caricature(await loadedSpace(), task.target)
  const climbs = task.before ? LAST_COLOUR_CLIMBS : COLOUR_CLIMBS
  return { spoken, ...(await (await loadedEncoder()).measureTrial(spoken, SAMPLE_RATE, aim, climbs)) }
}

async function loadedSpace(): Promise<VoiceSpace> {
  voiceSpace ??= await loadVoiceSpace()
  return voiceSpace
}

function loadedEncoder(): Promise<SpeakerEncoder> {
  const loading = encoder ?? SpeakerEncoder.load(encoderDir)
  encoder = loading
  // The next task tries again.
  loading.catch(() => {
    encoder = undefined
  })
  return loading
}

/** The pool takes the envelope off on the way: the caller receives `answer` itself. */
function moved(answer: TaskAnswer): TaskAnswer {
  const envelope = { ...answer, [transferableSymbol]: buffersOf(answer), [valueSymbol]: answer }
  move(envelope)
  return envelope
}

function buffersOf(value: unknown): ArrayBufferLike[] {
  if (ArrayBuffer.isView(value)) return [value.buffer]
  if (typeof value !== 'object' || value === null) return []
  return Object.values(value).flatMap(buffersOf)
}
