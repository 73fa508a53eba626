import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { loadConfig } from '../src/config.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { type Band, bandLevelDb } from './band-level.ts'
import { type Judge, type Judgement, startJudge } from './judge.ts'
import { languagesTable } from './languages.ts'
import { startNode } from './node-under-test.ts'
import { loadShippedKokoro, type ShippedKokoro } from './shipped-kokoro.ts'
import { fetchSpeech, trimmedWav } from './spoken-wav.ts'
import { figure, median } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { wordErrors, wordsOf } from './word-errors.ts'
import { wordTimesTable } from './word-times.ts'

const VOICES = ['af_heart', 'am_michael', 'bf_emma', 'bm_george', 'af_nicole', 'am_puck']

/** Written as a recogniser writes, so that a difference is a word and not a spelling. */
const SENTENCES = [
  'Hello there.',
  'Thank you very much.',
  'Good morning, everyone.',
  'Where are you going?',
  'He will call you back tomorrow.',
  'The train leaves in a few minutes.',
  'Please close the window before you leave.',
  'The quick brown fox jumps over the lazy dog.',
  'Nobody knew what had happened to the old captain.',
  'We usually buy fresh bread at the corner before work.',
  'Could you please tell me where the nearest station is?',
  'She forgot her umbrella yesterday and came home completely wet.',
  'My brother enjoys playing the guitar, but he never practices at home.',
  'The children went to the park after school and fed the ducks.',
  'In the evening they sat together by the fire and told each other stories.',
  'The bakery on the corner opens early, so there are always people waiting at sunrise.',
  'If the weather stays like this, we should be able to reach the village before dark.',
  'She opened the old wooden door slowly, and a warm golden light spilled out across the stones of the quiet garden path.',
  'Beyond it, the river moved under a thin layer of mist, and somewhere in the distance an old bell was ringing for the evening hour.',
  'The doctor listened carefully, wrote a few words in her notebook, and explained that the patient needed rest, fresh air, and regular meals more than any medicine.',
]

/** Every sentence by every voice: are the words there, and is the sound as clean as the shipped graph decoding whole? */
export async function qualityBench(): Promise<BenchTable[]> {
  const { modelsDir } = loadConfig()
  const packs = await ensurePacks(['whisper-base'], { modelsDir, clock: systemClock, reporter: lineReporter(() => {}) })
  const judge = await startJudge(packs.get('whisper-base')!.dir)
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-quality-'))
  try {
    const shippedKokoro = await loadShippedKokoro(modelsDir)
    const fast = await judgeNode(judge, folder)
    const shipped = await judgeShipped(judge, folder, shippedKokoro)
    return [
      qualityTable(fast, shipped),
      await judgeLanguages(judge, folder, shippedKokoro),
      await wordTimesTable(judge, folder, SENTENCES),
    ]
  } finally {
    judge.close()
    await rm(folder, { recursive: true, force: true })
  }
}

interface Clip extends Judgement {
  readonly voice: string
  readonly sentence: string
  readonly errors: number
  /** Of each of `BANDS`, in dB. */
  readonly levels: readonly number[]
}

const BANDS: readonly Band[] = [
  { from: 0, to: 4_000 },
  { from: 4_000, to: 8_000 },
  { from: 8_000, to: 12_000 },
]

async function judgeNode(judge: Judge, folder: string): Promise<Clip[]> {
  const node = await startNode()
  const clips: Clip[] = []
  try {
    for (const voice of VOICES) {
      const key = await node.voiceKey(`preset_${voice}`)
      // The voice is calibrated meanwhile; what follows is what a listener hears from then on.
      for (const sentence of SENTENCES.slice(-8)) await fetchSpeech(node, key, sentence)
      for (const [i, sentence] of SENTENCES.entries()) {
        const path = join(folder, `${voice}-${i}.wav`)
        await writeFile(path, await fetchSpeech(node, key, sentence))
        clips.push(await judged(judge, path, voice, sentence))
      }
    }
  } finally {
    await node.stop()
  }
  return clips
}

async function judgeLanguages(judge: Judge, folder: string, shipped: ShippedKokoro): Promise<BenchTable> {
  const node = await startNode()
  try {
    return await languagesTable(judge, node, shipped, folder)
  } finally {
    await node.stop()
  }
}

async function judgeShipped(judge: Judge, folder: string, shipped: ShippedKokoro): Promise<Clip[]> {
  const clips: Clip[] = []
  for (const [v, voice] of VOICES.entries()) {
    for (const [i, sentence] of SENTENCES.entries()) {
      // The shipped graph is slow: each voice speaks every third sentence.
      if ((i + v) % 3 !== 0) continue
      const samples = await shipped.speak(sentence, voice.startsWith('b') ? 'en-gb' : 'en-us', voice)
      const path = join(folder, `shipped-${voice}-${i}.wav`)
      await writeFile(path, trimmedWav(samples))
      clips.push(await judged(judge, path, voice, sentence))
    }
  }
  return clips
}

async function judged(judge: Judge, path: string, voice: string, sentence: string): Promise<Clip> {
  const judgement = await judge.judge(path, 'en')
  const errors = wordErrors(wordsOf(sentence), wordsOf(judgement.text))
  if (errors > 0) process.stderr.write(`${path}: "${sentence}" was heard as "${judgement.text}"\n`)
  const wav = await readFile(path)
  return { ...judgement, voice, sentence, errors, levels: BANDS.map((band) => bandLevelDb(wav, band)) }
}

function qualityTable(fast: readonly Clip[], shipped: readonly Clip[]): BenchTable {
  const rows = [...VOICES, 'all'].map((voice) => {
    const of = (clips: readonly Clip[]) => clips.filter((clip) => voice === 'all' || clip.voice === voice)
    const pairs = of(shipped).map((clip) => {
      const own = fast.find((other) => other.voice === clip.voice && other.sentence === clip.sentence)!
      return {
        overall: own.overall - clip.overall,
        levels: own.levels.map((level, band) => level - clip.levels[band]!),
      }
    })
    const overall = pairs.map((pair) => pair.overall)
    return [
      voice,
      wordErrorRate(of(fast)),
      wordErrorRate(of(shipped)),
      figure(mean(of(fast).map((clip) => clip.overall))),
      figure(mean(of(shipped).map((clip) => clip.overall))),
      mean(overall).toFixed(3),
      median(overall).toFixed(3),
      ...BANDS.map((_, band) => mean(pairs.map((pair) => pair.levels[band]!)).toFixed(1)),
    ]
  })
  return {
    title: 'Words and sound of synthesised speech',
    columns: [
      'voice',
      'word errors',
      'shipped',
      'DNSMOS',
      'shipped',
      'paired difference, mean',
      'median',
      ...BANDS.map(({ from, to }) => `${from / 1_000} to ${to / 1_000} kHz, dB`),
    ],
    rows,
    notes: [
      `${SENTENCES.length} sentences of 12 to 160 characters by each voice, taken from a node as files; the shipped graph decodes every third of them whole, trimmed alike.`,
      'Word errors: substitutions, insertions and deletions in what faster-whisper (base, int8, beam 5) understood, of all words.',
      'DNSMOS P.835 overall; the difference is taken clip by clip.',
      'Bands: how much louder than the shipped graph, clip by clip, mean. DNSMOS and the recogniser hear up to 8 kHz.',
    ],
  }
}

function wordErrorRate(clips: readonly Clip[]): string {
  const words = clips.reduce((total, clip) => total + wordsOf(clip.sentence).length, 0)
  const errors = clips.reduce((total, clip) => total + clip.errors, 0)
  return `${errors} of ${words}`
}

function mean(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0) / values.length
}
