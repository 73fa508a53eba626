import type { TranscribedPiece } from '../pipelines/transcribe-file.ts'
import { GrowingTranscript } from '../speech/growing-transcript.ts'
import { ApiError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Services } from './services.ts'
import { chargePiece } from './stt-allowance.ts'
import { explain, type Subject, type Wish } from './stt-upload.ts'

type Source = Omit<Subject<Wish>, 'exchange'> & { readonly exchange: { readonly id: string } }

/** The transcript of a recording, paid for piece by piece as its pieces become final (D16). */
export class ChargedTranscript {
  readonly #services: Pick<Services, 'ledger' | 'clock' | 'log'>
  readonly #source: Source
  readonly #transcript = new GrowingTranscript()
  /** As clients see them. */
  readonly segments: TranscribedPiece[] = []
  #characters = 0

  constructor(services: Pick<Services, 'ledger' | 'clock' | 'log'>, source: Source) {
    this.#services = services
    this.#source = source
  }

  get durationSeconds(): number {
    return Math.round(this.#source.recording.durationSeconds * 1_000) / 1_000
  }

  /** Whether every piece has been delivered. */
  get isComplete(): boolean {
    return this.segments.length === this.#source.recording.pieces.length
  }

  /** Whether any of it was paid for: pieces without a word cost nothing. */
  get isCharged(): boolean {
    return this.#characters > 0
  }

  /**
   * Transcribes to the end, handing on each piece and the text so far once its debit is on disk. Rejects with
   * `KEY_CREDIT_EXCEEDED` or `QUOTA_EXCEEDED` after the piece that was charged what remained, or before one for which nothing
   * remains.
   */
  async run(deliver: (segment: TranscribedPiece, combinedText: string) => Promise<void>): Promise<void> {
    const { transcriber, recording, wish, signal, caller, exchange } = this.#source
    let outcome = 'failed'
    try {
      const pieces = transcriber.transcribe(recording, { mode: wish.mode, wordTimes: wish.wordTimes, signal })
      for await (const piece of pieces) {
        const growth = this.#transcript.growthBy(piece.text, piece.language)
        const charge = await chargePiece(this.#services, caller, `${exchange.id}.${piece.index}`, growth)
        this.#characters += charge.characters
        if (!charge.isCovered) throw charge.error
        this.#transcript.append(piece.text, piece.language)
        this.segments.push(piece)
        await deliver(piece, this.#transcript.text)
        if (charge.error !== undefined) throw charge.error
      }
      signal.throwIfAborted()
      outcome = 'completed'
    } finally {
      this.#log(signal.aborted ? 'cancelled' : outcome)
    }
  }

  get text(): string {
    return this.#transcript.text
  }

  /** That most of it is in; while there is none, what was asked for. */
  get language(): string {
    const { mode } = this.#source.wish
    const [onlyLanguage, another] = mode.languages
    return this.#transcript.language ?? (another === undefined && onlyLanguage ? onlyLanguage : mode.code)
  }

  /** The final transcript (D28), as far as it has come. */
  describe(): object {
    const { transcriber, receivedAt } = this.#source
    return {
      text: this.text,
      language: this.language,
      is_final: true,
      provider: transcriber.provider,
      model: transcriber.model,
      duration_seconds: this.durationSeconds,
      latency_ms: Math.round(this.#services.clock.monotonic() - receivedAt),
      segments: this.segments,
    }
  }

  #log(outcome: string): void {
    const { exchange, caller, recording } = this.#source
    const fields = {
      requestId: exchange.id,
      keyId: caller.key.id,
      audioSeconds: this.durationSeconds,
      pieces: recording.pieces.length,
      characters: this.#characters,
      outcome,
    }
    this.#services.log.info(fields, 'transcription ended')
  }
}

/**
 * Transcribes to the end, for an answer in one piece. Resolves with the error that ended a transcript of which something was charged: that
 * much is delivered beside it (D16). Throws where nothing was.
 */
export async function transcribeWhole(
  services: Services,
  exchange: Exchange,
  transcript: ChargedTranscript,
): Promise<ApiError | undefined> {
  try {
    await transcript.run(async () => {})
  } catch (error) {
    if (transcript.isComplete) return undefined
    const told = explain(services, exchange, error, 'listening')
    if (!(told instanceof ApiError) || !transcript.isCharged) throw told
    services.observer.errorTold(told.code)
    return told
  }
  return undefined
}
