import type { Clock } from '../runtime/clock.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import type { PlanTask, RecognizeTask, SpeechTask, TaskResult } from '../speech/task-protocol.ts'
import type { CostModel, MeasuredTask } from './cost-model.ts'
import type { WorkerPool } from './scheduler.ts'
import { Segment } from './segment.ts'
import type { VoiceStyle } from './voice-styles.ts'

/** Long enough for windows of every size. */
const TEXT = 'She opened the old wooden door slowly, and a warm golden light spilled out across the stones.'

/**
 * Speaks one sentence on every worker at once, bypassing the queue, so that measurements replace what the cost model
 * assumed before the first request is admitted. Rejects when a worker can't load its models.
 */
export async function warmUp(pool: WorkerPool, costs: CostModel, clock: Clock, style: VoiceStyle): Promise<void> {
  const measured: MeasuredTask[] = []
  const run = async <T extends SpeechTask>(task: T): Promise<TaskResult<T>> => {
    const startedAt = clock.monotonic()
    const result = await pool.run(task)
    measured.push({ task, ms: clock.monotonic() - startedAt })
    return result
  }
  const planning: PlanTask = {
    kind: 'plan',
    part: 'all',
    text: TEXT,
    pronunciation: 'en-us',
    styles: style.rows,
    speed: 1,
  }
  const speak = async () => {
    const plan = await run(planning)
    if (plan.status !== 'planned') throw new Error('the model refused a sentence of ordinary length')
    const segment = new Segment({ text: TEXT, pause: 'none' }, undefined, true)
    segment.begin(plan, await style.conditioning(plan.styleClass, clock.monotonic()))
    const runner = { run, listen: () => () => {} }
    while (segment.isReady) await segment.render(segment.takeSpan(), runner, { deadline: 0 })
  }
  await onEvery(pool, () => pool.run(planning))
  await onEvery(pool, speak)
  costs.calibrate(measured)
}

/** As long as what people say to a machine. */
const HEARD_SECONDS = 4
/** Writing words down takes about as long as hearing them, and there are none in a hum. */
const WORDS_FACTOR = 2

/** Lets every worker hear a hum, so that the cost model knows what recognition costs before the first microphone is admitted. */
export async function warmUpRecognition(
  pool: WorkerPool,
  costs: CostModel,
  clock: Clock,
  languages: readonly string[],
): Promise<void> {
  const samples = Float32Array.from(
    { length: HEARD_SECONDS * LISTENING_SAMPLE_RATE },
    (_, i) => 0.1 * Math.sin((2 * Math.PI * 200 * i) / LISTENING_SAMPLE_RATE),
  )
  const task: RecognizeTask = { kind: 'recognize', samples, languages, wordTimes: false }
  const hear = async () => {
    const startedAt = clock.monotonic()
    await pool.run(task)
    return { task, ms: WORDS_FACTOR * (clock.monotonic() - startedAt) }
  }
  await onEvery(pool, hear)
  costs.calibrate(await onEvery(pool, hear))
}

/** A worker loads its models when it is asked for the first time, and nothing can be learned from how long that takes. */
function onEvery<T>(pool: WorkerPool, work: () => Promise<T>): Promise<T[]> {
  return Promise.all(Array.from({ length: pool.workers }, work))
}
