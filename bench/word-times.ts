import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { wavHeader } from '../src/audio/wav.ts'
import { SAMPLE_RATE } from '../src/speech/task-protocol.ts'
import type { HeardWord, Judge } from './judge.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { wordsOf } from './word-errors.ts'

const VOICES = ['af_heart', 'am_michael', 'bf_emma', 'bm_george']

interface TimedWord {
  readonly word: string
  readonly start_ms: number
  readonly end_ms: number
}

/** When `done` says that words are spoken, against when a recogniser hears them. */
export async function wordTimesTable(judge: Judge, folder: string, sentences: readonly string[]): Promise<BenchTable> {
  const node = await startNode()
  const rows: (string | number)[][] = []
  const all: Difference[] = []
  try {
    for (const voice of VOICES) {
      const key = await node.voiceKey(`preset_${voice}`)
      const differences: Difference[] = []
      for (const [i, sentence] of sentences.entries()) {
        const { pcm, words } = await speakTimed(node, key, sentence)
        const path = join(folder, `timed-${voice}-${i}.wav`)
        await writeFile(path, Buffer.concat([wavHeader(SAMPLE_RATE, pcm.length), pcm]))
        differences.push(...compare(words, await judge.words(path, 'en')))
      }
      rows.push(rowOf(voice, differences))
      all.push(...differences)
    }
  } finally {
    await node.stop()
  }
  return {
    title: 'Word times',
    columns: ['voice', 'words', 'start: median error', 'p90', 'later (+) or earlier (−)', 'end: median error', 'p90'],
    rows: [...rows, rowOf('all', all)],
    notes: [
      'Milliseconds between what `done` says of a word and when faster-whisper (base, int8, beam 5, word timestamps) hears it; words it misheard are left out.',
      'A recogniser places words by its attention, in steps of 20 ms, and its own error is of the same size. Aim: a median of 80 ms at most for starts.',
    ],
  }
}

/** In milliseconds; positive: said to be later than it is heard. */
interface Difference {
  readonly start: number
  readonly end: number
}

function rowOf(name: string, differences: readonly Difference[]): (string | number)[] {
  const starts = differences.map(({ start }) => Math.abs(start))
  const ends = differences.map(({ end }) => Math.abs(end))
  const bias = percentile(
    differences.map(({ start }) => start),
    0.5,
  )
  const ms = (value: number) => value.toFixed(0)
  const errors = [ms(percentile(starts, 0.5)), ms(percentile(starts, 0.9)), ms(bias)]
  return [name, differences.length, ...errors, ms(percentile(ends, 0.5)), ms(percentile(ends, 0.9))]
}

/** Words that are the same in the same place; a word that one side lacks shifts the other. */
function compare(said: readonly TimedWord[], heard: readonly HeardWord[]): Difference[] {
  const differences: Difference[] = []
  let from = 0
  for (const { word, start_ms, end_ms } of said) {
    const key = wordsOf(word).join('')
    const at = heard.findIndex(
      (other, index) => index >= from && index < from + 3 && wordsOf(other.word).join('') === key,
    )
    const match = heard[at]
    if (!match) continue
    from = at + 1
    differences.push({ start: start_ms - match.start * 1_000, end: end_ms - match.end * 1_000 })
  }
  return differences
}

async function speakTimed(
  node: NodeUnderTest,
  key: string,
  text: string,
): Promise<{ pcm: Buffer; words: TimedWord[] }> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ text, timestamps: true })
  const response = await fetch(`${node.url}/api/v1/tts/sse`, { method: 'POST', headers, body })
  const events = (await response.text()).split('\n\n').map((event) => ({
    name: /^event: (.*)$/m.exec(event)?.[1],
    data: JSON.parse(/^data: (.*)$/m.exec(event)?.[1] ?? '{}') as { audio?: string; words?: TimedWord[] },
  }))
  const done = events.find(({ name }) => name === 'done')
  if (!done?.data.words) throw new Error(`${response.status}: no word times for "${text}"`)
  const pcm = Buffer.concat(events.map(({ data }) => Buffer.from(data.audio ?? '', 'base64')))
  return { pcm, words: done.data.words }
}
