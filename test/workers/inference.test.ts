import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { Piscina } from 'piscina'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SpeechTask, TaskAnswer } from '../../src/speech/task-protocol.ts'
import { clip } from './clips.ts'
import { ENCODER_DIR, KOKORO_DIR, styleRows, WHISPER_DIR } from './packs.ts'

const COMPILED = fileURLToPath(new URL('../../dist/workers/inference.js', import.meta.url))
const WORKERS = 2
const RUNS = 100

let pool: Piscina<SpeechTask, TaskAnswer>

beforeAll(() => {
  if (!existsSync(COMPILED)) throw new Error('build first: the workers run from dist')
  pool = new Piscina({
    filename: COMPILED,
    minThreads: WORKERS,
    maxThreads: WORKERS,
    atomics: 'disabled',
    workerData: { kokoroDir: KOKORO_DIR, whisperDir: WHISPER_DIR, encoderDir: ENCODER_DIR },
  })
})

// Not `destroy`: ending a thread inside native code ends the process.
afterAll(() => pool.close())

describe('two inference workers', () => {
  const styles = styleRows('af_heart')
  const measure = { kind: 'measure', text: 'Hi.', pronunciation: 'en-us', styles } as const

  it(`answer ${RUNS} tasks each, side by side, all alike`, async () => {
    const answers = await Promise.all(Array.from({ length: WORKERS * RUNS }, () => pool.run(measure)))
    const [first] = answers
    expect(first).toMatchObject({ status: 'done', result: { status: 'measured' } })
    for (const answer of answers) expect(answer).toEqual(first)
  })

  it('hand over the arrays of a plan', async () => {
    const answer = await pool.run({ ...measure, kind: 'plan', part: 'all', speed: 1 })
    if (answer.status !== 'done' || !('features' in answer.result)) throw new Error('no plan')
    const { frames, tracks } = answer.result.features
    expect(tracks.asr?.data).toBeInstanceOf(Float32Array)
    expect(tracks.asr?.data).toHaveLength(frames * (tracks.asr?.width ?? 0))
  })

  it('listen as well as they speak', async () => {
    const samples = clip('ljspeech/LJ001-0008.wav')
    const recognize = { kind: 'recognize', samples, languages: ['en'], wordTimes: false } as const
    const answers = await Promise.all(Array.from({ length: 2 * WORKERS }, () => pool.run(recognize)))
    for (const answer of answers) {
      expect(answer).toEqual({ status: 'done', result: { text: 'has never been surpassed.', language: 'en' } })
    }
  })

  it('answer that a task failed and go on', async () => {
    const features = { frames: 4, tracks: {} }
    const broken = { kind: 'window', features, before: 0, frames: 4, conditioning: new Float32Array(3) } as const
    expect(await pool.run(broken)).toMatchObject({ status: 'failed' })
    expect(await pool.run(measure)).toMatchObject({ status: 'done' })
  })
})
