import { expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import type { WorkerPool } from '../../src/inference/scheduler.ts'
import { warmUpRecognition } from '../../src/inference/warm-up.ts'
import type { SpeechTask } from '../../src/speech/task-protocol.ts'
import { FakeClock } from '../fake-clock.ts'

it('what recognition costs is known before the first microphone is admitted', async () => {
  const clock = new FakeClock()
  const costs = new CostModel()
  const tasks: SpeechTask[] = []
  const pool: WorkerPool = {
    workers: 1,
    run: async (task) => {
      tasks.push(task)
      clock.advance(75)
      return { text: '', language: 'en' } as never
    },
  }
  await warmUpRecognition(pool, costs, clock, ['en'])
  expect(tasks).toMatchObject([{ kind: 'recognize', languages: ['en'] }])
  // 75 ms for four seconds and one of silence, and as much again for the words that a hum has none of.
  expect(costs.recognitionMs(5)).toBeCloseTo(150)
})
