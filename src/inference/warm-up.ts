import type { Clock } from '../runtime/clock.ts'
import type { PlanTask, SpeechTask, TaskResult } from '../speech/task-protocol.ts'
import type { CostModel } from './cost-model.ts'
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
  const measured = async <T extends SpeechTask>(task: T): Promise<TaskResult<T>> => {
    const startedAt = clock.monotonic()
    const result = await pool.run(task)
    costs.calibrate(task, clock.monotonic() - startedAt)
    return result
  }
  const speak = async () => {
    const plan = await measured<PlanTask>({
      kind: 'plan',
      part: 'all',
      text: TEXT,
      pronunciation: 'en-us',
      styles: style.rows,
      speed: 1,
    })
    if (plan.status !== 'planned') throw new Error('the model refused a sentence of ordinary length')
    const segment = new Segment({ text: TEXT, pause: 'none' }, undefined, true)
    segment.begin(plan, await style.conditioning(plan.styleClass, clock.monotonic()))
    const runner = { run: measured, listen: () => () => {} }
    while (segment.isReady) await segment.render(segment.takeSpan(), runner, { deadline: 0 })
  }
  await Promise.all(Array.from({ length: pool.workers }, speak))
}
