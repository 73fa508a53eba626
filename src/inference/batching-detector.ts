import { DETECTION_WINDOW_SAMPLES, type DetectionStream, type SpeechDetector } from '../speech/detection.ts'
import {
  DETECTION_CONTEXT_SAMPLES,
  DETECTION_STATE_WIDTH,
  type DetectAnswer,
  type DetectTask,
} from '../speech/detection-protocol.ts'

/** Runs one detection task at a time. */
export interface DetectionRunner {
  detect(task: DetectTask): Promise<DetectAnswer>
}

/** A window among so many others is as cheap as it gets. */
const STREAMS_MAX = 64
/** One second a stream and turn: somebody who pushes a whole recording makes a microphone wait for 3 ms. */
const WINDOWS_MAX = 32

/**
 * Gathers what streams push while the worker is busy into its next task, so that the more streams there are, the less each costs,
 * and a stream alone is never made to wait.
 */
export class BatchingDetector implements SpeechDetector {
  readonly #runner: DetectionRunner
  /** Streams with windows to look at, the one that has waited longest first. */
  readonly #waiting = new Set<BatchedStream>()
  /** The task that runs, or the last one that ran. Never rejects. */
  #turn: Promise<void> = Promise.resolve()
  #isBusy = false
  #isClosed = false

  constructor(runner: DetectionRunner) {
    this.#runner = runner
  }

  open(): DetectionStream {
    return new BatchedStream((stream) => {
      this.#waiting.add(stream)
      void this.#drive()
    })
  }

  /** Rejects what waits and whatever comes later; resolves when the task that runs has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    await this.#drive()
    while (this.#isBusy) await this.#turn
  }

  /** The one driver: starts the next task, if there is one to start. Safe to call at any time. */
  async #drive(): Promise<void> {
    if (this.#isClosed) {
      for (const stream of this.#waiting) stream.fail(new Error('the detector is closed'))
      this.#waiting.clear()
    }
    if (this.#isBusy || this.#waiting.size === 0) return
    this.#isBusy = true
    this.#turn = this.#look([...this.#waiting].slice(0, STREAMS_MAX))
    await this.#turn
    this.#isBusy = false
    await this.#drive()
  }

  async #look(streams: readonly BatchedStream[]): Promise<void> {
    for (const stream of streams) this.#waiting.delete(stream)
    try {
      const answer = await this.#runner.detect({ streams: streams.map((stream) => stream.take()) })
      for (const [index, stream] of streams.entries()) {
        const heard = answer.streams[index]
        if (heard === undefined) throw new Error('the detector left a stream out')
        stream.receive(heard.probabilities, heard.state)
        // It may have been pushed to, and have been answered in full, meanwhile.
        if (stream.isWaiting) this.#waiting.add(stream)
        else this.#waiting.delete(stream)
      }
    } catch (error) {
      for (const stream of streams) stream.fail(error)
    }
  }
}

/** What one `push` still waits for. */
interface Push {
  /** Context, then everything to look at. */
  readonly samples: Float32Array
  readonly probabilities: Float32Array
  received: number
  readonly resolve: (probabilities: Float32Array) => void
  readonly reject: (error: unknown) => void
}

class BatchedStream implements DetectionStream {
  readonly #onWaiting: (stream: BatchedStream) => void
  readonly #pushes: Push[] = []
  #state: Float32Array = new Float32Array(2 * DETECTION_STATE_WIDTH)
  /** The context of the next window and the part of it that is there. */
  #tail: Float32Array = new Float32Array(DETECTION_CONTEXT_SAMPLES)

  constructor(onWaiting: (stream: BatchedStream) => void) {
    this.#onWaiting = onWaiting
  }

  get isWaiting(): boolean {
    return this.#pushes.length > 0
  }

  push(samples: Float32Array): Promise<Float32Array> {
    const joined = new Float32Array(this.#tail.length + samples.length)
    joined.set(this.#tail)
    joined.set(samples, this.#tail.length)
    const windows = Math.floor((joined.length - DETECTION_CONTEXT_SAMPLES) / DETECTION_WINDOW_SAMPLES)
    this.#tail = joined.slice(windows * DETECTION_WINDOW_SAMPLES)
    return new Promise((resolve, reject) => {
      this.#pushes.push({ samples: joined, probabilities: new Float32Array(windows), received: 0, resolve, reject })
      this.#settle()
      if (this.isWaiting) this.#onWaiting(this)
    })
  }

  /** The next windows to look at, of one push. Only while it waits. */
  take(): { samples: Float32Array; state: Float32Array } {
    const { samples, probabilities, received } = this.#pushes[0]!
    const windows = Math.min(WINDOWS_MAX, probabilities.length - received)
    const from = received * DETECTION_WINDOW_SAMPLES
    const to = from + DETECTION_CONTEXT_SAMPLES + windows * DETECTION_WINDOW_SAMPLES
    // A view would carry the whole recording to the worker.
    return { samples: samples.slice(from, to), state: this.#state }
  }

  receive(probabilities: Float32Array, state: Float32Array): void {
    const push = this.#pushes[0]
    // It failed in the meantime.
    if (push === undefined) return
    push.probabilities.set(probabilities, push.received)
    push.received += probabilities.length
    this.#state = state
    this.#settle()
  }

  fail(error: unknown): void {
    for (const push of this.#pushes.splice(0)) push.reject(error)
  }

  /** Answers the pushes that have all they wait for, in order. */
  #settle(): void {
    while (this.#pushes[0]?.received === this.#pushes[0]?.probabilities.length && this.#pushes.length > 0) {
      const { resolve, probabilities } = this.#pushes.shift()!
      resolve(probabilities)
    }
  }
}
