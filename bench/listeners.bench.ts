import { delay, systemClock } from '../src/runtime/clock.ts'
import { firstAudioMs, hearing, wasHeard } from './hearing.ts'
import { startNode } from './node-under-test.ts'
import { startOpenNode } from './open-node.ts'
import { processorSeconds } from './process-usage.ts'
import { seededRandom } from './seeded-random.ts'
import { type Listened, SpeechClient } from './speech-client.ts'
import { figure } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { TASK_ORDERS } from './task-orders.ts'
import { PARAGRAPH, SENTENCES } from './texts.ts'

const COUNTS = [1, 2, 4, 6, 8, 10, 12]
/** A lone stream is measured so often that its first audio has a median. */
const ROUND_STREAMS_MIN = 4
/** Every listener comes within this time, so that all of them listen at once. */
const START_WITHIN_MS = 3_000
/** The node is idle again by then. */
const SETTLE_MS = 500
/** Where fewer are admitted, hardly a task would have to wait for another. */
const ORDERED_MIN = 4
const SEED = 1

/** How many streams at once keep ahead of a player that began at the first audio. */
export async function listenersBench(): Promise<BenchTable[]> {
  const { table, admittedMax } = await capacity()
  const many = Math.max(admittedMax, ORDERED_MIN)
  return [table, await orders([many, Math.ceil(many * 1.5)])]
}

async function capacity(): Promise<{ table: BenchTable; admittedMax: number }> {
  const node = await startNode()
  try {
    const client = new SpeechClient(node.url, await node.voiceKey('preset_af_heart'))
    const random = seededRandom(SEED)
    const rows: (string | number)[][] = []
    let admittedMax = 0
    let aloneMs = Number.NaN
    await client.sse(PARAGRAPH)
    for (const count of COUNTS) {
      process.stderr.write(`  ${count} listeners …\n`)
      const [cpuBefore, usedBefore] = [await processorSeconds(node.pid), await client.charactersUsed()]
      const listened: Listened[] = []
      for (let round = 0; round * count < ROUND_STREAMS_MIN; round++)
        listened.push(...(await listen(client, count, random)))
      const heard = listened.filter(wasHeard)
      const rounds = listened.length / count
      const owed = (await client.charactersUsed()) - usedBefore - heard.length * PARAGRAPH.length
      const audioSeconds = heard.reduce((total, { playback }) => total + playback.audioMs, 0) / 1_000
      const rtf = ((await processorSeconds(node.pid)) - cpuBefore) / audioSeconds
      const first = firstAudioMs(heard)
      if (count === 1) aloneMs = first.p50
      admittedMax = Math.max(admittedMax, heard.length / rounds)
      rows.push([
        count,
        figure(heard.length / rounds),
        figure((listened.length - heard.length) / rounds),
        owed,
        ...[first.p50, first.p99].map(figure),
        `${figure(first.p50 / aloneMs)}×`,
        ...hearing(heard),
        figure(rtf),
      ])
      process.stderr.write(`  ${rows.at(-1)?.join(' | ')}\n`)
    }
    return { table: capacityTable(rows), admittedMax: Math.ceil(admittedMax) }
  } finally {
    await node.stop()
  }
}

function capacityTable(rows: BenchTable['rows']): BenchTable {
  return {
    title: 'Listeners at once',
    columns: [
      'listeners',
      'admitted',
      'refused',
      'charged to refused',
      'first audio p50 ms',
      'p99 ms',
      'p50 to 1 listener',
      'underran',
      'silence ms',
      'longest gap ms',
      'CPU-RTF',
    ],
    rows,
    notes: [
      `SSE streams of ${PARAGRAPH.length} characters, about 20 s of speech, that begin at random moments within ${START_WITHIN_MS / 1_000} s (seed ${SEED}); few listeners are measured in several rounds. The client shares the cores.`,
      'Refused: 503 with Retry-After. Charged to refused: characters the key paid beyond those of admitted streams.',
      'Playback begins with the first audio byte; a stream underran if the player ever ran dry. Silence is the sum over all streams.',
      'CPU-RTF: processor seconds of the whole node process for a second of speech. Aim: 0.22, 8 listeners on 2 cores without an underrun.',
    ],
  }
}

/** The same streams at the same moments, the scheduler's tasks in another order, nobody refused. */
async function orders(counts: readonly number[]): Promise<BenchTable> {
  const node = await startOpenNode()
  try {
    const rows: (string | number)[][] = []
    await node.client.sse(PARAGRAPH)
    for (const count of counts) {
      for (const order of TASK_ORDERS) {
        process.stderr.write(`  ${count} listeners, ${order} …\n`)
        node.runner.order = order
        const heard = (await listen(node.client, count, seededRandom(SEED))).filter(wasHeard)
        const { p50, p99 } = firstAudioMs(heard)
        rows.push([count, order, figure(p50), figure(p99), ...hearing(heard)])
        process.stderr.write(`  ${rows.at(-1)?.join(' | ')}\n`)
      }
    }
    return {
      title: 'The order of tasks',
      columns: ['listeners', 'order', 'first audio p50 ms', 'p99 ms', 'underran', 'silence ms', 'longest gap ms'],
      rows,
      notes: [
        `As many streams as the node admits (${ORDERED_MIN} at least), and half as many again, all of them admitted, in turn under each order; node and client in one process. The node itself takes the earliest deadline first.`,
        'Aim: deadline order is never worse, and first audio comes three times sooner.',
      ],
    }
  } finally {
    await node.stop()
  }
}

async function listen(client: SpeechClient, count: number, random: () => number): Promise<Listened[]> {
  const listening = Array.from({ length: count }, async (_, listener) => {
    await delay(systemClock, random() * START_WITHIN_MS)
    return client.sse(textOf(listener))
  })
  const listened = await Promise.all(listening)
  await delay(systemClock, SETTLE_MS)
  return listened
}

/** The same sentences, each listener beginning with another. */
function textOf(listener: number): string {
  const first = listener % SENTENCES.length
  return [...SENTENCES.slice(first), ...SENTENCES.slice(0, first)].join(' ')
}
