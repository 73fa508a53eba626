import { mkdtempSync, rmSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { installWhisper } from '../../models/whisper/install.ts'
import type { RecognizeTask } from '../../src/speech/task-protocol.ts'
import { WhisperEngine } from '../../workers/whisper.ts'
import { noise } from '../models/onnx/run-graph.ts'
import { writeTinyFolder } from '../models/whisper/tiny-model.ts'
import { clip, madeSpeech, seconds } from './clips.ts'
import { WHISPER_DIR } from './packs.ts'

const LANGUAGES = ['zh', 'en', 'de', 'es', 'fr', 'ja']

function task(samples: Float32Array, change: Partial<RecognizeTask> = {}): RecognizeTask {
  return { kind: 'recognize', samples, languages: ['en'], wordTimes: false, ...change }
}

describe('Whisper base', () => {
  const sentence = clip('ljspeech/LJ001-0004.wav')
  let engine: WhisperEngine

  beforeAll(async () => {
    engine = await WhisperEngine.load(WHISPER_DIR)
  })
  afterAll(() => engine.close())

  it('writes down what is said', async () => {
    expect(await engine.recognize(task(sentence))).toEqual({
      text: 'produced the block books, which were the immediate predecessors of the true printed book,',
      language: 'en',
    })
    const { text } = await engine.recognize(task(clip('ljspeech/LJ001-0008.wav')))
    expect(text).toBe('has never been surpassed.')
  })

  it('does not take a strange accent for noise', async () => {
    const { text } = await engine.recognize(task(await madeSpeech('french-with-an-accent.mp3'), { languages: ['fr'] }))
    expect(text).toMatch(/aujourd'hui/)
  })

  it('hears which language is spoken, among those that it may be', async () => {
    expect((await engine.recognize(task(sentence, { languages: LANGUAGES }))).language).toBe('en')
    expect((await engine.recognize(task(sentence, { languages: ['zh', 'en'] }))).language).toBe('en')
    expect((await engine.recognize(task(sentence, { languages: ['de', 'ja'] }))).language).toBe('de')
  })

  it('tells when each word was said', async () => {
    const { text, words = [] } = await engine.recognize(task(sentence, { wordTimes: true }))
    expect(words.map(({ word }) => word).join(' ')).toBe(text)
    for (const [index, { start, end }] of words.entries()) {
      expect(start).toBeLessThanOrEqual(end)
      expect(start).toBeGreaterThanOrEqual(words[index - 1]?.end ?? 0)
      expect(end).toBeLessThanOrEqual(sentence.length / 16_000)
    }
    // The pause after the comma, by ear.
    const which = words.findIndex(({ word }) => word === 'which')
    expect(words[which - 1]?.end).toBeGreaterThan(1)
    expect(words[which]?.end).toBeLessThan(2.4)
  })

  it('hears the same every time, and the same with word times', async () => {
    const first = await engine.recognize(task(sentence))
    expect(await engine.recognize(task(sentence))).toEqual(first)
    expect(await engine.recognize(task(sentence, { wordTimes: true }))).toMatchObject(first)
  })

  const melody = [262, 294, 330, 349, 392, 440, 494, 523]
  it.each([
    ['silence', () => 0],
    ['white noise', (_: number, random: number) => 0.1 * random],
    ['faint noise', (_: number, random: number) => 0.003 * random],
    [
      'a chord',
      (time: number) => 0.1 * [261, 329, 392].reduce((sum, hertz) => sum + Math.sin(6.283 * hertz * time), 0),
    ],
    [
      'a melody',
      (time: number) =>
        0.3 * Math.sin(6.283 * melody[Math.floor(2 * time) % 8]! * time) * Math.exp(-4 * ((2 * time) % 1)),
    ],
  ])('makes no words up for %s', async (_, sound: (time: number, random: number) => number) => {
    const random = noise(160_000)
    const samples = seconds(10).map((_, at) => sound(at / 16_000, random[at]!))
    const { text, words } = await engine.recognize(task(samples, { languages: LANGUAGES, wordTimes: true }))
    expect({ text, words }).toEqual({ text: '', words: [] })
  })

  it('takes thirty seconds, and no more', async () => {
    const long = seconds(30)
    long.set(sentence, 60_000)
    const { text } = await engine.recognize(task(long))
    expect(text.toLowerCase()).toContain('block books')
    await expect(engine.recognize(task(seconds(31)))).rejects.toThrow('more audio than the model hears at once')
  })

  it('refuses a language that it does not know', async () => {
    await expect(engine.recognize(task(sentence, { languages: ['tlh'] }))).rejects.toThrow('does not know tlh')
  })
})

describe('a model that knows nothing', () => {
  const root = mkdtempSync(join(tmpdir(), 'syrinx-tiny-'))
  let engine: WhisperEngine

  beforeAll(async () => {
    await writeTinyFolder(join(root, 'model'))
    await mkdir(join(root, 'installed'))
    await installWhisper({ folder: join(root, 'model'), outputDir: join(root, 'installed') })
    engine = await WhisperEngine.load(join(root, 'installed'))
  })
  afterAll(async () => {
    await engine.close()
    rmSync(root, { recursive: true })
  })

  it.each([1, 2, 3, 4])('comes to an end, with words in order (seed %i)', async (seed) => {
    const samples = noise(8_000, seed).map((value) => value / 4)
    const { text, words = [] } = await engine.recognize(task(samples, { wordTimes: true }))
    expect(text).toMatch(/^[a-z]*$/)
    expect(words.map(({ word }) => word).join('')).toBe(text)
    for (const { start, end } of words) expect(end).toBeGreaterThanOrEqual(start)
  })

  it('never says what it must not', async () => {
    for (let seed = 1; seed < 10; seed++) {
      const { text } = await engine.recognize(task(noise(6_000, seed)))
      expect(text).not.toMatch(/d|^e/)
    }
  })
})
