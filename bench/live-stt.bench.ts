import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import WebSocket from 'ws'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { toPcm16 } from '../src/audio/pcm.ts'
import { loadConfig } from '../src/config.ts'
import { delay, systemClock } from '../src/runtime/clock.ts'
import { SEGMENTER_SETTINGS } from '../src/speech/segmenter.ts'
import { startScript } from './judge.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { processorSeconds } from './process-usage.ts'
import { recordings } from './recordings.ts'
import { figure, percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'

const COUNTS = [1, 2, 4, 8]
/** Utterances each microphone hears; `BENCH_LIVE_UTTERANCES` sets another number. */
const UTTERANCES = Number(process.env.BENCH_LIVE_UTTERANCES ?? 5)
const UTTERANCE_SECONDS_MAX = 8
/** Between two utterances: long enough to end a segment. */
const GAP_SECONDS = 1.5
const RATE = 16_000
const FRAME_MS = 20
const SAMPLES_PER_MS = RATE / 1_000

interface Utterance {
  readonly samples: Float32Array
  readonly referenceMs: number
}

/** How soon words are there after their speaker has stopped, and how old what is shown meanwhile is. */
export async function liveSttBench(): Promise<BenchTable> {
  const utterances = await loadUtterances()
  const node = await startNode()
  try {
    const key = await node.sttKey()
    const rows: (string | number)[][] = []
    await listen(node, key, 1, utterances.slice(0, 1))
    for (const count of COUNTS) {
      process.stderr.write(`  ${count} microphones …\n`)
      const before = await processorSeconds(node.pid)
      const heard = await Promise.all(
        Array.from({ length: count }, (_, i) => listen(node, key, i, rotated(utterances, i * 3).slice(0, UTTERANCES))),
      )
      const cpu = (await processorSeconds(node.pid)) - before
      rows.push([count, ...figures(heard, cpu)])
      process.stderr.write(`  ${rows.at(-1)?.join(' | ')}\n`)
    }
    const reference = utterances.map(({ referenceMs }) => referenceMs)
    rows.push(['faster-whisper int8, alone', '', utterances.length, ...percentiles(reference), ...['', '', '', '']])
    return table(rows)
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
      `LibriSpeech and LJ Speech utterances of up to ${UTTERANCE_SECONDS_MAX} s, in frames of ${FRAME_MS} ms at the pace of speech.`,
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

interface Listened {
  readonly isRefused: boolean
  readonly audioSeconds: number
  readonly speechSeconds: number
  /** From the end of the silence that ended a segment to its words. */
  readonly finals: number[]
  readonly partialAges: number[]
}

/** One microphone that is paced by the clock: audio leaves when it has been spoken. */
async function listen(node: NodeUnderTest, key: string, turn: number, spoken: readonly Utterance[]): Promise<Listened> {
  await delay(systemClock, 370 * turn)
  const gap = new Float32Array(GAP_SECONDS * RATE)
  const audio = toPcm16(Float32Array.from(spoken.flatMap(({ samples }) => [...samples, ...gap])))
  const speechSeconds = spoken.reduce((sum, { samples }) => sum + samples.length / RATE, 0)
  const [finals, partialAges]: [number[], number[]] = [[], []]
  const untilKnown = SEGMENTER_SETTINGS.silenceMs - SEGMENTER_SETTINGS.pauseMs
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/api/public/v1/stt/ws?token=${key}`)
  let isRefused = false
  let startedAt = 0
  const closed = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('message', (message: Buffer) => {
      const { type, end, code } = JSON.parse(message.toString()) as { type: string; end: number; code?: string }
      const spokenAt = startedAt + end * 1_000
      if (type === 'partial') partialAges.push(performance.now() - spokenAt)
      if (type === 'segment') finals.push(performance.now() - spokenAt - untilKnown)
      if (code === 'STT_UNAVAILABLE') isRefused = true
      else if (code !== undefined) reject(new Error(`a session ended with ${code}`))
    })
    socket.on('open', async () => {
      socket.send(JSON.stringify({ type: 'start', mode: 'auto', language: 'en', sample_rate: RATE }))
      startedAt = performance.now()
      const frame = FRAME_MS * SAMPLES_PER_MS
      for (let at = 0; at < audio.length && socket.readyState === WebSocket.OPEN; at += frame) {
        const dueIn = startedAt + (at + frame) / SAMPLES_PER_MS - performance.now()
        if (dueIn > 0) await delay(systemClock, dueIn)
        socket.send(audio.subarray(at, at + frame))
      }
      socket.send(JSON.stringify({ type: 'stop' }))
    })
  })
  await closed
  return { isRefused, audioSeconds: audio.length / RATE, speechSeconds, finals, partialAges }
}

function figures(listened: readonly Listened[], cpuSeconds: number): (string | number)[] {
  const heard = listened.filter(({ isRefused }) => !isRefused)
  const sum = (of: (one: Listened) => number) => heard.reduce((total, one) => total + of(one), 0)
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
