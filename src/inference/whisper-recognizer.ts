import {
  type Hypothesis,
  RecognitionFailed,
  type Recognizable,
  SEGMENT_SAMPLES_MAX,
  type SpeechRecognizer,
  type SpeechSegment,
  type Urgency,
} from '../speech/recognition.ts'
import { AUTO_MODE, type SpeechMode } from '../speech/speech-modes.ts'
import type { RecognizeTask } from '../speech/task-protocol.ts'
import { TaskLate, type TaskOrder, type TaskRunner } from '../speech/task-runner.ts'

/** Where Whisper has another code for a language than the modes do. */
const WHISPER_CODES: Readonly<Record<string, string>> = { fil: 'tl' }

export interface WhisperModel {
  readonly name: string
  /** In Whisper's codes. */
  readonly languages: readonly string[]
}

/** The built-in recogniser: Whisper on the inference workers, one task a segment. */
export class WhisperRecognizer implements SpeechRecognizer {
  readonly model: string
  readonly provider = 'syrinx'
  readonly #runner: TaskRunner
  readonly #known: ReadonlySet<string>

  constructor(runner: TaskRunner, model: WhisperModel) {
    this.model = model.name
    this.#runner = runner
    this.#known = new Set(model.languages)
  }

  /** `auto` hears whatever the model knows; any other mode must be known as a whole. */
  canRecognize(mode: SpeechMode): Recognizable {
    const known = this.#knownOf(mode)
    if (known.length === mode.languages.length || (mode.code === AUTO_MODE.code && known.length > 0)) {
      return { status: 'recognized' }
    }
    const message = `${this.model} does not hear ${mode.name}: set SYRINX_STT_MODEL to the folder of a Whisper model that does`
    return { status: 'not_recognized', message }
  }

  recognize(segment: SpeechSegment, urgency: Urgency): Promise<Hypothesis> {
    const deadline = urgency.pace === 'live' ? urgency.wantedAt : Number.POSITIVE_INFINITY
    return this.#run(segment, { deadline })
  }

  async preview(segment: SpeechSegment, staleAt: number): Promise<Hypothesis | undefined> {
    try {
      return await this.#run(segment, { deadline: staleAt, startBy: staleAt })
    } catch (error) {
      if (error instanceof RecognitionFailed && error.cause instanceof TaskLate) return undefined
      throw error
    }
  }

  listen(): () => void {
    return this.#runner.listen()
  }

  async #run({ samples, mode, wordTimes, signal }: SpeechSegment, order: TaskOrder): Promise<Hypothesis> {
    if (samples.length > SEGMENT_SAMPLES_MAX) throw new Error('a segment is longer than the model hears at once')
    const languages = this.#knownOf(mode)
    const task: RecognizeTask = { kind: 'recognize', samples, languages: languages.map(whisperCode), wordTimes }
    try {
      const { text, language, words } = await this.#runner.run(task, signal ? { ...order, signal } : order)
      const code = languages.find((candidate) => whisperCode(candidate) === language) ?? language
      return words === undefined ? { text, language: code } : { text, language: code, words }
    } catch (cause) {
      signal?.throwIfAborted()
      throw new RecognitionFailed('the model could not hear a segment', { cause })
    }
  }

  #knownOf(mode: SpeechMode): readonly string[] {
    return mode.languages.filter((language) => this.#known.has(whisperCode(language)))
  }
}

function whisperCode(language: string): string {
  return WHISPER_CODES[language] ?? language
}
