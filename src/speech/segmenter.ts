import { DETECTION_WINDOW_SAMPLES } from './detection.ts'
import { quietestWindow } from './quietest-window.ts'
import { LISTENING_SAMPLE_RATE } from './recognition.ts'

/** What decides where speech begins and ends. */
export interface SegmenterSettings {
  /** Speech begins with a window at least this probable, … */
  readonly onsetProbability: number
  /** … and is going on in one at least this probable, so that a weak syllable does not end it. */
  readonly offsetProbability: number
  /** Less speech than this is a click. */
  readonly speechMsMin: number
  /** Speech that is followed by this much quiet is over. */
  readonly silenceMs: number
  /** After this much quiet it may be over: what was said so far is handed out, to be worked on ahead of time. */
  readonly pauseMs: number
  /** Kept in front of speech: a word begins before it is loud. */
  readonly padMs: number
  /** From this length on a segment ends at ever shorter pauses, … */
  readonly lengthMsBest: number
  /** … and at this length it ends where it was quietest. */
  readonly lengthMsMax: number
}

export const SEGMENTER_SETTINGS: SegmenterSettings = {
  onsetProbability: 0.5,
  offsetProbability: 0.35,
  speechMsMin: 96,
  silenceMs: 512,
  pauseMs: 192,
  padMs: 256,
  lengthMsBest: 10_000,
  lengthMsMax: 28_000,
}

/** For turns whose end the speaker tells: nobody waits for a piece of one, and longer pieces are heard better. */
export const TURN_SEGMENTER_SETTINGS: SegmenterSettings = { ...SEGMENTER_SETTINGS, silenceMs: 1_024 }

/** What happens to speech, in samples from the start of the stream. */
export type SpeechChange =
  /** It may have ended. */
  | { readonly kind: 'paused'; readonly start: number; readonly end: number }
  | { readonly kind: 'resumed' }
  /** It has. After a pause, what `paused` handed out holds all of it; otherwise it is the end of the stream so far, or a cut. */
  | { readonly kind: 'ended'; readonly start: number; readonly end: number }

/**
 * Finds segments of speech in a stream, window by window, as it comes.
 *
 *   probability  ▁▁▁▇▇█▇▁▇█▇▇▁▁▁▁▇█▇▇▁▁▁▁▁▁▁▁▁▁▁
 *   changes                   paused         paused
 *                                resumed              ended
 *   segment       ╰───────────────────────────────╯
 *                pad                         pauseMs
 *
 * The longer a segment, the shorter the pause that ends it; one without pauses is cut where it was quietest, and goes on as the next.
 */
export class Segmenter {
  readonly #settings: SegmenterSettings
  /** Windows judged so far. */
  #windows = 0
  /** The first window of the speech that is going on, pad included; the window its first sound is in. */
  #start: number | undefined
  #onset = 0
  /** Its probabilities, from `#start` on. */
  #probabilities: number[] = []
  #hasBegun = false
  #quiet = 0
  /** Where the last segment ended: the next one's pad does not reach before it. */
  #lastEnd = 0

  constructor(settings: SegmenterSettings = SEGMENTER_SETTINGS) {
    this.#settings = settings
  }

  /** Start of the speech that is going on, or of what may turn out to belong to the next: what comes before is of no use any more. */
  get neededFrom(): number {
    const pad = windowsOf(this.#settings.padMs)
    return samplesOf(this.#start ?? Math.max(this.#lastEnd, this.#windows - pad))
  }

  /** Start of the speech that is going on and did not pause, if there is some. */
  get speechFrom(): number | undefined {
    const isPaused = this.#quiet >= windowsOf(this.#settings.pauseMs)
    return this.#start === undefined || !this.#hasBegun || isPaused ? undefined : samplesOf(this.#start)
  }

  /** Judges the next window by its probability of speech. */
  push(probability: number): SpeechChange[] {
    const at = this.#windows++
    if (this.#start === undefined) {
      if (probability < this.#settings.onsetProbability) return []
      this.#onset = at
      this.#start = Math.max(this.#lastEnd, at - windowsOf(this.#settings.padMs))
      this.#probabilities = new Array<number>(at - this.#start).fill(0)
    }
    this.#probabilities.push(probability)
    return probability < this.#settings.offsetProbability ? this.#hearQuiet() : this.#hearSpeech()
  }

  /** Ends the speech that is going on, because somebody says so or the stream is over. `end`: samples there are by now. */
  flush(end: number): SpeechChange[] {
    const start = this.#start
    if (start === undefined || !this.#hasBegun) {
      this.#drop()
      return []
    }
    this.#close(this.#windows)
    return [{ kind: 'ended', start: samplesOf(start), end }]
  }

  #hearSpeech(): SpeechChange[] {
    const wasPaused = this.#hasBegun && this.#quiet >= windowsOf(this.#settings.pauseMs)
    this.#quiet = 0
    this.#hasBegun ||= this.#windows - this.#onset >= windowsOf(this.#settings.speechMsMin)
    const changes: SpeechChange[] = wasPaused ? [{ kind: 'resumed' }] : []
    if (this.#length >= windowsOf(this.#settings.lengthMsMax)) changes.push(this.#cut())
    return changes
  }

  #hearQuiet(): SpeechChange[] {
    this.#quiet += 1
    const start = this.#start ?? 0
    const pause = windowsOf(this.#settings.pauseMs)
    if (!this.#hasBegun) {
      if (this.#quiet >= CLICK_QUIET_WINDOWS) this.#drop()
      return []
    }
    if (this.#quiet < this.#silenceNeeded) {
      if (this.#quiet !== pause) return []
      return [{ kind: 'paused', start: samplesOf(start), end: samplesOf(this.#windows) }]
    }
    const end = this.#windows - Math.max(0, this.#quiet - pause)
    this.#close(end)
    return [{ kind: 'ended', start: samplesOf(start), end: samplesOf(end) }]
  }

  get #length(): number {
    return this.#windows - (this.#start ?? this.#windows)
  }

  /** Windows of quiet that end a segment of the present length. */
  get #silenceNeeded(): number {
    const { silenceMs, lengthMsBest, lengthMsMax } = this.#settings
    const over = (this.#length - windowsOf(lengthMsBest)) / (windowsOf(lengthMsMax) - windowsOf(lengthMsBest))
    const full = windowsOf(silenceMs)
    return Math.round(full - (full - PAUSE_WINDOWS_MIN) * Math.min(1, Math.max(0, over)))
  }

  /** Ends the segment where it was quietest; what follows is the beginning of the next. */
  #cut(): SpeechChange {
    const start = this.#start ?? 0
    const [from, best] = [windowsOf(CUT_MS_MIN), windowsOf(this.#settings.lengthMsBest)]
    const at = quietestWindow(this.#probabilities, from, this.#length - 1, best)
    this.#start = start + at
    this.#lastEnd = this.#start
    this.#probabilities = this.#probabilities.slice(at)
    return { kind: 'ended', start: samplesOf(start), end: samplesOf(this.#start) }
  }

  #close(end: number): void {
    this.#lastEnd = end
    this.#drop()
  }

  #drop(): void {
    this.#start = undefined
    this.#hasBegun = false
    this.#quiet = 0
    this.#probabilities = []
  }
}

/** A gap below this is a stop consonant rather than a pause. */
const PAUSE_WINDOWS_MIN = windowsOf(128)
/** What is followed by this before it has lasted long enough was a click. */
const CLICK_QUIET_WINDOWS = windowsOf(64)
/** A cut leaves at least this much in front of it. */
const CUT_MS_MIN = 5_000

function windowsOf(ms: number): number {
  return Math.round((ms * LISTENING_SAMPLE_RATE) / 1_000 / DETECTION_WINDOW_SAMPLES)
}

function samplesOf(windows: number): number {
  return windows * DETECTION_WINDOW_SAMPLES
}
