import { delay, systemClock } from '../src/runtime/clock.ts'
import { type OpenNode, startOpenNode } from './open-node.ts'
import { seededRandom } from './seeded-random.ts'
import type { Listened, SpeechClient } from './speech-client.ts'
import { figure, median, percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { SENTENCES } from './texts.ts'

/** Offered work as a multiple of what the workers can do; `BENCH_OVERLOAD_LEVELS` sets others. */
const LEVELS = (process.env.BENCH_OVERLOAD_LEVELS ?? '0.1,0.5,1,2,5,10').split(',').map(Number)
/** Requests come at random moments within this time. */
const BURST_MS = 10_000
/** Whoever has not been served so long after the burst leaves. */
const PATIENCE_MS = 15_000
/** The others ask for a file. */
const LIVE_SHARE = 0.7
const TEXT = SENTENCES[0]!
/** What somebody says who wants to know how quick the node is. */
const PROBE = 'Is anybody there?'
const PROBES_IDLE = 7
const PROBE_EVERY_MS = 250
/** A first audio this many times slower than when nothing else happens is as good as that. */
const RECOVERED_RATIO = 1.5
const RECOVERY_MS_MAX = 60_000
const SETTLE_MS = 1_000
const SEED = 1

/** What becomes of a node that is asked for more than it can do, with admission and without. */
export async function overloadBench(): Promise<BenchTable> {
  const rows: (string | number)[][] = []
  // Learned once, so that both nodes are asked for the same.
  let capacity: number | undefined
  for (const admission of ['capacity', 'everybody'] as const) {
    const node = await startOpenNode(admission)
    try {
      const idle = await idleFigures(node)
      capacity ??= node.pool.workers / (node.costs.realTimeFactor * idle.audioSecondsOfText)
      for (const level of LEVELS) {
        process.stderr.write(`  ${level} × capacity, ${admission} …\n`)
        rows.push([
          admission === 'capacity' ? 'on' : 'off',
          `${level}×`,
          ...(await measure(node.client, level * capacity, idle)),
        ])
        process.stderr.write(`  ${rows.at(-1)?.join(' | ')}\n`)
      }
    } finally {
      await node.stop()
    }
  }
  return overloadTable(rows)
}

interface Idle {
  /** Of a probe. */
  readonly firstAudioMs: number
  readonly audioSecondsOfText: number
}

async function idleFigures({ client }: OpenNode): Promise<Idle> {
  const heard = await client.sse(TEXT)
  if (heard.status !== 'heard') throw new Error('an idle node has refused a stream')
  const probes: number[] = []
  for (let probe = 0; probe < PROBES_IDLE; probe++) probes.push(await probeMs(client))
  return { firstAudioMs: median(probes), audioSecondsOfText: heard.playback.audioMs / 1_000 }
}

/** One request of a burst and what became of it by the time everybody has left. */
type Served =
  | { readonly kind: 'live'; readonly listened: Listened }
  | { readonly kind: 'file'; readonly status: 'made' | 'left' }
  | { readonly kind: 'file'; readonly status: 'refused'; readonly ms: number }

/** `perSecond`: requests. */
async function measure(client: SpeechClient, perSecond: number, idle: Idle): Promise<(string | number)[]> {
  const usedBefore = await client.charactersUsed()
  const leaving = new AbortController()
  const serving = drawArrivals(perSecond).map(async ({ atMs, isLive }): Promise<Served> => {
    await delay(systemClock, atMs)
    if (!isLive) return makeFile(client, leaving.signal)
    return { kind: 'live', listened: await client.sse(TEXT, leaving.signal) }
  })
  await delay(systemClock, BURST_MS)
  const recoveredMs = recover(client, idle)
  await Promise.race([Promise.all(serving), delay(systemClock, PATIENCE_MS)])
  leaving.abort()
  const served = await Promise.all(serving)
  const { ms, characters } = await recoveredMs
  await delay(systemClock, SETTLE_MS)
  const used = (await client.charactersUsed()) - usedBefore - characters
  return figures(served, used, ms)
}

function drawArrivals(perSecond: number): { atMs: number; isLive: boolean }[] {
  const random = seededRandom(SEED)
  const count = Math.max(1, Math.round((perSecond * BURST_MS) / 1_000))
  return Array.from({ length: count }, () => ({ atMs: random() * BURST_MS, isLive: random() < LIVE_SHARE }))
}

async function makeFile(client: SpeechClient, signal: AbortSignal): Promise<Served> {
  const startedAt = performance.now()
  try {
    const response = await client.post('/api/v1/tts/bytes', { text: TEXT, format: 'wav' }, signal)
    await response.arrayBuffer()
    if (response.status === 503) return { kind: 'file', status: 'refused', ms: performance.now() - startedAt }
    if (!response.ok) throw new Error(`a file was answered with ${response.status}`)
    return { kind: 'file', status: 'made' }
  } catch (error) {
    if (!signal.aborted) throw error
    return { kind: 'file', status: 'left' }
  }
}

/** Time until a probe sounds as soon as on an idle node, and what all of them cost. */
async function recover(client: SpeechClient, idle: Idle): Promise<{ ms: number; characters: number }> {
  const startedAt = performance.now()
  for (let characters = 0; ; ) {
    const askedMs = performance.now() - startedAt
    if (askedMs > RECOVERY_MS_MAX) return { ms: Number.POSITIVE_INFINITY, characters }
    const firstAudioMs = await probeMs(client)
    if (!Number.isNaN(firstAudioMs)) characters += PROBE.length
    if (firstAudioMs <= RECOVERED_RATIO * idle.firstAudioMs) return { ms: askedMs, characters }
    await delay(systemClock, PROBE_EVERY_MS)
  }
}

/** NaN where it is refused. */
async function probeMs(client: SpeechClient): Promise<number> {
  const heard = await client.sse(PROBE)
  return heard.status === 'refused' ? Number.NaN : heard.firstAudioMs
}

function figures(served: readonly Served[], used: number, recoveredMs: number): (string | number)[] {
  const live = served.flatMap((request) => (request.kind === 'live' ? [request.listened] : []))
  const files = served.filter((request) => request.kind === 'file')
  const heard = live.filter((listened) => listened.status !== 'refused')
  const refusedMs = [...live, ...files].flatMap((request) => (request.status === 'refused' ? [request.ms] : []))
  // Who left before any sound has waited for ever.
  const first = heard.map(({ firstAudioMs }) => (Number.isNaN(firstAudioMs) ? Number.POSITIVE_INFINITY : firstAudioMs))
  const gaps = heard.map(({ playback }) => playback.silenceMs)
  const admitted = served.length - refusedMs.length
  return [
    `${live.length} + ${files.length}`,
    `${figure((100 * refusedMs.length) / served.length)} %`,
    ...[0.5, 0.99].map((p) => shown(percentile(refusedMs, p))),
    ...[0.5, 0.95, 0.99].map((p) => shown(percentile(first, p))),
    `${gaps.filter((ms) => ms > 0).length} of ${heard.length}`,
    shown(gaps.reduce((sum, ms) => sum + ms, 0) / 1_000),
    `${files.filter(({ status }) => status === 'made').length} of ${files.filter(({ status }) => status !== 'refused').length}`,
    used - admitted * TEXT.length,
    shown(recoveredMs / 1_000),
  ]
}

function shown(value: number): string {
  return Number.isNaN(value) ? '' : value === Number.POSITIVE_INFINITY ? 'never' : figure(value)
}

function overloadTable(rows: BenchTable['rows']): BenchTable {
  return {
    title: 'Asked for more than the machine can do',
    columns: [
      'admission',
      'offered load',
      'streams + files',
      'refused',
      'time to refuse p50 ms',
      'p99 ms',
      'first audio p50 ms',
      'p95 ms',
      'p99 ms',
      'underran',
      'silence s',
      'files made',
      'charged to refused',
      'recovered after s',
    ],
    rows,
    notes: [
      `Requests of ${TEXT.length} characters that come at random moments within ${BURST_MS / 1_000} s (seed ${SEED}), ${LIVE_SHARE * 100} % of them SSE streams, the others WAV files. At 1× they are as much work as all workers can do in that time, by the real-time factor the node has learned. Node and client are in one process.`,
      `${PATIENCE_MS / 1_000} s after the burst everybody who is still there leaves. First audio and underruns are those of admitted streams; "never": its listener left first.`,
      'Charged to refused: characters the key paid, by GET /api/v1/usage, beyond those of admitted requests. Aim: 0.',
      `Recovered: from the end of the burst until a short stream is admitted and its first audio comes within ${RECOVERED_RATIO} times what it takes on the idle node.`,
      'Off: the same bursts with everybody admitted.',
    ],
  }
}
