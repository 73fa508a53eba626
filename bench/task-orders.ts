import type { SpeechTask, TaskResult } from '../src/speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../src/speech/task-runner.ts'

export const TASK_ORDERS = ['earliest deadline first', 'first come, first served', 'round robin'] as const
export type TaskOrderName = (typeof TASK_ORDERS)[number]

/**
 * Makes the scheduler behind it take tasks in another order by handing it other deadlines: of equal ones it takes the
 * first to come. Batch work stays batch work.
 */
export class ReorderingRunner implements TaskRunner {
  order: TaskOrderName = 'earliest deadline first'
  readonly #inner: TaskRunner
  /** A stream's last turn; its signal is what tells it from others. */
  readonly #turns = new WeakMap<AbortSignal, number>()
  /** The turn that was served last. */
  #turn = 0

  constructor(inner: TaskRunner) {
    this.#inner = inner
  }

  listen(runsDryAt?: () => number): () => void {
    return this.#inner.listen(runsDryAt)
  }

  async run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>> {
    if (order.deadline === Number.POSITIVE_INFINITY || this.order === 'earliest deadline first') {
      return this.#inner.run(task, order)
    }
    const turn = this.order === 'round robin' ? this.#nextTurn(order.signal) : 0
    const result = await this.#inner.run(task, { ...order, deadline: turn })
    this.#turn = Math.max(this.#turn, turn)
    return result
  }

  /** One task a stream and turn. A stream that comes late, or has nothing to do for a while, doesn't catch up. */
  #nextTurn(stream: AbortSignal | undefined): number {
    const last = stream && this.#turns.get(stream)
    const turn = Math.max(this.#turn, (last ?? 0) + 1)
    if (stream) this.#turns.set(stream, turn)
    return turn
  }
}
