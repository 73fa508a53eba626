import {
  LISTENING_SAMPLE_RATE,
  type Recognizable,
  type SpeechRecognizer,
  type SpokenWord,
} from '../speech/recognition.ts'
import type { Stretch } from '../speech/recording-cutter.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import { Recording, type RecordingParts } from './recording.ts'

export interface TranscriptionOptions {
  readonly mode: SpeechMode
  /** Times of single words. */
  readonly wordTimes: boolean
  /** Aborted: what waits is dropped, what runs ends unheard. */
  readonly signal: AbortSignal
}

/** What one piece of a recording says. Times are seconds from the start of the recording. */
export interface TranscribedPiece {
  readonly index: number
  readonly start: number
  readonly end: number
  readonly text: string
  readonly language: string
  readonly words?: readonly SpokenWord[]
}

/** file → 16 kHz on disk → where speech is → pieces of about ten seconds → recogniser → their texts, in order. */
export class FileTranscriber {
  readonly #parts: RecordingParts
  readonly #recognizer: SpeechRecognizer
  readonly #inFlightMax: number

  /** `inFlightMax`: pieces of one file that wait or are worked on at a time. */
  constructor(parts: RecordingParts, recognizer: SpeechRecognizer, inFlightMax: number) {
    this.#parts = parts
    this.#recognizer = recognizer
    this.#inFlightMax = inFlightMax
  }

  get provider(): string {
    return this.#recognizer.provider
  }

  get model(): string {
    return this.#recognizer.model
  }

  canRecognize(mode: SpeechMode): Recognizable {
    return this.#recognizer.canRecognize(mode)
  }

  /** As `Recording.open`; whoever gets the recording closes it. */
  open(path: string, signal: AbortSignal): Promise<Recording> {
    return Recording.open(path, this.#parts, signal)
  }

  /**
   * The texts of all pieces, in order. Works ahead of its reader by `inFlightMax` pieces and no further. Leaving the loop stops
   * the work within one task. Throws `RecognitionFailed`, or the signal's reason.
   */
  async *transcribe(recording: Recording, options: TranscriptionOptions): AsyncGenerator<TranscribedPiece, void> {
    const stop = new AbortController()
    const onAbort = () => stop.abort(options.signal.reason)
    options.signal.addEventListener('abort', onAbort, { once: true })
    const ahead: Promise<TranscribedPiece>[] = []
    try {
      options.signal.throwIfAborted()
      for (const [index, piece] of recording.pieces.entries()) {
        ahead.push(handled(this.#recognize(recording, index, piece, { ...options, signal: stop.signal })))
        const oldest = ahead.length < this.#inFlightMax ? undefined : ahead.shift()
        if (oldest !== undefined) yield await oldest
      }
      for (const rest of ahead) yield await rest
    } finally {
      options.signal.removeEventListener('abort', onAbort)
      stop.abort()
    }
  }

  async #recognize(
    recording: Recording,
    index: number,
    piece: Stretch,
    { mode, wordTimes, signal }: TranscriptionOptions,
  ): Promise<TranscribedPiece> {
    const samples = await recording.samplesOf(piece)
    signal.throwIfAborted()
    const { text, language, words } = await this.#recognizer.recognize(
      { samples, mode, wordTimes, signal },
      { pace: 'batch' },
    )
    const start = piece.start / LISTENING_SAMPLE_RATE
    return {
      index,
      start: seconds(start),
      end: seconds(piece.end / LISTENING_SAMPLE_RATE),
      text,
      language,
      ...(words && { words: words.map((word) => shifted(word, start)) }),
    }
  }
}

function shifted({ word, start, end }: SpokenWord, by: number): SpokenWord {
  return { word, start: seconds(start + by), end: seconds(end + by) }
}

/** To the millisecond, as clients see it. */
function seconds(value: number): number {
  return Math.round(value * 1_000) / 1_000
}

/** Its rejection is seen by whoever awaits it, if anybody still does. */
function handled<T>(promise: Promise<T>): Promise<T> {
  promise.catch(() => {})
  return promise
}
