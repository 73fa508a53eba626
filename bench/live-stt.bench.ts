import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { loadConfig } from '../src/config.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { SEGMENTER_SETTINGS } from '../src/speech/segmenter.ts'
import { firstAudioMs, hearing, wasHeard } from './hearing.ts'
import { startScript } from './judge.ts'
import { MICROPHONE_FRAME_MS, speakInto, type WrittenDown } from './microphone-client.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { processorSeconds } from './process-usage.ts'
import { recordings } from './recordings.ts'
import { type Listened, SpeechClient } from './speech-client.ts'
import { figure, percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { PARAGRAPH } from './texts.ts'

const COUNTS = [1, 2, 4, 6, 8]
/** Utterances each microphone hears; `BENCH_LIVE_UTTERANCES` sets another number. */
const UTTERANCES = Number(process.env.BENCH_LIVE_UTTERANCES ?? 5)
const UTTERANCE_SECONDS_MAX = 8
/** Microphones beside one listener. */
const BESIDE_COUNTS = [0, 1, 3]
/** Paragraphs heard, one after the other, where no microphone says how long. */
const PARAGRAPHS = 4

interface Utterance {
  readonly samples: Float32Array
  readonly referenceMs: number
}

/** How soon words are there after their speaker has stopped, and how old what is shown meanwhile is. */
export async function liveSttBench(): Promise<BenchTable[]> {
  const utterances = await loadUtterances()
  const node = await startNode()
  try {
    const key = await node.sttKey()
    const microphone = (turn: number) => {
      const spoken = rotated(utterances, turn * 3).slice(0, UTTERANCES)
      return speakInto(
        node,
        key,
        turn,
        spoken.map(({ samples }) => samples),
      )
    }
    const rows: (string | number)[][] = []
    await speakInto(node, key, 0, [utterances[0]!.samples])
    for (const count of COUNTS) {
      process.stderr.write(`  ${count} microphones …\n`)
      const before = await processorSeconds(node.pid)
      const heard = await Promise.all(Array.from({ length: count }, (_, turn) => microphone(turn)))
      const cpu = (await processorSeconds(node.pid)) - before
      rows.push([count, ...figures(heard, cpu)])
      process.stderr.write(`  ${rows.at(-1)?.join(' | ')}\n`)
    }
    const reference = utterances.map(({ referenceMs }) => referenceMs)
    rows.push(['faster-whisper int8, alone', '', utterances.length, ...percentiles(reference), ...['', '', '', '']])
    return [table(rows), await besideListener(node, microphone)]
  } finally {
    await node.stop()
  }
}

function table(rows: BenchTable['rows']): BenchTable {
  const { silenceMs } = SEGMENTER_SETTINGS
  return {
    title: 'Live microphones',
    columns: [
      'microphones',
      'refused',
      'finals',
      'final p50 ms',
      'p95 ms',
      'partial age p50 ms',
      'p95 ms',
      'partials a second of speech',
      'CPU s a second of audio',
    ],
    rows,
    notes: [
      `A final is timed from the moment at which ${silenceMs} ms of silence have shown that speech is over, so ${silenceMs} ms more pass from its last sound.`,
      'faster-whisper with the same weights, greedy, one thread, is handed each utterance whole at that moment, with nothing else running.',
      'The age of a partial is the time since the newest audio in it was spoken.',
      `LibriSpeech and LJ Speech utterances of up to ${UTTERANCE_SECONDS_MAX} s, in frames of ${MICROPHONE_FRAME_MS} ms at the pace of speech.`,
    ],
  }
}

/** One listener after the other hears the same paragraph while microphones are written down. */
async function besideListener(
  node: NodeUnderTest,
  microphone: (turn: number) => Promise<WrittenDown>,
): Promise<BenchTable> {
  const client = new SpeechClient(node.url, await node.voiceKey('preset_af_heart'))
  await client.sse(PARAGRAPH)
  const rows: (string | number)[][] = []
  for (const count of BESIDE_COUNTS) {
    process.stderr.write(`  a listener beside ${count} microphones …\n`)
    let areSpeaking = true
    const speaking = Promise.all(Array.from({ length: count }, (_, turn) => microphone(turn))).finally(() => {
      areSpeaking = false
    })
    const listened: Listened[] = []
    while (count === 0 ? listened.length < PARAGRAPHS : areSpeaking) listened.push(await client.sse(PARAGRAPH))
    const written = await speaking
    const finals = written.flatMap((one) => one.finals)
    const heard = listened.filter(wasHeard)
    const { p50, p99 } = firstAudioMs(heard)
    const refused = written.filter(({ isRefused }) => isRefused).length
    rows.push([count, refused, heard.length, figure(p50), figure(p99), ...hearing(heard), ...percentiles(finals)])
    process.stderr.write(`  ${rows.at(-1)?.join(' | ')}\n`)
  }
  return {
    title: 'A listener beside microphones',
    columns: [
      'microphones',
      'refused',
      'paragraphs heard',
      'first audio p50 ms',
      'p99 ms',
      'underran',
      'silence ms',
      'longest gap ms',
      'final p50 ms',
      'final p95 ms',
    ],
    rows,
    notes: [
      `SSE streams of ${PARAGRAPH.length} characters, one after the other, as long as anybody speaks. A stream underran if a player that began at the first audio ever ran dry.`,
      'Speech goes before finals where it would run dry, and finals before speech where it would not.',
    ],
  }
}

/** The audio of short recordings, and how long faster-whisper takes for each, one after the other. */
async function loadUtterances(): Promise<Utterance[]> {
  const { modelsDir } = loadConfig()
  const packs = await ensurePacks(['whisper-base'], { modelsDir, clock: systemClock, reporter: lineReporter(() => {}) })
  const reference = await startScript('transcribe.py', [packs.get('whisper-base')!.dir])
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-live-'))
  try {
    const short = (await recordings()).filter(({ seconds }) => seconds <= UTTERANCE_SECONDS_MAX)
    const loaded: Utterance[] = []
    for (const { path } of short.slice(0, Math.max(UTTERANCES, 2 * COUNTS.length))) {
      const pcm = join(folder, 'clip.f32')
      const { ms } = (await reference.ask(path, pcm)) as { ms: number }
      loaded.push({ samples: new Float32Array(new Uint8Array(await readFile(pcm)).buffer), referenceMs: ms })
    }
    return loaded
  } finally {
    reference.close()
    await rm(folder, { recursive: true })
  }
}

function figures(listened: readonly WrittenDown[], cpuSeconds: number): (string | number)[] {
  const heard = listened.filter(({ isRefused }) => !isRefused)
  const sum = (of: (one: WrittenDown) => number) => heard.reduce((total, one) => total + of(one), 0)
  const finals = heard.flatMap((one) => one.finals)
  const ages = heard.flatMap((one) => one.partialAges)
  return [
    listened.length - heard.length,
    finals.length,
    ...percentiles(finals),
    ...percentiles(ages),
    figure(ages.length / sum(({ speechSeconds }) => speechSeconds)),
    figure(cpuSeconds / sum(({ audioSeconds }) => audioSeconds)),
  ]
}

function percentiles(measurements: readonly number[]): string[] {
  return [0.5, 0.95].map((p) => (measurements.length === 0 ? '–' : figure(percentile(measurements, p))))
}

function rotated<T>(items: readonly T[], by: number): T[] {
  const at = by % items.length
  return [...items.slice(at), ...items.slice(0, at)]
}
