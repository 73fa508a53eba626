import type { StreamOutlet } from '../speech-stream.ts'
import type { PieceEncoder } from './piece-encoders.ts'
import type { SpeechAnswer } from './speech-answer.ts'

/** Of an event beside its base64. */
const EVENT_BYTES = 64

/**
 * What becomes of frames on their way out:
 *
 *   frames ─▶ encoder (MP3: in its thread) ─▶ answer
 *
 * What waits for the encoder counts as what waits for the reader.
 */
export class EncodedOutlet implements StreamOutlet {
  readonly frameBytes: number
  readonly #encoder: PieceEncoder
  readonly #answer: SpeechAnswer
  readonly #failed = new AbortController()
  #waitingBytes = 0
  #encoded: Promise<void> = Promise.resolve()
  #settle = () => {}

  /** `pcmBytes`: of a full frame. */
  constructor(encoder: PieceEncoder, answer: SpeechAnswer, pcmBytes: number) {
    this.#encoder = encoder
    this.#answer = answer
    // In base64, four bytes for three.
    this.frameBytes = answer.takesEvents ? Math.ceil(pcmBytes / 3) * 4 + EVENT_BYTES : pcmBytes
    answer.onDrain(() => this.#settle())
  }

  /** Aborted when the encoder has failed; why comes out of `finish`. */
  get failed(): AbortSignal {
    return this.#failed.signal
  }

  get bufferedBytes(): number {
    return this.#answer.bufferedBytes + this.#waitingBytes
  }

  onDrain(callback: () => void): void {
    this.#settle = callback
  }

  push(samples: Int16Array): void {
    this.#waitingBytes += samples.byteLength
    this.#encoded = this.#encoded
      .then(async () => this.#answer.write(await this.#encoder.push(samples)))
      .finally(() => {
        this.#waitingBytes -= samples.byteLength
        this.#settle()
      })
    this.#encoded.catch(() => this.#failed.abort())
  }

  /** Resolves when everything pushed so far is with the answer. */
  settled(): Promise<void> {
    return this.#encoded
  }

  /** Writes what the encoder still holds. */
  async finish(): Promise<void> {
    this.#answer.write(await this.#encoder.finish())
  }

  discard(): void {
    this.#encoder.discard()
  }
}
