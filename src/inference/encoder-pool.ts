import { Piscina } from 'piscina'
import type { CompressedFormat, EncodeTask } from '../audio/codec-protocol.ts'
import type { CompressedEncoder } from '../audio/encoding.ts'

/** Encodings that may wait; admission keeps the number of requests far below. */
const QUEUE_MAX = 1_024
/** Without work the thread is ended after this: compiled FFmpeg takes 80 MB. */
const IDLE_MS = 60_000

/** A thread with FFmpeg for the formats that few ask for. It starts with the first of them. */
export class EncoderPool implements CompressedEncoder {
  readonly #pool: Piscina<EncodeTask, Uint8Array>

  /** `filename`: the compiled worker entry. */
  constructor(filename: string) {
    this.#pool = new Piscina({
      filename,
      minThreads: 0,
      maxThreads: 1,
      idleTimeout: IDLE_MS,
      maxQueue: QUEUE_MAX,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    })
    // Also reported through the promise of the task that was running, where it is handled.
    this.#pool.on('error', () => {})
  }

  encode(samples: Int16Array<ArrayBuffer>, sampleRate: number, format: CompressedFormat): Promise<Uint8Array> {
    return this.#pool.run({ samples, sampleRate, format }, { transferList: [samples.buffer] })
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
