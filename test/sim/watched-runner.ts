import type { Clock } from '../../src/runtime/clock.ts'
import type { SpeechTask, TaskResult } from '../../src/speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../../src/speech/task-runner.ts'

/** Knows of every task that waits for a worker, with its order, whatever the scheduler believes. */
export class WatchedRunner implements TaskRunner {
  readonly orders = new WeakMap<SpeechTask, TaskOrder>()
  readonly waiting = new Set<SpeechTask>()
  /** Tasks that came before their deadlines. */
  readonly inTime = new WeakSet<SpeechTask>()
  readonly #listeners = new Set<() => number>()
  readonly #clock: Clock
  readonly #inner: TaskRunner

  constructor(inner: TaskRunner, clock: Clock) {
    this.#clock = clock
    this.#inner = inner
  }

  async run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>> {
    this.orders.set(task, order)
    this.waiting.add(task)
    if (order.deadline > this.#clock.monotonic()) this.inTime.add(task)
    try {
      return await this.#inner.run(task, order)
    } finally {
      this.waiting.delete(task)
    }
  }

  get listeners(): number {
    return this.#listeners.size
  }

  /** When the first of the listeners runs dry. */
  get runsDryAt(): number {
    return Math.min(...[...this.#listeners].map((runsDryAt) => runsDryAt()))
  }

  listen(runsDryAt: () => number = () => Number.POSITIVE_INFINITY): () => void {
    const listener = () => runsDryAt()
    this.#listeners.add(listener)
    const stop = this.#inner.listen(runsDryAt)
    return () => {
      this.#listeners.delete(listener)
      stop()
    }
  }
}
