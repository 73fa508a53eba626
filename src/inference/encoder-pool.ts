import type { CompressedFormat, EncodeTask } from '../audio/codec-protocol.ts'
import type { CompressedEncoder } from '../audio/encoding.ts'
import { openThreadPool, type ThreadPool } from './thread-pool.ts'

/** Encodings that may wait; admission keeps the number of requests far below. */
const QUEUE_MAX = 1_024
/** Without work the thread is ended after this: compiled FFmpeg takes 80 MB. */
const IDLE_MS = 60_000

/** A thread with FFmpeg for the formats that few ask for. It starts with the first of them. */
export class EncoderPool implements CompressedEncoder {
  readonly #pool: ThreadPool<EncodeTask, Uint8Array>

  /** `filename`: the compiled worker entry. */
  constructor(filename: string) {
    this.#pool = openThreadPool(filename, { idleMs: IDLE_MS, queueMax: QUEUE_MAX })
  }

  encode(samples: Int16Array<ArrayBuffer>, sampleRate: number, format: CompressedFormat): Promise<Uint8Array> {
    return this.#pool.run({ samples, sampleRate, format }, { transferList: [samples.buffer] })
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
