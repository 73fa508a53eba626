import { delay, systemClock } from '../src/runtime/clock.ts'
import { STEADY_SIZE } from '../src/speech/windows.ts'
import { type OpenNode, startOpenNode } from './open-node.ts'
import { seededRandom } from './seeded-random.ts'
import { figure, percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { textOfLength } from './texts.ts'
import type { FinishedTask } from './watched-pool.ts'

const CLOSES = 40
/** Far more speech than is made before the client leaves. */
const TEXT = textOfLength(3_000)
const LEAVE_MS_MIN = 500
const LEAVE_MS_MAX = 3_500
/** A stream whose workers have had nothing to do for so long is over: between two tasks of one lie a few milliseconds. */
const QUIET_MS = 200
const SEED = 1

/** How long the node goes on working for a client that has closed its socket. */
export async function cancelBench(): Promise<BenchTable> {
  const node = await startOpenNode()
  try {
    const random = seededRandom(SEED)
    const closes: { afterMs: number; last: FinishedTask | undefined }[] = []
    for (let close = 0; close < CLOSES; close++) {
      if (close % 10 === 0) process.stderr.write(`  ${close} of ${CLOSES} sockets …\n`)
      closes.push(await closeMidStream(node, LEAVE_MS_MIN + random() * (LEAVE_MS_MAX - LEAVE_MS_MIN)))
    }
    return cancelTable(closes, node.pool.finished)
  } finally {
    await node.stop()
  }
}

/** Cuts the socket `leaveMs` after it was asked for, and waits until nothing runs any more. */
async function closeMidStream({ client, pool }: OpenNode, leaveMs: number) {
  const leaving = new AbortController()
  const listening = client.socket(TEXT, leaving.signal)
  await delay(systemClock, leaveMs)
  const closedAt = performance.now()
  leaving.abort()
  const { status } = await listening
  if (status !== 'left') throw new Error('a stream was over before the client left')
  await quiet(pool)
  const last = pool.finished.at(-1)
  return { afterMs: Math.max(0, (last?.endedAt ?? closedAt) - closedAt), last }
}

async function quiet(pool: OpenNode['pool']): Promise<void> {
  for (let finished = -1; pool.running > 0 || pool.finished.length > finished; ) {
    finished = pool.finished.length
    await delay(systemClock, QUIET_MS)
  }
}

function cancelTable(
  closes: readonly { afterMs: number; last: FinishedTask | undefined }[],
  finished: readonly FinishedTask[],
): BenchTable {
  const after = closes.map(({ afterMs }) => afterMs)
  const windows = finished
    .filter(({ frames }) => frames === STEADY_SIZE)
    .map(({ startedAt, endedAt }) => endedAt - startedAt)
  const plans = closes.filter(({ last }) => last?.kind === 'plan').length
  const row = (name: string, p: number) => {
    const [afterMs, windowMs] = [percentile(after, p), percentile(windows, p)]
    return [name, figure(afterMs), figure(windowMs), figure(afterMs / windowMs)]
  }
  return {
    title: 'Work after the socket has closed',
    columns: ['', 'last task ends after, ms', 'one steady window, ms', 'ratio'],
    rows: [row('p50', 0.5), row('p95', 0.95), row('p99', 0.99)],
    notes: [
      `${CLOSES} sockets that are cut at random moments in mid-stream (seed ${SEED}), node and client in one process; from the cut to the end of the last task the stream had with any worker.`,
      `A steady window: ${STEADY_SIZE} frames, from the scheduler to its answer, ${windows.length} of them in the same run. Aim: p99 within one window.`,
      `The task that ended last was a plan ${plans} times, else a window.`,
    ],
  }
}
