import type { DecodeTask } from '../audio/decode-protocol.ts'
import { type AudioDecoder, type DecodeResult, DecoderBusy, type WantedAudio } from '../audio/decoding.ts'
import { DECODE_MS_MAX, STT_SECONDS_MAX, STT_SECONDS_TOLERANCE } from '../limits.ts'
import type { Clock } from '../runtime/clock.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { openThreadPool, type ThreadPool } from './thread-pool.ts'

/** Two, so that a voice note does not wait for somebody's lecture. */
const THREADS = 2
/** Each is a file of at most some seconds' work. */
const WAITING_MAX = 64
/** A thread without work is ended after this: compiled FFmpeg takes 80 MB. */
const IDLE_MS = 60_000
/** A thread that does not heed its own bound is stuck inside a decoder, and is ended. */
const STUCK_MS = DECODE_MS_MAX + 10_000

const TO_TRANSCRIBE: WantedAudio = {
  sampleRate: LISTENING_SAMPLE_RATE,
  secondsMax: STT_SECONDS_MAX + STT_SECONDS_TOLERANCE,
  longer: 'refused',
}

/**
 * Threads that decode uploads. They start when there is something to decode. Unlike inference threads they may be ended in the middle
 * of a task: all that runs in them is WebAssembly.
 */
export class DecoderPool implements AudioDecoder {
  readonly #pool: ThreadPool<DecodeTask, DecodeResult>
  readonly #clock: Clock
  readonly #waiting: (() => void)[] = []
  #running = 0

  /** `filename`: the compiled worker entry. */
  constructor(filename: string, clock: Clock) {
    this.#clock = clock
    // Files wait here, so that the time a file may take counts from its start.
    this.#pool = openThreadPool(filename, { threads: THREADS, idleMs: IDLE_MS, queueMax: THREADS })
  }

  async decode(input: string, output: string, signal: AbortSignal, wanted = TO_TRANSCRIBE): Promise<DecodeResult> {
    if (this.#waiting.length >= WAITING_MAX) throw new DecoderBusy('too many files wait to be decoded')
    if (this.#running >= THREADS) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    else this.#running += 1
    try {
      return signal.aborted ? { status: 'cancelled' } : await this.#run(input, output, signal, wanted)
    } finally {
      // The place goes to whoever waits first.
      const next = this.#waiting.shift()
      if (next === undefined) this.#running -= 1
      else next()
    }
  }

  async close(): Promise<void> {
    await this.#pool.destroy()
  }

  async #run(input: string, output: string, signal: AbortSignal, wanted: WantedAudio): Promise<DecodeResult> {
    const cancel = new Int32Array(new SharedArrayBuffer(4))
    const onAbort = () => void Atomics.store(cancel, 0, 1)
    signal.addEventListener('abort', onAbort, { once: true })
    const stuck = new AbortController()
    const unwatch = this.#clock.after(STUCK_MS, () => stuck.abort())
    try {
      return await this.#pool.run({ input, output, ...wanted, msMax: DECODE_MS_MAX, cancel }, { signal: stuck.signal })
    } catch (error) {
      if (stuck.signal.aborted) return { status: 'undecodable', message: 'the audio takes too long to decode' }
      throw error
    } finally {
      unwatch()
      signal.removeEventListener('abort', onAbort)
    }
  }
}
