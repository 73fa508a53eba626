/**
 * What the main thread asks of an inference worker, and what comes back. Plain data only: it crosses threads by structured
 * clone, arrays by transfer. A task carries everything it needs; workers keep models and no sessions.
 *
 *   text ──plan──▶ SpeechPlan ──window──▶ samples     (windows share one plan; each takes a slice of its tracks)
 *                            └──whole───▶ samples     (short texts, and voices without conditioning)
 */

/** Spoken form of a language whose spelling tells its sound: which pronunciation rules the front end uses. */
export type SpelledPronunciation =
  | 'en-us'
  | 'en-gb'
  | 'es'
  | 'fr'
  | 'it'
  | 'pt-br'
  | 'hi'
  | 'de'
  | 'ru'
  | 'uk'
  | 'pl'
  | 'tr'
  | 'id'

/** Spoken form of a language. Japanese and Chinese need a dictionary that tells how their characters are read. */
export type Pronunciation = SpelledPronunciation | 'ja' | 'zh'

/** A stretch of what is spoken: words to look up the sound of, or phonemes in the model's symbols, settled already. */
export type SpokenPart =
  | { readonly kind: 'text'; readonly text: string; readonly pronunciation: SpelledPronunciation }
  | { readonly kind: 'phonemes'; readonly phonemes: string }

/** Style vectors of one voice, one row per length class (see `STYLE_CLASSES`): float32 [classes, 256], row-major. */
export type StyleRows = Float32Array

/** Values of one feature along time: `width` values per frame, frame-major. */
export interface FrameTrack {
  readonly data: Float32Array
  readonly width: number
}

/** Acoustic features of a stretch of speech. One frame is 25 ms. Track names belong to the engine. */
export interface Features {
  readonly frames: number
  readonly tracks: Readonly<Record<string, FrameTrack>>
}

export interface PlanTask {
  readonly kind: 'plan'
  readonly text: string
  readonly pronunciation: Pronunciation
  /** What is spoken in place of the text, where not all of it is spoken as `pronunciation` would have it. */
  readonly parts?: readonly SpokenPart[]
  readonly styles: StyleRows
  /** Relative rate of speech; ignored when `frames` is given. */
  readonly speed: number
  /** Exact length wanted, in frames. */
  readonly frames?: number
  /** When each word is spoken is wanted, too. */
  readonly timestamps?: boolean
}

/** A word as it is written, and the frames of the plan in which it is spoken, fractions included. */
export interface WordSpan {
  readonly word: string
  readonly from: number
  readonly to: number
}

export interface SpeechPlan {
  readonly status: 'planned'
  readonly features: Features
  /** Length class of the text: the row of `styles` that was used, and the conditioning that fits it. */
  readonly styleClass: number
  /** Phonemes and punctuation marks that were spoken. Zero: nothing in the text can be pronounced, and `frames` is 0. */
  readonly tokens: number
  /** Frames of silence the model put before the first and after the last sound. */
  readonly leadFrames: number
  readonly tailFrames: number
  /** The words that are spoken, in order, where they were asked for. */
  readonly words?: readonly WordSpan[]
}

/** The text holds more phonemes than the model takes at once: plan it in smaller pieces. */
export interface PlanTooLong {
  readonly status: 'too_long'
  readonly tokens: number
  readonly tokensMax: number
}

/** How long the model would make a text, without planning it. */
export interface MeasureTask {
  readonly kind: 'measure'
  readonly text: string
  readonly pronunciation: Pronunciation
  /** As for `PlanTask`. */
  readonly parts?: readonly SpokenPart[]
  readonly styles: StyleRows
}
export type MeasureResult =
  | { readonly status: 'measured'; readonly frames: number; readonly tokens: number }
  | PlanTooLong

/** Renders the middle of `features`: `before` context frames, then `frames` to render, then whatever context remains. */
export interface WindowTask {
  readonly kind: 'window'
  readonly features: Features
  readonly before: number
  readonly frames: number
  readonly conditioning: Float32Array
}

/** Renders all of `features` at once with the model's own statistics. */
export interface WholeTask {
  readonly kind: 'whole'
  readonly features: Features
  readonly style: Float32Array
}

/** Speaks the calibration text with one style row and returns the conditioning vector for windows of that row. */
export interface CalibrateTask {
  readonly kind: 'calibrate'
  readonly style: Float32Array
}

/**
 * Samples in [-1, 1] at the engine's rate. A window also returns up to `OVERLAP_SAMPLES` on each side of the frames asked
 * for, which the caller cross-fades with its neighbours; `before` says how many lie in front.
 */
export interface RenderedAudio {
  readonly samples: Float32Array
  readonly before: number
}

export interface TaskResults {
  plan: SpeechPlan | PlanTooLong
  measure: MeasureResult
  window: RenderedAudio
  whole: RenderedAudio
  calibrate: { readonly conditioning: Float32Array }
}
export type SpeechTask = PlanTask | MeasureTask | WindowTask | WholeTask | CalibrateTask
export type TaskResult<T extends SpeechTask> = TaskResults[T['kind']]

export const SAMPLE_RATE = 24_000
export const FRAME_SAMPLES = 600
export const FRAMES_PER_SECOND = SAMPLE_RATE / FRAME_SAMPLES
/** Half of the cross-fade at a seam: each of two neighbouring windows reaches this far into the other. */
export const OVERLAP_SAMPLES = 120
/** Frames of context a window needs on each side. */
export const CONTEXT_FRAMES = 4

/** A worker's answer. A task that can't be done is an answer too; only a dead worker rejects. */
export type TaskAnswer =
  | { readonly status: 'done'; readonly result: TaskResults[keyof TaskResults] }
  | { readonly status: 'failed'; readonly message: string }
