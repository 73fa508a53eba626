import { Observable } from 'rxjs'
import type { Clock } from '../runtime/clock.ts'
import type { Demand } from '../runtime/demand.ts'
import { resolvePronunciation } from '../speech/languages.ts'
import { TRIAL_STYLE_CLASS } from '../speech/style-classes.ts'
import {
  type Speakable,
  type SpeechEngine,
  SynthesisFailed,
  type SynthesisRequest,
  type WordListener,
} from '../speech/synthesis.ts'
import { SAMPLE_RATE } from '../speech/task-protocol.ts'
import type { TaskRunner } from '../speech/task-runner.ts'
import type { Voice, VoiceDirectory } from '../speech/voice.ts'
import { nativeVoice, withProsodyOf } from './native-prosody.ts'
import type { Openings } from './openings.ts'
import { SpeechRun } from './speech-run.ts'
import type { VoiceStyle, VoiceStyles } from './voice-styles.ts'

/** Voices of the model by name, and enrolled ones by id; absent: none are enrolled. */
export interface EngineStyles {
  readonly presets: VoiceStyles
  readonly enrolled?: VoiceStyles
}

/** The built-in engine: Kokoro 82M, rendered in windows by the inference workers. */
export class KokoroEngine implements SpeechEngine {
  readonly sampleRate = SAMPLE_RATE
  readonly #runner: TaskRunner
  readonly #openings: Pick<Openings, 'enter' | 'headStartMs'>
  readonly #voices: VoiceDirectory
  readonly #styles: EngineStyles
  readonly #clock: Clock
  readonly #workers: number

  constructor(
    runner: TaskRunner,
    openings: Pick<Openings, 'enter' | 'headStartMs'>,
    voices: VoiceDirectory,
    styles: EngineStyles,
    clock: Clock,
    workers: number,
  ) {
    this.#runner = runner
    this.#openings = openings
    this.#voices = voices
    this.#styles = styles
    this.#clock = clock
    this.#workers = workers
  }

  canSpeak(text: string, language: string, voiceId: string): Speakable {
    const resolved = resolvePronunciation(language, text, this.#voice(voiceId))
    return resolved.status === 'spoken' ? { status: 'spoken' } : { status: 'not_spoken', message: resolved.message }
  }

  /** Measures, in moments that nobody needs, what the first request to a new voice would wait for. */
  prepare(voiceId: string): void {
    // Whoever speaks with the voice will hear of a failure.
    this.#prepare(voiceId).catch(() => {})
  }

  render(request: SynthesisRequest, demand: Demand, onWord?: WordListener): Observable<Float32Array> {
    return new Observable((subscriber) => {
      const voice = this.#voice(request.voiceId)
      const resolved = resolvePronunciation(request.language, request.text, voice)
      if (resolved.status !== 'spoken') {
        subscriber.error(new Error(resolved.message))
        return
      }
      const run = new SpeechRun({
        request,
        pronunciation: resolved.pronunciation,
        style: this.#styleFor(resolved.language, voice),
        runner: this.#runner,
        openings: this.#openings,
        clock: this.#clock,
        demand,
        // A listener hears one window at a time; a batch request may use every worker that listeners leave.
        windowsInFlightMax: request.pace === 'live' ? 1 : this.#workers,
        output: subscriber,
        onWord,
      })
      return () => run.stop()
    })
  }

  async #prepare(voiceId: string): Promise<void> {
    const style = await this.#style(this.#voice(voiceId))
    style.prepare(TRIAL_STYLE_CLASS)
  }

  /** A language that the voice was not made of is spoken with the prosody of a voice that was. */
  async #styleFor(language: string, voice: Voice): Promise<VoiceStyle> {
    const own = await this.#style(voice)
    const native = nativeVoice(language, voice, own)
    return native ? withProsodyOf(await this.#style(native), own) : own
  }

  async #style({ id, model }: Voice): Promise<VoiceStyle> {
    const { presets, enrolled } = this.#styles
    if (model !== null) return presets.load(model)
    if (!enrolled) throw new Error('the engine has no place for enrolled voices')
    return enrolled.load(id)
  }

  #voice(voiceId: string): Voice {
    const voice = this.#voices.find(voiceId)
    // Deleted since the request was taken.
    if (!voice) throw new SynthesisFailed('the voice is not known to the engine')
    return voice
  }
}
