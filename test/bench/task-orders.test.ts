import { describe, expect, it } from 'vitest'
import { ReorderingRunner, type TaskOrderName } from '../../bench/task-orders.ts'
import { CostModel } from '../../src/inference/cost-model.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { ScriptedPool } from '../inference/scripted-pool.ts'

/** Texts of the tasks in the order in which a single worker takes them. */
async function orderOf(
  order: TaskOrderName,
  tasks: readonly (readonly [text: string, deadline: number, stream: AbortSignal])[],
): Promise<string[]> {
  const pool = new ScriptedPool(1)
  const runner = new ReorderingRunner(new Scheduler(pool, new CostModel(), systemClock))
  runner.order = order
  const styles = new Float32Array()
  for (const [text, deadline, signal] of tasks) {
    void runner.run({ kind: 'plan', part: 'all', text, pronunciation: 'en-us', styles, speed: 1 }, { deadline, signal })
  }
  for (const _ of tasks) await pool.finish()
  return pool.started.map((task) => (task.kind === 'plan' ? task.text : task.kind))
}

describe('ReorderingRunner', () => {
  const [a, b] = [new AbortController().signal, new AbortController().signal]
  const tasks = [
    ['a 1', 50, a],
    ['a 2', 40, a],
    ['a 3', 30, a],
    ['b 1', 20, b],
    ['b 2', 10, b],
    ['batch', Number.POSITIVE_INFINITY, b],
  ] as const

  it('leaves the earliest deadline first', async () => {
    expect(await orderOf('earliest deadline first', tasks)).toEqual(['a 1', 'b 2', 'b 1', 'a 3', 'a 2', 'batch'])
  })

  it('serves whoever comes first, and batch tasks last', async () => {
    expect(await orderOf('first come, first served', tasks)).toEqual(['a 1', 'a 2', 'a 3', 'b 1', 'b 2', 'batch'])
  })

  it('serves streams in turn, and batch tasks last', async () => {
    expect(await orderOf('round robin', tasks)).toEqual(['a 1', 'b 1', 'a 2', 'b 2', 'a 3', 'batch'])
  })
})
