import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { delay, systemClock } from '../src/runtime/clock.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { residentKb } from './process-usage.ts'
import { seededRandom } from './seeded-random.ts'
import { SpeechClient } from './speech-client.ts'
import { figure, leastSquares } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { textOfLength } from './texts.ts'

/** Requests in all; `BENCH_MEMORY_REQUESTS` sets another number. */
const REQUESTS = Number(process.env.BENCH_MEMORY_REQUESTS ?? 1_000)
/** Caches fill and memory is taken that is kept: the first part says nothing of what comes after. */
const WARM_UP = Math.ceil(REQUESTS * 0.3)
const VOICES = ['af_heart', 'am_michael', 'bf_emma', 'ef_dora']
const AT_ONCE = 2
/** Short texts, so that many requests fit into minutes: what leaks, leaks by the request. */
const LENGTH_MIN = 8
const LENGTH_MAX = 30
/** A stream that is much longer than anybody listens to it, and therefore left. */
const LEFT_LENGTH = 400
const LEAVE_MS_MAX = 1_000
const CLIP_TEXT = 'Would you write this down?'
const SETTLE_MS = 3_000
/** Threads that decode uploads end when nothing came for a minute. */
const IDLE_MS = 65_000
/** Means of blocks of neighbouring values are nearly independent, which the values are not. */
const BLOCKS = 20
/** Two-sided 95 % of Student's distribution with 18 degrees of freedom. */
const T_95 = 2.101
const SEED = 1

/** How often each kind of request comes, in a hundred. */
const MIX = {
  generate: 13,
  bytes: 13,
  sse: 13,
  websocket: 13,
  'left sse': 6,
  'left websocket': 6,
  transcription: 10,
  'transcription lines': 5,
  usage: 8,
  refusal: 13,
} as const
type Kind = keyof typeof MIX

interface Errand {
  readonly kind: Kind
  readonly voice: number
  readonly text: string
  /** Of streams that are left. */
  readonly leaveMs: number
}

/** Whether a node that has served for a while goes on growing. */
export async function memoryBench(): Promise<BenchTable> {
  const node = await startNode()
  try {
    const clients = await openClients(node)
    const errands = drawErrands(seededRandom(SEED))
    await delay(systemClock, SETTLE_MS)
    const rows = [await row(node, 'at rest')]
    const samples: { x: number; y: number }[] = []
    const tally = { refused: 0 }
    const serve = async (from: number, to: number) => {
      let next = from
      const caller = async () => {
        while (next < to) {
          const number = next++
          if (number % 50 === 0) process.stderr.write(`  ${number} of ${REQUESTS} requests …\n`)
          if ((await run(clients, errands[number]!)) === 'no room') tally.refused += 1
          samples.push({ x: samples.length, y: (await residentKb(node.pid)).now })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, caller))
      await delay(systemClock, SETTLE_MS)
      rows.push(await row(node, `after ${to} requests`))
    }
    const startedAt = performance.now()
    await serve(0, WARM_UP)
    await serve(WARM_UP, REQUESTS)
    const minutes = (performance.now() - startedAt) / 60_000
    await delay(systemClock, IDLE_MS)
    rows.push(await row(node, 'a minute later'))
    return memoryTable(rows, samples.slice(WARM_UP), { ...tally, minutes, complaints: complaintsOf(node).length })
  } finally {
    for (const line of complaintsOf(node).slice(0, 10)) process.stderr.write(`  the node said: ${line}\n`)
    await node.stop()
  }
}

function complaintsOf({ printed }: NodeUnderTest): string[] {
  return printed.filter((line) => !line.startsWith('listening on'))
}

interface Clients {
  readonly node: NodeUnderTest
  readonly speaking: readonly SpeechClient[]
  readonly listeningKey: string
  /** A WAV file in which somebody speaks. */
  readonly clip: Blob
}

async function openClients(node: NodeUnderTest): Promise<Clients> {
  const keys = await Promise.all(VOICES.map((voice) => node.voiceKey(`preset_${voice}`)))
  const speaking = keys.map((key) => new SpeechClient(node.url, key))
  const answer = await speaking[0]!.post('/api/v1/tts/bytes', { text: CLIP_TEXT, format: 'wav' })
  return { node, speaking, listeningKey: await node.sttKey(), clip: await answer.blob() }
}

function drawErrands(random: () => number): Errand[] {
  const kinds = Object.entries(MIX).flatMap(([kind, share]) => Array<Kind>(share).fill(kind as Kind))
  return Array.from({ length: REQUESTS }, () => {
    const kind = kinds[Math.floor(random() * kinds.length)]!
    const voice = Math.floor(random() * VOICES.length)
    const length = Math.round(LENGTH_MIN * (LENGTH_MAX / LENGTH_MIN) ** random())
    const text = textOfLength(kind.startsWith('left') ? LEFT_LENGTH : length)
    return { kind, voice, text, leaveMs: random() * LEAVE_MS_MAX }
  })
}

async function run(clients: Clients, { kind, voice, text, leaveMs }: Errand): Promise<'served' | 'no room'> {
  const client = clients.speaking[voice]!
  const format = text.length % 2 === 0 ? 'wav' : 'mp3'
  switch (kind) {
    case 'generate':
    case 'bytes':
      return finish(await client.post(`/api/v1/tts/${kind}`, { text, format }), 200)
    case 'sse':
    case 'websocket':
    case 'left sse':
    case 'left websocket': {
      const leaving = new AbortController()
      const stay = kind.startsWith('left') ? systemClock.after(leaveMs, () => leaving.abort()) : () => {}
      const speak = kind.endsWith('sse') ? client.sse(text, leaving.signal) : client.socket(text, leaving.signal)
      const { status } = await speak
      stay()
      return status === 'refused' ? 'no room' : 'served'
    }
    case 'transcription':
    case 'transcription lines':
      return finish(await transcribe(clients, kind === 'transcription lines'), 200)
    case 'usage':
      await client.charactersUsed()
      return 'served'
    case 'refusal':
      return finish(await client.post('/api/v1/tts/sse', { text, speed: 'fast' }), 400)
  }
}

function transcribe({ node, listeningKey, clip }: Clients, inLines: boolean): Promise<Response> {
  const body = new FormData()
  body.set('language', 'en')
  body.set('audio', clip, 'clip.wav')
  const headers = { Authorization: `Bearer ${listeningKey}`, Connection: 'close' }
  return fetch(`${node.url}/api/v1/stt/transcriptions?stream=${inLines}`, { method: 'POST', headers, body })
}

async function finish(response: Response, expected: number): Promise<'served' | 'no room'> {
  const body = Buffer.from(await response.arrayBuffer())
  if (response.status === 503) return 'no room'
  if (response.status !== expected) {
    throw new Error(`${response.url} was answered with ${response.status}: ${body.subarray(0, 500)}`)
  }
  return 'served'
}

async function row(node: NodeUnderTest, name: string): Promise<(string | number)[]> {
  const { now, peak } = await residentKb(node.pid)
  const inProc = async (folder: string) => (await readdir(`/proc/${node.pid}/${folder}`)).length
  const metrics = await (await fetch(`${node.url}/metrics`, { headers: { Connection: 'close' } })).text()
  // Of every label together.
  const metric = (name: string) =>
    [...metrics.matchAll(new RegExp(`^${name}(?:\\{.*\\})? (\\S+)$`, 'gm'))].reduce(
      (sum, [, value]) => sum + Number(value),
      0,
    )
  const held = [
    'streams_open',
    'microphones_open',
    'live_streams',
    'tasks_queued',
    'tasks_running',
    'stream_buffered_bytes',
  ]
  return [
    name,
    figure(now / 1_024),
    figure(peak / 1_024),
    await inProc('fd'),
    await inProc('task'),
    metric('nodejs_active_resources_total'),
    held.reduce((sum, gauge) => sum + metric(`syrinx_${gauge}`), 0),
    await unfinishedFiles(node.dataDir),
  ]
}

/** Uploads, decoded audio, and audio that never got its final name. */
async function unfinishedFiles(dataDir: string): Promise<number> {
  const spooled = await readdir(join(dataDir, 'spool'))
  const audio = await readdir(join(dataDir, 'audio'))
  return spooled.length + audio.filter((name) => name.endsWith('.part')).length
}

function memoryTable(
  rows: BenchTable['rows'],
  samples: readonly { x: number; y: number }[],
  { refused, minutes, complaints }: { refused: number; minutes: number; complaints: number },
): BenchTable {
  const { slope, standardError } = leastSquares(meansOfBlocks(samples))
  const mix = Object.entries(MIX).map(([kind, share]) => `${share} ${kind}`)
  return {
    title: 'Memory of the node',
    columns: [
      '',
      'resident MiB',
      'peak MiB',
      'open files',
      'threads',
      'active resources',
      'work held',
      'unfinished files',
    ],
    rows,
    notes: [
      `${REQUESTS} requests in ${figure(minutes)} minutes, ${AT_ONCE} at a time, by ${VOICES.length} voices (seed ${SEED}); in a hundred: ${mix.join(', ')}. Texts of ${LENGTH_MIN} to ${LENGTH_MAX} characters, of ${LEFT_LENGTH} where the client leaves within a second. ${refused} found no room.`,
      `Slope of the resident memory after the first ${WARM_UP} requests: ${slope.toFixed(1)} kB a request, 95 % confidence ± ${(T_95 * standardError).toFixed(1)}, from the means of ${BLOCKS} blocks. Aim: indistinguishable from zero.`,
      'Active resources: what Node counts as keeping the process alive. Work held: streams, places, tasks and bytes that wait for readers, by the metrics. Aim: as before the first request.',
      `Lines of warning that the node printed: ${complaints}.`,
    ],
  }
}

function meansOfBlocks(samples: readonly { x: number; y: number }[]): { x: number; y: number }[] {
  const size = samples.length / BLOCKS
  return Array.from({ length: BLOCKS }, (_, block) => {
    const own = samples.slice(Math.floor(block * size), Math.floor((block + 1) * size))
    const mean = (of: (sample: { x: number; y: number }) => number) =>
      own.reduce((sum, sample) => sum + of(sample), 0) / own.length
    return { x: mean(({ x }) => x), y: mean(({ y }) => y) }
  }).filter(({ y }) => !Number.isNaN(y))
}
