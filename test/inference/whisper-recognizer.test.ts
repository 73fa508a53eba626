import { describe, expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { WhisperRecognizer } from '../../src/inference/whisper-recognizer.ts'
import { RecognitionFailed, SEGMENT_SAMPLES_MAX, type SpeechSegment } from '../../src/speech/recognition.ts'
import { findSpeechMode } from '../../src/speech/speech-modes.ts'
import type { RecognizeTask } from '../../src/speech/task-protocol.ts'
import { FakeClock } from '../fake-clock.ts'
import { ScriptedPool, settled } from './scripted-pool.ts'

const EVERYTHING = ['en', 'zh', 'es', 'tl', 'de', 'hi']
const BATCH = { pace: 'batch' } as const

function setUp(languages: readonly string[] = EVERYTHING) {
  const clock = new FakeClock()
  const pool = new ScriptedPool(1, clock)
  const scheduler = new Scheduler(pool, new CostModel(), clock)
  const recognizer = new WhisperRecognizer(scheduler, { name: 'whisper-test', languages })
  const startedTasks = () => pool.started as RecognizeTask[]
  return { pool, clock, recognizer, startedTasks }
}

function mode(name: string) {
  const found = findSpeechMode(name)
  if (!found) throw new Error(name)
  return found
}

function segment(name: string, change: Partial<SpeechSegment> = {}): SpeechSegment {
  return { samples: new Float32Array(1_600), mode: mode(name), wordTimes: false, ...change }
}

const live = (wantedAt: number) => ({ pace: 'live', wantedAt }) as const

describe('WhisperRecognizer', () => {
  it('asks for the languages of the mode in the codes of the model, and answers in those of the modes', async () => {
    const { pool, recognizer, startedTasks } = setUp()
    const heard = recognizer.recognize(segment('Filipino'), BATCH)
    expect(startedTasks()[0]?.languages).toEqual(['tl'])
    await pool.finish({ text: 'Kumusta', language: 'tl' })
    expect(await heard).toEqual({ text: 'Kumusta', language: 'fil' })
  })

  it('lets a pair be decided by the model', async () => {
    const { pool, recognizer, startedTasks } = setUp()
    const heard = recognizer.recognize(segment('es-en', { wordTimes: true }), BATCH)
    expect(startedTasks()[0]).toMatchObject({ kind: 'recognize', languages: ['es', 'en'], wordTimes: true })
    const words = [{ word: 'Hi', start: 0, end: 0.1 }]
    await pool.finish({ text: 'Hi', language: 'en', words })
    expect(await heard).toEqual({ text: 'Hi', language: 'en', words })
  })

  it('says which modes the model knows; auto is whatever it knows', () => {
    const { recognizer } = setUp(['en'])
    expect(recognizer.canRecognize(mode('en')).status).toBe('recognized')
    expect(recognizer.canRecognize(mode('auto')).status).toBe('recognized')
    expect(recognizer.canRecognize(mode('es-en'))).toMatchObject({
      status: 'not_recognized',
      message: expect.stringContaining('whisper-test does not hear Spanish-English'),
    })
    expect(setUp().recognizer.canRecognize(mode('ko')).status).toBe('not_recognized')
  })

  it('hears what somebody waits for first, then previews, then files', async () => {
    const { pool, recognizer, startedTasks } = setUp()
    const submit = [
      () => recognizer.recognize(segment('en'), live(0)),
      () => recognizer.recognize(segment('en', { samples: new Float32Array(1) }), BATCH),
      () => recognizer.preview(segment('en', { samples: new Float32Array(2) }), 500),
      () => recognizer.recognize(segment('en', { samples: new Float32Array(3) }), live(10)),
    ]
    const all = submit.map((start) => start())
    for (const _ of all) await pool.finish({ text: '', language: 'en' })
    await Promise.all(all)
    expect(startedTasks().map(({ samples }) => samples.length)).toEqual([1_600, 3, 2, 1])
  })

  it('drops a preview that no worker was free for in time', async () => {
    const { pool, clock, recognizer, startedTasks } = setUp()
    void recognizer.recognize(segment('en'), live(0))
    const late = recognizer.preview(segment('en'), clock.monotonic() + 500)
    clock.advance(501)
    await pool.finish({ text: '', language: 'en' })
    expect(await late).toBeUndefined()
    expect(startedTasks()).toHaveLength(1)
  })

  it('delivers a preview that began in time', async () => {
    const { pool, clock, recognizer } = setUp()
    const preview = recognizer.preview(segment('en'), clock.monotonic() + 500)
    clock.advance(800)
    await pool.finish({ text: 'so far', language: 'en' })
    expect(await preview).toEqual({ text: 'so far', language: 'en' })
  })

  it('rejects with the reason of a signal as soon as it aborts', async () => {
    const { pool, recognizer } = setUp()
    const abort = new AbortController()
    const refused = expect(recognizer.recognize(segment('en', { signal: abort.signal }), BATCH)).rejects.toThrow('gone')
    abort.abort(new Error('gone'))
    await refused
    await pool.finish()
    await settled()
  })

  it('tells a failure of the model from everything else', async () => {
    const { pool, recognizer } = setUp()
    const refused = expect(recognizer.recognize(segment('en'), BATCH)).rejects.toThrow(RecognitionFailed)
    await pool.fail(new Error('no numbers'))
    await refused
  })

  it('refuses a segment that is longer than the model hears', async () => {
    const { recognizer } = setUp()
    const samples = new Float32Array(SEGMENT_SAMPLES_MAX + 1)
    await expect(recognizer.recognize(segment('en', { samples }), BATCH)).rejects.toThrow('longer')
  })
})
