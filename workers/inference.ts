import { move, transferableSymbol, valueSymbol, workerData } from 'piscina'
import { createPhonemizer } from '../src/speech/phonemizer.ts'
import type { SpeechTask, TaskAnswer, TaskResults } from '../src/speech/task-protocol.ts'
import { KokoroEngine } from './kokoro.ts'
import { WhisperEngine } from './whisper.ts'

/** What a thread of this file is started with, as Piscina's `workerData`. */
export interface InferenceWorkerData {
  /** Folder that `installKokoro` wrote. */
  readonly kokoroDir: string
  /** Folder that `installWhisper` wrote; absent where the node doesn't listen. */
  readonly whisperDir?: string
}

// The pool counts a thread as ready when this module has been evaluated: by then every model has run once.
const { kokoroDir, whisperDir }: InferenceWorkerData = workerData
const engine = await KokoroEngine.load(kokoroDir, await createPhonemizer())
await engine.warmUp()
const recognizer = whisperDir === undefined ? undefined : await WhisperEngine.load(whisperDir)
await recognizer?.warmUp()

/** Runs one task. The arrays of the answer move to the caller's thread. */
export default async function inference(task: SpeechTask): Promise<TaskAnswer> {
  try {
    return moved({ status: 'done', result: await run(task) })
  } catch (error) {
    return { status: 'failed', message: error instanceof Error ? error.message : String(error) }
  }
}

async function run(task: SpeechTask): Promise<TaskResults[SpeechTask['kind']]> {
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
  }
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
