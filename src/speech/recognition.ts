import type { SpeechMode } from './speech-modes.ts'

/**
 * A model that hears. It takes one stretch of speech at a time, cut by whoever finds where speech is (`SpeechDetector`,
 * in `detection.ts`), and keeps nothing between two of them.
 */
export interface SpeechRecognizer {
  /** Names for transcripts and logs: which model, and what runs it. */
  readonly model: string
  readonly provider: string
  /** Whether the model knows every language of the mode; says how to get it otherwise. */
  canRecognize(mode: SpeechMode): Recognizable
  /**
   * The words of a segment. Rejects with `RecognitionFailed`, or with the signal's reason as soon as it aborts; work that
   * runs by then ends unheard.
   */
  recognize(segment: SpeechSegment, urgency: Urgency): Promise<Hypothesis>
  /**
   * What a segment that is still being spoken holds so far. Undefined when no worker was free before `staleAt`, on the
   * monotonic clock: the next preview is worth more than a late one.
   */
  preview(segment: SpeechSegment, staleAt: number): Promise<Hypothesis | undefined>
  /** Keeps workers free of batch work, because somebody is about to speak, until the returned function is called. */
  listen(): () => void
}

export interface SpeechSegment {
  /** Mono, in [-1, 1], 16 kHz, at most `SEGMENT_SAMPLES_MAX`. Stays the caller's: it is copied to where it is heard. */
  readonly samples: Float32Array
  readonly mode: SpeechMode
  /** Times of single words: read off what the model looked at while it wrote, for 10 to 50 ms more. */
  readonly wordTimes: boolean
  readonly signal?: AbortSignal
}

/**
 * When the words are wanted. `live`: somebody waits for them from `wantedAt` on, a time on the monotonic clock, which may lie ahead.
 * `batch`: whenever nobody who listens needs the workers.
 */
export type Urgency = { readonly pace: 'live'; readonly wantedAt: number } | { readonly pace: 'batch' }

export interface Hypothesis {
  /** Without white space at its ends; empty where nothing is said. */
  readonly text: string
  /** Code of the single-language mode (`en`, `fil`, …) that was given or, of those the mode allows, heard. */
  readonly language: string
  /** In order, only if asked for. Joined by spaces they are the text, except in languages written without spaces. */
  readonly words?: readonly SpokenWord[]
}

/** Seconds from the segment's first sample. */
export interface SpokenWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

export type Recognizable =
  | { readonly status: 'recognized' }
  | { readonly status: 'not_recognized'; readonly message: string }

export class RecognitionFailed extends Error {}

/** Of everything that listens: segments and detection streams. */
export const LISTENING_SAMPLE_RATE = 16_000
/** Thirty seconds, the most the model sees at once. Pieces of about ten are heard best and leave others their turn. */
export const SEGMENT_SAMPLES_MAX = 30 * LISTENING_SAMPLE_RATE
