import { describe, expect, test } from 'vitest'
import { ReadingRunner } from '../../src/inference/reading-runner.ts'
import { PronunciationDictionary } from '../../src/speech/dictionary/pronunciation-dictionary.ts'
import type { PlanTask, Pronunciation } from '../../src/speech/task-protocol.ts'
import { AnalyticRunner } from './analytic-runner.ts'

const dictionary = PronunciationDictionary.parse([
  { name: 'en.tsv', content: 'Syrinx\t/ˈsɪrɪŋks/\nAcme\tAkmee' },
  { name: 'ja.tsv', content: 'Acme\t/akɯme/' },
])
const readings = {
  read: async (text: string, language: string) => [{ kind: 'phonemes', phonemes: `${language}:${text}` } as const],
}
const order = { deadline: 0 }

async function partsOf(text: string, pronunciation: Pronunciation, terms = dictionary) {
  const inner = new AnalyticRunner()
  const task: PlanTask = { kind: 'plan', part: 'all', text, pronunciation, styles: new Float32Array(), speed: 1 }
  await new ReadingRunner(inner, terms, readings).run(task, order)
  const [ran] = inner.tasks('plan')
  expect(ran).toMatchObject({ text, pronunciation })
  return ran?.parts
}

describe('a task with a text', () => {
  test('goes on as it is where nothing has to be read or replaced', async () => {
    expect(await partsOf('Hello there.', 'en-us')).toBeUndefined()
    expect(await partsOf('Hello Syrinx.', 'en-us', PronunciationDictionary.parse([]))).toBeUndefined()
  })

  test('is read where its language needs a dictionary', async () => {
    expect(await partsOf('你好', 'zh')).toEqual([{ kind: 'phonemes', phonemes: 'zh:你好' }])
  })

  test('has the terms of the pronunciation dictionary replaced', async () => {
    expect(await partsOf('Acme makes Syrinx, too.', 'en-us')).toEqual([
      { kind: 'text', text: 'Akmee makes ', pronunciation: 'en-us' },
      { kind: 'phonemes', phonemes: 'ˈsɪɹɪŋks' },
      { kind: 'text', text: ', too.', pronunciation: 'en-us' },
    ])
  })

  test('has them replaced before it is read', async () => {
    expect(await partsOf('私はAcmeです', 'ja')).toEqual([
      { kind: 'phonemes', phonemes: 'ja:私は' },
      { kind: 'phonemes', phonemes: 'akɯme' },
      { kind: 'phonemes', phonemes: 'ja:です' },
    ])
  })
})

test('tasks without a text, and listeners, go straight to the runner', async () => {
  const inner = new AnalyticRunner()
  const runner = new ReadingRunner(inner, dictionary, readings)
  const stop = runner.listen()
  expect(inner.listeners).toBe(1)
  stop()
  const task = { kind: 'calibrate', style: new Float32Array(), utterance: 0 } as const
  await runner.run(task, order)
  expect(inner.ran[0]?.task).toBe(task)
})

test('a text that can not be read fails its task', async () => {
  const broken = { read: () => Promise.reject(new Error('no dictionary')) }
  const runner = new ReadingRunner(new AnalyticRunner(), dictionary, broken)
  const task: PlanTask = {
    kind: 'plan',
    part: 'all',
    text: '猫',
    pronunciation: 'ja',
    styles: new Float32Array(),
    speed: 1,
  }
  await expect(runner.run(task, order)).rejects.toThrow('no dictionary')
})
