import type { CodecTask } from '../audio/codec-protocol.ts'
import type { Mp3Encoder, Mp3Stream } from '../audio/encoding.ts'
import { openThreadPool, type ThreadPool } from './thread-pool.ts'

/** Encodings that may wait for the codec thread; admission keeps the number of requests far below. */
const QUEUE_MAX = 1_024
/** Samples of a whole file encoded at a time: between two pieces, those who listen get their turn. */
const PIECE_SAMPLES = 5 * 24_000

/** One thread for codecs, apart from inference: encoding a file must not delay a window. */
export class CodecPool implements Mp3Encoder {
  readonly #pool: ThreadPool<CodecTask, Uint8Array>
  #streams = 0

  constructor(filename: string) {
    this.#pool = openThreadPool(filename, { idleMs: Number.POSITIVE_INFINITY, queueMax: QUEUE_MAX })
  }

  openMp3(sampleRate: number): Mp3Stream {
    this.#streams += 1
    const stream = this.#streams
    return {
      push: (samples) =>
        this.#pool.run({ kind: 'encode-mp3', stream, samples, sampleRate }, { transferList: [samples.buffer] }),
      finish: () => this.#pool.run({ kind: 'finish-mp3', stream }),
      discard: () => void this.#pool.run({ kind: 'discard-mp3', stream }).catch(() => {}),
    }
  }

  async encodeMp3(samples: Int16Array, sampleRate: number): Promise<Uint8Array> {
    const stream = this.openMp3(sampleRate)
    const parts: Uint8Array[] = []
    for (let at = 0; at < samples.length; at += PIECE_SAMPLES) {
      parts.push(await stream.push(samples.slice(at, at + PIECE_SAMPLES)))
    }
    parts.push(await stream.finish())
    return Buffer.concat(parts)
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }
}
