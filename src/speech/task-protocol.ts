/**
 * What the main thread asks of an inference worker, and what comes back. Plain data only: it crosses threads by structured
 * clone, arrays by transfer. A task carries everything it needs; workers keep models and no sessions.
 *
 *   text ──plan: opening──▶ first words ─┬─window─▶ samples     (each window takes a slice of the tracks)
 *        └─plan: rest─────▶ what follows ┘
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

/**
 * Values of one feature along time: `width` values per frame, frame-major. `cyclic`: a phase in cycles from 0 to 1, which in a
 * stretch that follows another goes on from where that one ended.
 */
export interface FrameTrack {
  readonly data: Float32Array
  readonly width: number
  readonly cyclic?: boolean
}

/** Acoustic features of a stretch of speech. One frame is 25 ms. Track names belong to the engine. */
export interface Features {
  readonly frames: number
  readonly tracks: Readonly<Record<string, FrameTrack>>
}

/**
 * How much of a text to plan. `opening`: its first words, from little more than themselves, so that they can be heard while the
 * rest is planned; all of it where it is short. `rest`: what follows the opening, planned from the whole text. The same text is
 * parted at the same place every time.
 */
export type PlanPart = 'all' | 'opening' | 'rest'

export interface PlanTask {
  readonly kind: 'plan'
  readonly part: PlanPart
  readonly text: string
  readonly pronunciation: Pronunciation
  /** What is spoken in place of the text, where not all of it is spoken as `pronunciation` would have it. */
  readonly parts?: readonly SpokenPart[]
  readonly styles: StyleRows
  /** What the voice's pitch is multiplied by; absent: 1. */
  readonly pitch?: number
  /** Relative rate of speech; ignored when `frames` is given. */
  readonly speed: number
  /** Exact length wanted, in frames. */
  readonly frames?: number
  /** When each word is spoken is wanted, too. */
  readonly timestamps?: boolean
  /** With `timestamps`, for the rest of a text: what the plan of its opening said. */
  readonly heardDurations?: Int32Array
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
  /** Nothing of the text follows. */
  readonly isComplete: boolean
  /** Length class of the text: the row of `styles` that was used, and the conditioning that fits it. */
  readonly styleClass: number
  /** Phonemes and punctuation marks of the whole text. Zero: nothing in the text can be pronounced, and `frames` is 0. */
  readonly tokens: number
  /** Frames of silence the model put before the first and after the last sound. */
  readonly leadFrames: number
  readonly tailFrames: number
  /** The words of the whole text that are spoken, in order, where they were asked for and the plan is complete. */
  readonly words?: readonly WordSpan[]
  /** Frames of the boundary and each token of an opening, where words were asked for. */
  readonly heardDurations?: Int32Array
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
  /** Taps of a symmetric filter that the voice is heard through; absent: none. */
  readonly equaliser?: Float32Array
}

/** How many utterances the conditioning of a style row is the mean of. */
export const CALIBRATION_UTTERANCES = 2

/** Speaks a fixed utterance with one style row and returns the conditioning vector that it would want its windows rendered with. */
export interface CalibrateTask {
  readonly kind: 'calibrate'
  readonly style: Float32Array
  /** As for `PlanTask`. */
  readonly pitch?: number
  /** From 0. */
  readonly utterance: number
}

/** Measures a voice. */
export interface EmbedTask {
  readonly kind: 'embed'
  /** Speech of one person: mono, in [-1, 1]. */
  readonly samples: Float32Array
  readonly sampleRate: number
}

/** Speaks a fixed sentence with a style, measures the voice that comes of it, and colours it like another. */
export interface TrialTask {
  readonly kind: 'trial'
  readonly style: Float32Array
  /** As for `PlanTask`. */
  readonly pitch: number
  /** From 0. One is enough to compare voices by; two say better what colour suits this one. */
  readonly sentence: number
  /** What the style was heard to speak before, at the engine's rate; measured with the rest. */
  readonly before?: Float32Array
  readonly target: VoicePrint
}

export interface HeardTrial {
  /** All that was measured, at the engine's rate and without any colour. */
  readonly spoken: Float32Array
  /** Of it. */
  readonly print: VoicePrint
  /** The colour in which it resembles the target most: gains in dB in the bands of the print. */
  readonly gains: Float32Array
  /** The embedding in this colour. */
  readonly coloured: Float32Array
}

/** Looks for a mixture of the model's own voices that may resemble a voice more than what was tried. */
export interface SearchTask {
  readonly kind: 'search'
  readonly target: VoicePrint
  /** What was tried already. */
  readonly trials: readonly VoiceTrial[]
}

export interface VoiceTrial extends Pick<HeardTrial, 'print' | 'coloured'> {
  readonly coordinates: Float32Array
}

/** Compares what was tried. */
export interface RankTask {
  readonly kind: 'rank'
  readonly target: VoicePrint
  /** At least one. */
  readonly trials: readonly VoiceTrial[]
}

export interface VoiceRanking {
  /** Likeness of each trial, 1 the most. */
  readonly scores: readonly number[]
  /** Which of them is the best. */
  readonly best: number
}

/** A mixture of the model's own voices, in the order of `PRESET_VOICES`. Weights sum to one and may be negative. */
export interface VoiceMixture {
  /** What the engine calls it. */
  readonly coordinates: Float32Array
  /** Of the first half of the style vectors, and of the second. */
  readonly timbre: Float32Array
  readonly prosody: Float32Array
  /** What the pitch is multiplied by. */
  readonly pitch: number
}

/** What of a voice can be measured in a stretch of speech. */
export interface VoicePrint {
  /** On the unit sphere of 256 dimensions: the nearer two of them, the more alike are the voices. */
  readonly embedding: Float32Array
  /** Median of what is voiced, in hertz; 0 where there is too little of it. */
  readonly pitch: number
  /** Long-term level in bands of the mel scale up to 8 kHz, in dB around their mean, and the bands' middles in hertz. */
  readonly spectrum: Float32Array
  readonly bands: Float32Array
}

/** Writes down what is said. */
export interface RecognizeTask {
  readonly kind: 'recognize'
  /** Mono, in [-1, 1], 16 kHz, at most 30 s. */
  readonly samples: Float32Array
  /** In the model's codes; the one that is heard is taken. */
  readonly languages: readonly string[]
  readonly wordTimes: boolean
}

export interface Transcript {
  readonly text: string
  /** One of the task's. */
  readonly language: string
  /** Only where asked for; times in seconds from the first sample. */
  readonly words?: readonly { readonly word: string; readonly start: number; readonly end: number }[]
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
  calibrate: { readonly conditioning: Float32Array }
  recognize: Transcript
  embed: VoicePrint
  trial: HeardTrial
  search: VoiceMixture
  rank: VoiceRanking
}
export type SpeechTask =
  | PlanTask
  | MeasureTask
  | WindowTask
  | CalibrateTask
  | RecognizeTask
  | EmbedTask
  | TrialTask
  | SearchTask
  | RankTask
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
