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
import type { TaskRunner } from '../speech/task-runner.ts'
import { colouringTaps } from '../speech/voice-colour.ts'
import { UnfitReference, type VoiceFeatures, type VoiceFitter } from '../speech/voice-fitting.ts'
import type { PresetVoices } from './preset-voices.ts'
import { encodeVoiceSound } from './voice-sound.ts'

/** Syntheses that are compared with the clip, each where the search expects most after all before. */
const TRIALS = 3
/** How far the pitch of the best trial is corrected in the end, at most, as a factor either way. */
const PITCH_CORRECTION_MAX = 1.25

/**
 * Finds the mixture of the model's own voices that resembles a clip most: the clip is measured, mixtures are proposed, tried,
 * measured and coloured, and the best of them speaks another sentence, which says what is left of the difference in pitch and which
 * colour suits it.
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

  async fit(reference: Float32Array, signal: AbortSignal): Promise<VoiceFeatures> {
    try {
      return await this.#fit(reference, signal)
    } catch (error) {
      // What a cancelled task rejects with says less.
      signal.throwIfAborted()
      throw error
    }
  }

  async #fit(reference: Float32Array, signal: AbortSignal): Promise<VoiceFeatures> {
    const order = { deadline: Number.POSITIVE_INFINITY, signal }
    checkReferenceLength(reference)
    const probabilities = await this.#detector.open().push(reference.slice())
    const speech = referenceSpeech(reference, probabilities)
    signal.throwIfAborted()
    const styles = await this.#allStyles()
    const print = await this.#runner.run({ kind: 'embed', samples: speech, sampleRate: this.sampleRate }, order)
    if (print.pitch === 0) throw new UnfitReference('min_voiced', 'holds too little voiced speech')

    const tried: (HeardTrial & { readonly mixture: VoiceMixture })[] = []
    const attempt = (mixture: VoiceMixture, sentence: number, before?: Float32Array) => {
      const style = mixedRow(mixture, styles[TRIAL_STYLE_CLASS]!)
      const { pitch } = mixture
      return this.#runner.run(
        { kind: 'trial', style, pitch, sentence, ...(before && { before }), target: print },
        order,
      )
    }
    for (;;) {
      const trials = tried.map(({ mixture, print, coloured }) => {
        return { coordinates: mixture.coordinates, print, coloured }
      })
      const { next, best } = await this.#runner.run({ kind: 'search', target: print, trials }, order)
      const found = tried[best]
      if (found && tried.length >= this.#trials) {
        return features(found.mixture, await attempt(found.mixture, 1, found.spoken), print, styles)
      }
      tried.push({ ...(await attempt(next, 0)), mixture: next })
    }
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

function features(
  mixture: VoiceMixture,
  { print: heard, gains }: HeardTrial,
  wanted: VoicePrint,
  styles: readonly (readonly Float32Array[])[],
): VoiceFeatures {
  const rows: StyleRows = new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH)
  for (const [styleClass, voices] of styles.entries()) rows.set(mixedRow(mixture, voices), styleClass * STYLE_WIDTH)
  const correction = heard.pitch === 0 ? 1 : wanted.pitch / heard.pitch
  const corrected = Math.min(Math.max(correction, 1 / PITCH_CORRECTION_MAX), PITCH_CORRECTION_MAX)
  const pitch = mixture.pitch * corrected
  const hertz = (heard.pitch || wanted.pitch) * corrected
  const equaliser = colouringTaps(gains, heard.spectrum, heard.bands, SAMPLE_RATE)
  return encodeVoiceSound({ pitch, hertz, rows, equaliser })
}

/** The style of a mixture in a length class: `voices` are the styles of all voices in it. */
export function mixedRow({ timbre, prosody }: VoiceMixture, voices: readonly Float32Array[]): Float32Array {
  const mixed = new Float32Array(STYLE_WIDTH)
  for (const [voice, style] of voices.entries()) {
    for (let at = 0; at < STYLE_WIDTH; at++) mixed[at]! += (at < TIMBRE_WIDTH ? timbre : prosody)[voice]! * style[at]!
  }
  return mixed
}
