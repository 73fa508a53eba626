import { SampleBuffer } from '../audio/sample-buffer.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { Segmenter, type SegmenterSettings, type SpeechChange } from '../speech/segmenter.ts'

/** What a recogniser has to know of live audio. Positions in samples from the start of the session; samples are the receiver's. */
export type LiveCut =
  /** Speech goes on. Its samples so far are copied only if they are asked for, which must be at once. */
  | { readonly kind: 'speaking'; readonly start: number; readonly end: number; readonly samples: () => Float32Array }
  | { readonly kind: 'resumed' }
  | {
      /** As in `SpeechChange`. */
      readonly kind: 'paused' | 'ended'
      readonly start: number
      readonly end: number
      readonly samples: Float32Array
      /** When the audio that decided it came, on the monotonic clock. */
      readonly at: number
    }

/** The audio of a live session, as much of it as is still needed, and the speech in it. */
export class LiveAudio {
  readonly #buffer = new SampleBuffer()
  readonly #segmenter: Segmenter

  constructor(settings: SegmenterSettings) {
    this.#segmenter = new Segmenter(settings)
  }

  /** How much came, to the millisecond. */
  get seconds(): number {
    return Math.round((this.#buffer.end * 1_000) / LISTENING_SAMPLE_RATE) / 1_000
  }

  /** The next samples, and the probabilities of the windows that they complete. */
  push(samples: Float32Array, probabilities: Float32Array, at: number): LiveCut[] {
    this.#buffer.append(samples)
    const cuts: LiveCut[] = []
    for (const probability of probabilities) cuts.push(...this.#cutsOf(this.#segmenter.push(probability), at))
    this.#buffer.forgetBefore(this.#segmenter.neededFrom)
    const start = this.#segmenter.speechFrom
    const { end } = this.#buffer
    if (start !== undefined && probabilities.length > 0) {
      cuts.push({ kind: 'speaking', start, end, samples: () => this.#buffer.slice(start, end) })
    }
    return cuts
  }

  /** Ends the speech that is going on. */
  flush(at: number): LiveCut[] {
    const cuts = this.#cutsOf(this.#segmenter.flush(this.#buffer.end), at)
    this.#buffer.forgetBefore(this.#segmenter.neededFrom)
    return cuts
  }

  #cutsOf(changes: readonly SpeechChange[], at: number): LiveCut[] {
    return changes.map((change) => {
      if (change.kind === 'resumed') return change
      const { kind, start, end } = change
      return { kind, start, end, samples: this.#buffer.slice(start, end), at }
    })
  }
}
