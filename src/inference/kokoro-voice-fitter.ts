import type { SpeechDetector } from '../speech/detection.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { checkReferenceLength, referenceSpeech } from '../speech/reference-speech.ts'
import { STYLE_CLASSES, STYLE_WIDTH, TIMBRE_WIDTH, TRIAL_STYLE_CLASS } from '../speech/style-classes.ts'
import {
  type HeardTrial,
  SAMPLE_RATE,
  type StyleRows,
  type VoiceMixture,
  type VoicePrint,
} from '../speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../speech/task-runner.ts'
import { colouringTaps } from '../speech/voice-colour.ts'
import {
  type FittingOrder,
  UnfitReference,
  type VoiceFeatures,
  type VoiceFitter,
  type VoiceFitting,
} from '../speech/voice-fitting.ts'
import type { PresetVoices } from './preset-voices.ts'
import { encodeVoiceSound } from './voice-sound.ts'

/** Syntheses that are compared with the clip, each where the search expects most after all before. */
const TRIALS = 3
/** How far the pitch of the best trial is corrected in the end, at most, as a factor either way. */
const PITCH_CORRECTION_MAX = 1.25

/**
 * Finds the mixture of the model's own voices that resembles a clip most: the clip is measured, mixtures are proposed, tried,
 * measured and coloured, and the best of them speaks another sentence, which says what is left of the difference in pitch and which
 * colour suits it. The first of them is the sketch.
 *
 *   clip ─▶ its speech ─▶ print ─▶ search ─▶ trial ─▶ print, in the best colour ─┬─▶ the best, heard again
 *                                    ▲                                           │ a few times
 *                                    └───────────────────────────────────────────┘
 *
 * All of it is batch work of the inference workers, so that nobody who listens waits for it.
 */
export class KokoroVoiceFitter implements VoiceFitter {
  readonly sampleRate = LISTENING_SAMPLE_RATE
  readonly #runner: TaskRunner
  readonly #detector: SpeechDetector
  readonly #presets: Pick<PresetVoices, 'styles'>
  readonly #trials: number
  #styles: Promise<Float32Array[][]> | undefined

  constructor(runner: TaskRunner, detector: SpeechDetector, presets: Pick<PresetVoices, 'styles'>, trials = TRIALS) {
    this.#runner = runner
    this.#detector = detector
    this.#presets = presets
    this.#trials = trials
  }

  fit(reference: Float32Array, order: FittingOrder): Promise<VoiceFitting> {
    return unlessAborted(order.signal, this.#fit(reference, order))
  }

  async #fit(reference: Float32Array, order: FittingOrder): Promise<VoiceFitting> {
    checkReferenceLength(reference)
    const probabilities = await this.#detector.open().push(reference.slice())
    const samples = referenceSpeech(reference, probabilities)
    order.signal.throwIfAborted()
    const styles = await this.#allStyles()
    const target = await this.#runner.run({ kind: 'embed', samples, sampleRate: this.sampleRate }, taskOrder(order))
    if (target.pitch === 0) throw new UnfitReference('min_voiced', 'holds too little voiced speech')

    const trials = new Trials(this.#runner, styles, target)
    const first = await trials.next(order)
    return {
      sketch: features(first.mixture, first, target, styles, true),
      refine: (signal) => unlessAborted(signal, this.#refine(trials, { signal, isAhead: true })),
    }
  }

  async #refine(trials: Trials, order: FittingOrder): Promise<VoiceFeatures> {
    while (trials.count < this.#trials) await trials.next(order)
    const { mixture, spoken } = await trials.best(order)
    const again = await trials.hear(mixture, 1, order, spoken)
    return features(mixture, again, trials.target, trials.styles, false)
  }

  /** Of each length class, the styles of all voices. */
  #allStyles(): Promise<Float32Array[][]> {
    const loading = this.#styles ?? Promise.all(STYLE_CLASSES.map((_, styleClass) => this.#presets.styles(styleClass)))
    this.#styles = loading
    loading.catch(() => {
      this.#styles = undefined
    })
    return loading
  }
}

type Trial = HeardTrial & { readonly mixture: VoiceMixture }

/** Mixtures that were tried to come near a voice, and what they sounded like. */
class Trials {
  readonly target: VoicePrint
  /** Of each length class, the styles of all voices. */
  readonly styles: readonly (readonly Float32Array[])[]
  readonly #runner: TaskRunner
  readonly #tried: Trial[] = []

  constructor(runner: TaskRunner, styles: readonly (readonly Float32Array[])[], target: VoicePrint) {
    this.#runner = runner
    this.styles = styles
    this.target = target
  }

  get count(): number {
    return this.#tried.length
  }

  /** Tries the mixture that the search expects most of after all before. */
  async next(order: FittingOrder): Promise<Trial> {
    const mixture = await this.#runner.run({ kind: 'search', ...this.#known() }, taskOrder(order))
    const trial = { ...(await this.hear(mixture, 0, order)), mixture }
    this.#tried.push(trial)
    return trial
  }

  async best(order: FittingOrder): Promise<Trial> {
    const { best } = await this.#runner.run({ kind: 'rank', ...this.#known() }, taskOrder(order))
    return this.#tried[best]!
  }

  /** `before`: what the mixture was heard to speak before. */
  hear(mixture: VoiceMixture, sentence: number, order: FittingOrder, before?: Float32Array): Promise<HeardTrial> {
    const style = mixedRow(mixture, this.styles[TRIAL_STYLE_CLASS]!)
    const { pitch } = mixture
    const task = { kind: 'trial', style, pitch, sentence, ...(before && { before }), target: this.target } as const
    return this.#runner.run(task, taskOrder(order))
  }

  #known() {
    const trials = this.#tried.map(({ mixture, print, coloured }) => {
      return { coordinates: mixture.coordinates, print, coloured }
    })
    return { target: this.target, trials }
  }
}

function taskOrder({ signal, isAhead = false }: FittingOrder): TaskOrder {
  return { deadline: Number.POSITIVE_INFINITY, signal, isAhead }
}

/** What a cancelled task rejects with says less than the signal's reason. */
async function unlessAborted<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    signal.throwIfAborted()
    throw error
  }
}

function features(
  mixture: VoiceMixture,
  { print: heard, gains }: HeardTrial,
  wanted: VoicePrint,
  styles: readonly (readonly Float32Array[])[],
  isSketch: boolean,
): VoiceFeatures {
  const rows: StyleRows = new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH)
  for (const [styleClass, voices] of styles.entries()) rows.set(mixedRow(mixture, voices), styleClass * STYLE_WIDTH)
  const correction = heard.pitch === 0 ? 1 : wanted.pitch / heard.pitch
  const corrected = Math.min(Math.max(correction, 1 / PITCH_CORRECTION_MAX), PITCH_CORRECTION_MAX)
  const pitch = mixture.pitch * corrected
  const hertz = (heard.pitch || wanted.pitch) * corrected
  const equaliser = colouringTaps(gains, heard.spectrum, heard.bands, SAMPLE_RATE)
  return encodeVoiceSound({ pitch, hertz, rows, equaliser, isSketch })
}

/** The style of a mixture in a length class: `voices` are the styles of all voices in it. */
export function mixedRow({ timbre, prosody }: VoiceMixture, voices: readonly Float32Array[]): Float32Array {
  const mixed = new Float32Array(STYLE_WIDTH)
  for (const [voice, style] of voices.entries()) {
    for (let at = 0; at < STYLE_WIDTH; at++) mixed[at]! += (at < TIMBRE_WIDTH ? timbre : prosody)[voice]! * style[at]!
  }
  return mixed
}
