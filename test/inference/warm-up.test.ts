import { expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import type { WorkerPool } from '../../src/inference/scheduler.ts'
import { warmUp, warmUpRecognition } from '../../src/inference/warm-up.ts'
import type { SpeechTask } from '../../src/speech/task-protocol.ts'
import { FakeClock } from '../fake-clock.ts'
import { AnalyticRunner, styleOf } from './analytic-runner.ts'

it('what speech costs is known before the first listener is admitted, without what it takes to load the models', async () => {
  const clock = new FakeClock()
  const costs = new CostModel()
  const runner = new AnalyticRunner()
  const kinds: string[] = []
  const pool: WorkerPool = {
    workers: 1,
    run: (task) => {
      clock.advance(kinds.length === 0 ? 5_000 : 100)
      kinds.push(task.kind)
      return runner.run(task, { deadline: 0 })
    },
  }
  await warmUp(pool, costs, clock, styleOf())
  expect(kinds.slice(0, 3)).toEqual(['plan', 'plan', 'window'])
  const plan = runner.tasks('plan')[0]!
  expect(costs.predictMs(plan)).toBeCloseTo(100)
  const windows = runner.tasks('window')
  const frames = windows.reduce((sum, window) => sum + window.frames, 0)
  expect(costs.predictMs(windows[0]!)).toBeCloseTo((100 * windows.length * windows[0]!.frames) / frames)
})

it('what recognition costs is known before the first microphone is admitted', async () => {
  const clock = new FakeClock()
  const costs = new CostModel()
  const tasks: SpeechTask[] = []
  const pool: WorkerPool = {
    workers: 1,
    run: async (task) => {
      clock.advance(tasks.length === 0 ? 5_000 : 75)
      tasks.push(task)
      return { text: '', language: 'en' } as never
    },
  }
  await warmUpRecognition(pool, costs, clock, ['en'])
  expect(tasks).toMatchObject(Array(2).fill({ kind: 'recognize', languages: ['en'] }))
  // 75 ms for four seconds and one of silence, and as much again for the words that a hum has none of.
  expect(costs.recognitionMs(5)).toBeCloseTo(150)
})
