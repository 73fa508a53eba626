import type { SpeechTask } from '../speech/task-protocol.ts'

/** What became of a task. `late`: it had not begun when it was no longer worth it. `worker_lost`: it killed its workers. */
export type TaskOutcome = 'done' | 'failed' | 'worker_lost' | 'cancelled' | 'late'

/** Hears of the scheduler's tasks, to count them. Called in the midst of scheduling: it must be quick and never throw. */
export interface TaskObserver {
  /** Once a task. A task that is cancelled while it runs has ended, although its worker is busy for a while yet. */
  taskEnded(kind: SpeechTask['kind'], outcome: TaskOutcome): void
  /** A worker finished a task in this time, be it for nobody. */
  taskRan(kind: SpeechTask['kind'], ms: number): void
  /** A task that came before its deadline was done only after it. */
  deadlineMissed(kind: SpeechTask['kind'], lateMs: number): void
  /**
   * No task of a stream runs or waits any more, `ms` after it was cancelled: its client left, or what a microphone had said
   * by then need not be known any more. Once a stream that had any; `kind` is that of its last task.
   */
  cancelled(kind: SpeechTask['kind'], ms: number): void
  /** A worker died; its task may run again on another. */
  workerLost(): void
}

export const unobservedTasks: TaskObserver = {
  taskEnded() {},
  taskRan() {},
  deadlineMissed() {},
  cancelled() {},
  workerLost() {},
}
