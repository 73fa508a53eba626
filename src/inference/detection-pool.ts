import type { DetectAnswer, DetectTask } from '../speech/detection-protocol.ts'
import type { DetectionRunner } from './batching-detector.ts'
import { openThreadPool, type ThreadPool } from './thread-pool.ts'

/** A thread that is not kept is ended after this without work. */
const IDLE_MS = 60_000

/** One thread for voice activity, apart from inference: a recogniser at work must not delay the end of speech. */
export class DetectionPool implements DetectionRunner {
  readonly #pool: ThreadPool<DetectTask, DetectAnswer>

  /** `filename`: the compiled worker entry; `workerData`: what it loads. `kept`: the thread is there before and after its work. */
  constructor(filename: string, workerData: unknown, kept = true) {
    this.#pool = openThreadPool(filename, {
      idleMs: kept ? Number.POSITIVE_INFINITY : IDLE_MS,
      // The detector has one task at a time.
      queueMax: 1,
      // ONNX Runtime settles its promises in the event loop.
      atomics: 'disabled',
      workerData,
    })
  }

  /** A task whose worker died is run again once: it holds everything that is needed. */
  async detect(task: DetectTask): Promise<DetectAnswer> {
    return this.#pool.run(task).catch(() => this.#pool.run(task))
  }

  /** Ends the thread. Only when no task runs: ending a thread inside native code can end the process. */
  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
