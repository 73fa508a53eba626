import type { Worker } from 'node:worker_threads'
import { Piscina } from 'piscina'
import type { SpeechTask, TaskAnswer, TaskResult } from '../speech/task-protocol.ts'
import { WorkerLost, type WorkerPool } from './scheduler.ts'

/**
 * Inference threads, each with every model loaded. Tasks wait in the scheduler, not here: the scheduler never submits
 * more than there are workers, so the queue only holds a task while a dead worker's successor loads its models.
 */
export class PiscinaWorkerPool implements WorkerPool {
  readonly workers: number
  readonly #pool: Piscina<SpeechTask, TaskAnswer>
  /** Threads that have their models. The first ones count as such from the start: they are warmed up before use. */
  readonly #loaded = new WeakSet<Worker>()

  /** `filename`: the compiled worker entry; `workerData`: what it loads. */
  constructor(filename: string, workers: number, workerData: unknown) {
    this.workers = workers
    this.#pool = new Piscina({
      filename,
      minThreads: workers,
      maxThreads: workers,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxQueue: workers,
      concurrentTasksPerWorker: 1,
      // A worker must reach its event loop between tasks: ONNX Runtime settles its promises there.
      atomics: 'disabled',
      recordTiming: false,
      workerData,
    })
    // Also reported through the promise of the task that was running, where it is handled.
    this.#pool.on('error', () => {})
    this.#pool.on('workerCreate', ({ id }) => {
      const thread = this.#pool.threads.find(({ threadId }) => threadId === id)
      if (thread !== undefined) this.#loaded.add(thread)
    })
  }

  /** The task is copied, not transferred: should the worker die, the scheduler needs it again. */
  async run<T extends SpeechTask>(task: T): Promise<TaskResult<T>> {
    const answer = await this.#pool.run(task).catch((cause: unknown) => {
      throw new WorkerLost('an inference worker died', { cause })
    })
    if (answer.status === 'failed') throw new Error(answer.message)
    return answer.result as TaskResult<T>
  }

  /** Ends all threads. Only when no task runs: ending a thread inside native code can end the process. */
  async close(): Promise<void> {
    await Promise.all(this.#pool.threads.map((thread) => this.#loadedOrGone(thread)))
    await this.#pool.destroy()
  }

  /** Waits for a thread that takes the place of a dead one: it loads its models, which is native code as well. */
  async #loadedOrGone(thread: Worker): Promise<void> {
    // Nothing else may be left that keeps the process alive.
    thread.ref()
    let isGone = false
    const gone = new Promise<void>((resolve) => {
      thread.once('exit', () => {
        isGone = true
        resolve()
      })
    })
    while (!this.#loaded.has(thread) && !isGone) {
      await Promise.race([gone, new Promise((resolve) => this.#pool.once('workerCreate', resolve))])
    }
  }
}
