import { Piscina } from 'piscina'
import type { DetectAnswer, DetectTask } from '../speech/detection-protocol.ts'
import type { DetectionRunner } from './batching-detector.ts'

/** A thread that is not kept is ended after this without work. */
const IDLE_MS = 60_000

/** One thread for voice activity, apart from inference: a recogniser at work must not delay the end of speech. */
export class DetectionPool implements DetectionRunner {
  readonly #pool: Piscina<DetectTask, DetectAnswer>

  /** `filename`: the compiled worker entry; `workerData`: what it loads. `kept`: the thread is there before and after its work. */
  constructor(filename: string, workerData: unknown, kept = true) {
    this.#pool = new Piscina({
      filename,
      minThreads: kept ? 1 : 0,
      maxThreads: 1,
      idleTimeout: kept ? Number.POSITIVE_INFINITY : IDLE_MS,
      // The detector has one task at a time.
      maxQueue: 1,
      concurrentTasksPerWorker: 1,
      // The worker must reach its event loop between tasks: ONNX Runtime settles its promises there.
      atomics: 'disabled',
      recordTiming: false,
      workerData,
    })
    // Also reported through the promise of the task that was running, where it is handled.
    this.#pool.on('error', () => {})
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
