import type { Observable } from 'rxjs'
import type { Demand } from '../runtime/demand.ts'

/** One request to speak, all defaults filled in and all names resolved. */
export interface SynthesisRequest {
  readonly id: string
  readonly text: string
  /** `auto`, or the code of a language of the catalog. */
  readonly language: string
  readonly voiceId: string
  readonly speed: number
  /** Exact length in seconds, or null for the model's own. */
  readonly durationSeconds: number | null
  /** Trim silence at both edges, then pad 0.1 s. */
  readonly postprocess: boolean
  /** `live`: someone is listening, each window has a deadline. `batch`: nobody hears it until it is whole. */
  readonly pace: 'live' | 'batch'
  /** The times of the words are wanted, too. */
  readonly timestamps?: boolean
}

/**
 * A word of the text as it is written, and the samples in which it is spoken: [from, to). What is no word: punctuation, and
 * text that can't be read aloud in the language.
 */
export interface SpokenWord {
  readonly word: string
  readonly from: number
  readonly to: number
}
export type WordListener = (word: SpokenWord) => void

/** Mono PCM16, owned by the receiver. `sequence` starts at 1 and has no gaps. */
export interface PcmFrame {
  readonly samples: Int16Array
  readonly sequence: number
}

export type Speakable = { readonly status: 'spoken' } | { readonly status: 'not_spoken'; readonly message: string }

/**
 * Speech as frames of at most 200 ms. The observable is cold and takes one subscriber; it emits only while `demand` has credit, one
 * credit a frame. Unsubscribing stops the work after at most one task. Errors: `SynthesisFailed`.
 */
export interface SpeechSynthesizer {
  readonly sampleRate: number
  /** Whether this text can be spoken by this voice in this language; says how to get it otherwise. */
  canSpeak(text: string, language: string, voiceId: string): Speakable
  /** `onWord` is told of every word, in order, before the observable completes. */
  synthesize(request: SynthesisRequest, demand: Demand, onWord?: WordListener): Observable<PcmFrame>
}

/**
 * A model that speaks. Emits mono float samples in blocks of any size, owned by the receiver, as it makes them; starts a
 * block only while `demand` has credit. Same subscription rules and errors as `SpeechSynthesizer`.
 */
export interface SpeechEngine {
  readonly sampleRate: number
  canSpeak(text: string, language: string, voiceId: string): Speakable
  /** `onWord` is told of every word, in order, before the observable completes. */
  render(request: SynthesisRequest, demand: Demand, onWord?: WordListener): Observable<Float32Array>
}

export class SynthesisFailed extends Error {}
