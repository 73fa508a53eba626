import { readFile, writeFile } from 'node:fs/promises'
import type { AudioDecoder, DecodeResult, WantedAudio } from '../src/audio/decoding.ts'
import { DETECTION_WINDOW_SAMPLES, type SpeechDetector } from '../src/speech/detection.ts'
import {
  type Hypothesis,
  RecognitionFailed,
  type Recognizable,
  type SpeechRecognizer,
  type SpeechSegment,
  type Urgency,
} from '../src/speech/recognition.ts'
import { findSpeechMode, type SpeechMode } from '../src/speech/speech-modes.ts'

const RATE = 16_000
/** Utterance n consists of samples of this value and n. */
const FIRST_VALUE = 8_000

/**
 * "Decodes" text: `2 -3 1.5` is two seconds of speech, three of silence, and a second and a half of other speech. A word instead of
 * numbers is the status of a refusal.
 */
export class ScriptedDecoder implements AudioDecoder {
  /** Rejects with this instead. */
  failure: Error | undefined
  /** Resolves when decoding may go on. */
  gate: Promise<void> = Promise.resolve()
  calls = 0

  async decode(input: string, output: string, signal: AbortSignal, wanted?: WantedAudio): Promise<DecodeResult> {
    this.calls += 1
    await this.gate
    if (signal.aborted) return { status: 'cancelled' }
    if (this.failure !== undefined) throw this.failure
    const script = await readFile(input, 'utf8')
    if (script === 'unsupported')
      return { status: 'unsupported', message: 'the container of the audio is not supported' }
    if (script === 'undecodable') return { status: 'undecodable', message: 'the audio is damaged or incomplete' }
    if (script === 'too_long') return { status: 'too_long' }
    const { sampleRate = RATE, secondsMax = Number.POSITIVE_INFINITY, longer = 'refused' } = wanted ?? {}
    const whole = scriptedSamples(script, sampleRate)
    const samplesMax = secondsMax * sampleRate
    if (longer === 'refused' && whole.length > samplesMax) return { status: 'too_long' }
    const samples = whole.slice(0, samplesMax)
    await writeFile(output, new Uint8Array(samples.buffer))
    return { status: 'decoded', samples: samples.length }
  }
}

export function scriptedSamples(script: string, sampleRate = RATE): Int16Array<ArrayBuffer> {
  const stretches = script.split(' ').map(Number)
  const lengths = stretches.map((seconds) => Math.round(Math.abs(seconds) * sampleRate))
  const samples = new Int16Array(lengths.reduce((sum, length) => sum + length, 0))
  let at = 0
  let value = FIRST_VALUE
  stretches.forEach((seconds, index) => {
    const end = at + (lengths[index] ?? 0)
    if (seconds > 0) samples.fill(value++, at, end)
    at = end
  })
  return samples
}

/** Takes whatever is loud for speech. */
export class LoudnessDetector implements SpeechDetector {
  open() {
    let rest = new Float32Array(0)
    return {
      async push(samples: Float32Array) {
        const all = new Float32Array(rest.length + samples.length)
        all.set(rest)
        all.set(samples, rest.length)
        const count = Math.floor(all.length / DETECTION_WINDOW_SAMPLES)
        rest = all.slice(count * DETECTION_WINDOW_SAMPLES)
        return Float32Array.from({ length: count }, (_, i) =>
          all.subarray(i * DETECTION_WINDOW_SAMPLES, (i + 1) * DETECTION_WINDOW_SAMPLES).some((x) => x > 0.1)
            ? 0.9
            : 0.1,
        )
      },
    }
  }
}

/** Says what the test wants of each utterance of a `ScriptedDecoder`. */
export class ScriptedRecognizer implements SpeechRecognizer {
  readonly model = 'scripted-1'
  readonly provider = 'script'
  /** Text of utterance n; `utterance n` where none is given. */
  texts: readonly string[] = []
  language: string | undefined
  unknownLanguage: string | undefined
  /** Pieces that hold this utterance, or a later one, fail with this error. */
  failsAt = Number.POSITIVE_INFINITY
  failure: Error = new RecognitionFailed('tensor 7')
  pace: 'at_once' | 'by_hand' = 'at_once'
  readonly segments: SpeechSegment[] = []
  readonly urgencies: Urgency[] = []
  readonly previews: SpeechSegment[] = []
  /** What a preview says; undefined: no worker was free for it. */
  previewText: string | undefined
  previewFailure: Error | undefined
  /** Whether a preview is done by now. */
  previewGate = () => true
  /** Who keeps workers free. */
  listeners = 0
  /** Pieces being worked on, and the most there ever were. */
  running = 0
  runningMost = 0
  readonly #held: { readonly utterance: number; readonly resolve: () => void }[] = []

  canRecognize(mode: SpeechMode): Recognizable {
    if (!mode.languages.includes(this.unknownLanguage ?? '')) return { status: 'recognized' }
    return { status: 'not_recognized', message: `${mode.name} needs another model` }
  }

  async recognize(segment: SpeechSegment, urgency: Urgency): Promise<Hypothesis> {
    this.urgencies.push(urgency)
    this.segments.push(segment)
    this.running += 1
    this.runningMost = Math.max(this.runningMost, this.running)
    try {
      if (this.pace === 'by_hand') await this.#release(segment)
      if (utterancesIn(segment).some((utterance) => utterance >= this.failsAt)) throw this.failure
      return this.#hypothesis(segment)
    } finally {
      this.running -= 1
    }
  }

  async preview(segment: SpeechSegment): Promise<Hypothesis | undefined> {
    this.previews.push(segment)
    while (!this.previewGate()) await new Promise((resolve) => setImmediate(resolve))
    if (this.previewFailure !== undefined) throw this.previewFailure
    return this.previewText === undefined ? undefined : { text: this.previewText, language: this.language ?? 'en' }
  }

  listen(): () => void {
    this.listeners += 1
    return () => {
      this.listeners -= 1
    }
  }

  /** Lets piece `index` of those that are held, in the order in which they were said, go on. */
  release(index = 0): void {
    this.#held.sort((a, b) => a.utterance - b.utterance)
    this.#held.splice(index, 1)[0]?.resolve()
  }

  get held(): number {
    return this.#held.length
  }

  #release(segment: SpeechSegment): Promise<void> {
    const { signal } = segment
    return new Promise((resolve, reject) => {
      this.#held.push({ utterance: utterancesIn(segment)[0] ?? 0, resolve })
      signal?.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
  }

  #hypothesis(segment: SpeechSegment): Hypothesis {
    const { mode, wordTimes } = segment
    const text = utterancesIn(segment)
      .map((utterance) => this.texts[utterance] ?? `utterance ${utterance}`)
      .filter(Boolean)
      .join(' ')
    const language = this.language ?? findSpeechMode(mode.code)?.languages[0] ?? 'en'
    if (!wordTimes) return { text, language }
    const words = text.split(' ').map((word, i) => ({ word, start: 0.5 * i, end: 0.5 * i + 0.4 }))
    return { text, language, words }
  }
}

/** Their numbers, which are in their samples: pieces of a file may come in any order. */
function utterancesIn({ samples }: SpeechSegment): number[] {
  const values = Array.from(samples, (sample) => Math.round(sample * 32_768)).filter((value) => value > 0)
  return [...new Set(values)].map((value) => value - FIRST_VALUE)
}
