import type { WorkerPool } from '../../src/inference/scheduler.ts'
import type { SpeechTask, TaskResult } from '../../src/speech/task-protocol.ts'
import type { FakeClock } from '../fake-clock.ts'

interface Running {
  readonly task: SpeechTask
  readonly settle: (outcome: unknown) => void
  readonly fail: (error: unknown) => void
}

/** A pool whose tasks finish when the test says so. */
export class ScriptedPool implements WorkerPool {
  readonly workers: number
  /** Every task that was started, in order. */
  readonly started: SpeechTask[] = []
  readonly #running: Running[] = []
  readonly #clock: FakeClock | undefined

  /** `clock`: where the scheduler's stands still, it is told of what has just happened. */
  constructor(workers: number, clock?: FakeClock) {
    this.workers = workers
    this.#clock = clock
  }

  get running(): number {
    return this.#running.length
  }

  run<T extends SpeechTask>(task: T): Promise<TaskResult<T>> {
    this.started.push(task)
    return new Promise((settle, fail) => {
      this.#running.push({ task, settle: settle as (outcome: unknown) => void, fail })
    })
  }

  /** Finishes the oldest running task and lets everything that follows from it happen. */
  async finish(outcome: unknown = {}): Promise<void> {
    this.#running.shift()!.settle(outcome)
    await this.#settled()
  }

  async fail(error: unknown): Promise<void> {
    this.#running.shift()!.fail(error)
    await this.#settled()
  }

  async #settled(): Promise<void> {
    await settled()
    this.#clock?.advance(0)
    await settled()
  }
}

/** Lets all promise callbacks that are due run, and what was to wait for them. */
export async function settled(): Promise<void> {
  for (let i = 0; i < 2; i++) await new Promise((resolve) => setImmediate(resolve))
}
