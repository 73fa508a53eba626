import { delay, systemClock } from '../src/runtime/clock.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { residentKb } from './process-usage.ts'
import { seededRandom } from './seeded-random.ts'
import { SpeechClient } from './speech-client.ts'
import { figure, leastSquares } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { textOfLength } from './texts.ts'

/** Requests in all; `BENCH_MEMORY_REQUESTS` sets another number. */
const REQUESTS = Number(process.env.BENCH_MEMORY_REQUESTS ?? 300)
const EARLY_REQUESTS = Math.min(100, REQUESTS)
const VOICES = ['af_heart', 'am_michael', 'bf_emma', 'ef_dora']
const WAYS = ['generate', 'bytes', 'sse', 'websocket'] as const
const AT_ONCE = 2
const LENGTH_MIN = 12
const LENGTH_MAX = 1_000
/** Short texts are as common as they are in life: the logarithm of the length goes with this power of chance. */
const LENGTH_SKEW = 4
/** Every so many requests the longest text comes as a stream that is left; once, early, as a file that is made whole. */
const LONGEST_EVERY = 75
const LONGEST = 5_000
const LONGEST_FILE = 10
/** Of the streams, which the client leaves within `LEAVE_MS_MAX`. */
const LEFT_SHARE = 0.3
const LEAVE_MS_MAX = 2_000
const SETTLE_MS = 2_000
const SEED = 1

interface Errand {
  readonly way: (typeof WAYS)[number]
  readonly voice: number
  readonly text: string
  /** The client leaves after this time. */
  readonly leaveMs: number | undefined
}

/** Whether a node that has served for a while goes on growing. */
export async function memoryBench(): Promise<BenchTable> {
  const node = await startNode()
  try {
    const clients = await Promise.all(
      VOICES.map(async (voice) => new SpeechClient(node.url, await node.voiceKey(`preset_${voice}`))),
    )
    await delay(systemClock, SETTLE_MS)
    const errands = drawErrands(seededRandom(SEED))
    const rows = [await row(node, 'at rest')]
    const samples: { x: number; y: number }[] = []
    const tally = { left: 0, refused: 0 }
    const serve = async (from: number, to: number) => {
      let next = from
      const caller = async () => {
        while (next < to) {
          const number = next++
          if (number % 10 === 0) process.stderr.write(`  ${number} of ${REQUESTS} requests …\n`)
          const status = await run(clients, errands[number]!)
          if (status !== 'heard') tally[status] += 1
          samples.push({ x: samples.length, y: (await residentKb(node.pid)).now })
        }
      }
      await Promise.all(Array.from({ length: AT_ONCE }, caller))
      await delay(systemClock, SETTLE_MS)
      rows.push(await row(node, `after ${to} requests`))
    }
    await serve(0, EARLY_REQUESTS)
    if (REQUESTS > EARLY_REQUESTS) await serve(EARLY_REQUESTS, REQUESTS)
    const complaints = node.printed.filter((line) => !line.startsWith('listening on'))
    for (const line of complaints.slice(0, 10)) process.stderr.write(`  the node said: ${line}\n`)
    return memoryTable(rows, samples.slice(samples.length / 2), errands, { ...tally, complaints: complaints.length })
  } finally {
    await node.stop()
  }
}

function drawErrands(random: () => number): Errand[] {
  return Array.from({ length: REQUESTS }, (_, number) => {
    const length = Math.round(LENGTH_MIN * (LENGTH_MAX / LENGTH_MIN) ** (random() ** LENGTH_SKEW))
    const way = WAYS[Math.floor(random() * WAYS.length)]!
    const voice = Math.floor(random() * VOICES.length)
    const [leaves, leaveMs] = [random() < LEFT_SHARE, random() * LEAVE_MS_MAX]
    if (number === LONGEST_FILE) return { way: 'bytes', voice, text: textOfLength(LONGEST), leaveMs: undefined }
    const isStream = way === 'sse' || way === 'websocket'
    if (number > 0 && number % LONGEST_EVERY === 0) {
      return { way: isStream ? way : 'sse', voice, text: textOfLength(LONGEST), leaveMs }
    }
    return { way, voice, text: textOfLength(length), leaveMs: isStream && leaves ? leaveMs : undefined }
  })
}

async function run(clients: readonly SpeechClient[], { way, voice, text, leaveMs }: Errand) {
  const client = clients[voice]!
  if (way === 'sse' || way === 'websocket') {
    const leaving = new AbortController()
    const stay = leaveMs === undefined ? () => {} : systemClock.after(leaveMs, () => leaving.abort())
    const { status } = await (way === 'sse' ? client.sse(text, leaving.signal) : client.socket(text, leaving.signal))
    stay()
    return status
  }
  const response = await client.post(`/api/v1/tts/${way}`, { text, format: text.length % 2 === 0 ? 'wav' : 'mp3' })
  await response.arrayBuffer()
  if (response.status === 503) return 'refused'
  if (!response.ok) throw new Error(`${way} was answered with ${response.status}`)
  return 'heard'
}

async function row(node: NodeUnderTest, name: string): Promise<(string | number)[]> {
  const { now, peak } = await residentKb(node.pid)
  return [name, figure(now / 1024), figure(peak / 1024)]
}

function memoryTable(
  rows: BenchTable['rows'],
  secondHalf: readonly { x: number; y: number }[],
  errands: readonly Errand[],
  { left, refused, complaints }: { left: number; refused: number; complaints: number },
): BenchTable {
  const { slope, standardError } = leastSquares(secondHalf)
  const characters = errands.reduce((total, { text }) => total + text.length, 0)
  return {
    title: 'Memory of the node',
    columns: ['', 'resident, MiB', 'peak, MiB'],
    rows,
    notes: [
      `${REQUESTS} requests, ${AT_ONCE} at a time, by ${VOICES.length} voices in all four ways (seed ${SEED}): ${LENGTH_MIN} to ${LENGTH_MAX} characters, now and then ${LONGEST}, ${characters} in all; ${left} streams were left by the client, ${refused} requests refused.`,
      `Slope of the resident memory over the second half of the requests: ${slope.toFixed(1)} kB a request, standard error ${standardError.toFixed(1)}. Aim: indistinguishable from zero. Neighbouring values hang together, so the slope is less certain than that.`,
      `Lines of warning that the node printed: ${complaints}.`,
    ],
  }
}
