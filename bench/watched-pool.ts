import type { WorkerPool } from '../src/inference/scheduler.ts'
import type { SpeechTask, TaskResult } from '../src/speech/task-protocol.ts'

export interface FinishedTask {
  readonly kind: SpeechTask['kind']
  /** Length of a window; 0 for any other task. */
  readonly frames: number
  readonly startedAt: number
  readonly endedAt: number
}

/** A pool whose tasks are timed, from the scheduler's hand to the answer. */
export class WatchedPool implements WorkerPool {
  readonly #inner: WorkerPool
  /** In the order in which they ended. */
  readonly finished: FinishedTask[] = []
  #running = 0

  constructor(inner: WorkerPool) {
    this.#inner = inner
  }

  get workers(): number {
    return this.#inner.workers
  }

  get running(): number {
    return this.#running
  }

  async run<T extends SpeechTask>(task: T): Promise<TaskResult<T>> {
    const startedAt = performance.now()
    this.#running += 1
    try {
      return await this.#inner.run(task)
    } finally {
      this.#running -= 1
      const frames = task.kind === 'window' ? task.frames : 0
      this.finished.push({ kind: task.kind, frames, startedAt, endedAt: performance.now() })
    }
  }
}
