import type { ReadingService, ReadingTask, ReadLanguage } from '../speech/reading/reading-protocol.ts'
import type { SpokenPart } from '../speech/task-protocol.ts'
import { openThreadPool, type ThreadPool } from './thread-pool.ts'

/** Texts that may wait for the thread; admission keeps the number of requests far below. */
const QUEUE_MAX = 1_024
/** The dictionaries take 170 MB: without a text to read for so long, they go. */
const IDLE_MS = 10 * 60_000

/** One thread for the dictionaries of the whole node, started by the first text that needs one. */
export class ReadingPool implements ReadingService {
  readonly #pool: ThreadPool<ReadingTask, SpokenPart[]>

  /** `filename`: the compiled worker entry. */
  constructor(filename: string) {
    this.#pool = openThreadPool(filename, { idleMs: IDLE_MS, queueMax: QUEUE_MAX })
  }

  read(text: string, language: ReadLanguage): Promise<readonly SpokenPart[]> {
    return this.#pool.run({ text, language })
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
