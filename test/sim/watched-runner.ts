import type { Clock } from '../../src/runtime/clock.ts'
import type { SpeechTask, TaskResult } from '../../src/speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../../src/speech/task-runner.ts'

/** Knows of every task that waits for a worker, with its order, whatever the scheduler believes. */
export class WatchedRunner implements TaskRunner {
  listeners = 0
  readonly orders = new WeakMap<SpeechTask, TaskOrder>()
  readonly waiting = new Set<SpeechTask>()
  /** Tasks that came before their deadlines. */
  readonly inTime = new WeakSet<SpeechTask>()
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

  listen(): () => void {
    this.listeners += 1
    const stop = this.#inner.listen()
    let isOpen = true
    return () => {
      if (isOpen) this.listeners -= 1
      isOpen = false
      stop()
    }
  }
}
