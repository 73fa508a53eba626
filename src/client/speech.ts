/** What a text is spoken with. Names and defaults are those of the interface. */
export interface SpeechFields {
  /** Needed with an account key; a voice key has its own. */
  readonly voice_id?: string
  /** `auto`, or the code or name of a language. */
  readonly language?: string
  readonly speed?: number
  readonly cfg_value?: number
  readonly dit_steps?: number
  readonly do_normalize?: boolean
  readonly denoise?: boolean
  readonly use_prompt_text?: boolean
  readonly prompt_text?: string
  readonly preprocess_prompt?: boolean
  readonly postprocess_output?: boolean
}

/** A word of the text, and when it is heard, counted from the first sample. */
export interface SpokenWord {
  readonly word: string
  readonly start_ms: number
  readonly end_ms: number
}

export interface SpeechStart {
  /** Hz. */
  readonly sampleRate: number
  /** Undefined over a socket, which has none. */
  readonly requestId: string | undefined
}

export interface SpeechEnd {
  readonly chunks: number
  readonly durationMs: number
  /** With `timestamps`. */
  readonly words: readonly SpokenWord[]
  /** Over a socket: where the finished WAV lies for a day. */
  readonly audioUrl: string | undefined
}

/** What a stream yields: pieces of mono PCM16, owned by the receiver, then its end. */
export type SpeechPiece = { readonly samples: Int16Array<ArrayBuffer> } | { readonly end: SpeechEnd }

/**
 * A text that is being spoken. Iterate over it once for the samples, as they are made; leaving the loop early stops the speech and
 * closes the connection. What is not iterated over must be cancelled.
 */
export class Speech implements AsyncIterable<Int16Array<ArrayBuffer>>, SpeechStart {
  readonly sampleRate: number
  readonly requestId: string | undefined
  readonly #pieces: AsyncIterable<SpeechPiece>
  readonly #cancel: () => void
  #end: SpeechEnd | undefined
  #isCancelled = false

  /** `cancel` closes the connection at once and makes `pieces` end or fail. */
  constructor(start: SpeechStart, pieces: AsyncIterable<SpeechPiece>, cancel: () => void) {
    this.sampleRate = start.sampleRate
    this.requestId = start.requestId
    this.#pieces = pieces
    this.#cancel = cancel
  }

  /** Once the last sample has come; undefined until then, and where the speech was cancelled. */
  get end(): SpeechEnd | undefined {
    return this.#end
  }

  /** Stops the speech. A loop over it ends without an error. */
  cancel(): void {
    this.#isCancelled = true
    this.#cancel()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Int16Array<ArrayBuffer>, void> {
    try {
      for await (const piece of this.#pieces) {
        if (this.#isCancelled) return
        if ('end' in piece) this.#end = piece.end
        else yield piece.samples
      }
    } catch (error) {
      if (!this.#isCancelled) throw error
    } finally {
      this.#cancel()
    }
  }
}

/** The end that a `done` event tells of. */
export function endOf(done: Readonly<Record<string, unknown>>): SpeechEnd {
  return {
    chunks: Number(done.chunks),
    durationMs: Number(done.duration_ms),
    words: Array.isArray(done.words) ? done.words : [],
    audioUrl: typeof done.audio_url === 'string' ? done.audio_url : undefined,
  }
}
