import { fileURLToPath } from 'node:url'
import { afterEach, describe, expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import { Scheduler, WorkerLost } from '../../src/inference/scheduler.ts'
import { PiscinaWorkerPool } from '../../src/inference/worker-pool.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { MeasureTask } from '../../src/speech/task-protocol.ts'

const FRAGILE = fileURLToPath(new URL('./fragile-worker.js', import.meta.url))

let pool: PiscinaWorkerPool
afterEach(() => pool.close())

function taskOf(text: string): MeasureTask {
  return { kind: 'measure', text, pronunciation: 'en-us', styles: new Float32Array() }
}

describe('PiscinaWorkerPool', () => {
  it('tells a task that failed from a worker that died', async () => {
    pool = new PiscinaWorkerPool(FRAGILE, 1, {})
    await expect(pool.run(taskOf('fail'))).rejects.toThrow('no such voice')
    await expect(pool.run(taskOf('die'))).rejects.toThrow(WorkerLost)
  })

  it('replaces a worker that died, with the tasks that wait for it unharmed', async () => {
    pool = new PiscinaWorkerPool(FRAGILE, 1, {})
    const first = await pool.run(taskOf('ok'))
    const [died, next] = await Promise.allSettled([pool.run(taskOf('die')), pool.run(taskOf('ok'))])
    expect([died.status, next.status]).toEqual(['rejected', 'fulfilled'])
    expect(await pool.run(taskOf('ok'))).not.toEqual(first)
  })

  it('leaves the arrays of a task with their owner, who needs them again if the worker dies', async () => {
    pool = new PiscinaWorkerPool(FRAGILE, 1, {})
    const task = { ...taskOf('ok'), styles: new Float32Array(8) }
    await pool.run(task)
    expect(task.styles).toHaveLength(8)
  })

  it('serves a scheduler whose tasks outlive dying workers', async () => {
    pool = new PiscinaWorkerPool(FRAGILE, 2, {})
    const scheduler = new Scheduler(pool, new CostModel(), systemClock)
    const results = await Promise.allSettled(
      ['ok', 'die', 'ok', 'ok', 'die', 'ok'].map((text) => scheduler.run(taskOf(text), { deadline: 0 })),
    )
    expect(results.map(({ status }) => status)).toEqual([
      'fulfilled',
      'rejected',
      'fulfilled',
      'fulfilled',
      'rejected',
      'fulfilled',
    ])
  })
})
