import type { WorkerPool } from '../../src/inference/scheduler.ts'
import type { SpeechTask, TaskResult } from '../../src/speech/task-protocol.ts'

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

  constructor(workers: number) {
    this.workers = workers
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
    await settled()
  }

  async fail(error: unknown): Promise<void> {
    this.#running.shift()!.fail(error)
    await settled()
  }
}

/** Lets all promise callbacks that are due run. */
export async function settled(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}
