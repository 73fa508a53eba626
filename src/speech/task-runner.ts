import type { SpeechTask, TaskResult } from './task-protocol.ts'

/**
 * When a task must be finished, and when it needs no finishing at all. It may change while the task waits: what it says counts whenever a
 * worker gets its next task, which is also after each result that was taken.
 */
export interface TaskOrder {
  /** Time on the monotonic clock at which somebody would hear the lack of it; `Infinity` for batch work. */
  readonly deadline: number
  /** On the same clock: a task that has not begun by then is dropped, and its promise rejects with `TaskLate`. */
  readonly startBy?: number
  /** Nobody waits for it: of tasks with one deadline those without it go first. */
  readonly isAhead?: boolean
  /** Aborted: a waiting task is dropped, a running one finishes unheard; either way the promise rejects at once. */
  readonly signal?: AbortSignal
}

/** Runs tasks somewhere, in an order of its own. A task is copied to where it runs; its arrays stay the caller's. */
export interface TaskRunner {
  run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>>
  /**
   * Tells the runner that somebody listens, until the returned function is called. `runsDryAt`: when they will have heard all there is,
   * on the monotonic clock; never, by default.
   */
  listen(runsDryAt?: () => number): () => void
}

export class TaskLate extends Error {}
