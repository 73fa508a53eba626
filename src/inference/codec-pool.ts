import { Piscina } from 'piscina'
import type { CodecTask } from '../audio/codec-protocol.ts'

/** Encodings that may wait for the codec thread; admission keeps the number of requests far below. */
const QUEUE_MAX = 1_024

/** One thread for codecs, apart from inference: encoding a file must not delay a window. */
export class CodecPool {
  readonly #pool: Piscina<CodecTask, Uint8Array>

  constructor(filename: string) {
    this.#pool = new Piscina({
      filename,
      minThreads: 1,
      maxThreads: 1,
      idleTimeout: Number.POSITIVE_INFINITY,
      maxQueue: QUEUE_MAX,
      concurrentTasksPerWorker: 1,
      recordTiming: false,
    })
  }

  /** A whole MP3 file. Takes ownership of `samples`. */
  encodeMp3(samples: Int16Array<ArrayBuffer>, sampleRate: number): Promise<Uint8Array> {
    return this.#pool.run({ kind: 'encode-mp3', samples, sampleRate }, { transferList: [samples.buffer] })
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
