import type { LiveEvent } from '../pipelines/live-event.ts'
import { GrowingTranscript } from '../speech/growing-transcript.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import type { Caller } from './authenticate.ts'
import type { ListeningMode } from './service-observer.ts'
import type { Services } from './services.ts'
import { chargePiece, requireStillValid } from './stt-allowance.ts'

/** One message to the client (D29). Times are seconds from the first sample. */
export interface TranscriptMessage {
  readonly type: 'partial' | 'segment' | 'final'
  /** Of the segment in automatic mode, of the turn in manual mode; a `final` of automatic mode holds the whole session's. */
  readonly text: string
  /** Everything the session has heard, this text included. */
  readonly combined_text: string
  /** Of the segment or turn, from 0. A partial has that of the one it is going to be. */
  readonly index: number
  readonly start: number
  readonly end: number
  readonly language: string
  /** The text will not change any more. */
  readonly is_final: boolean
}

interface Source {
  /** The ledger's id of what the session is charged begins with this. */
  readonly id: string
  readonly caller: Caller
  readonly mode: ListeningMode
  readonly speechMode: SpeechMode
}

type Span = Pick<TranscriptMessage, 'start' | 'end'>

/**
 * What is told of a live session, paid for as it becomes final (D16): in automatic mode segment by segment, in manual mode turn by
 * turn. Partials cost nothing.
 */
export class LiveTranscript {
  readonly #services: Pick<Services, 'ledger' | 'clock' | 'observer'>
  readonly #source: Source
  readonly #send: (message: TranscriptMessage) => void
  readonly #session = new GrowingTranscript()
  /** Manual mode: what has been said in the turn that is going on. */
  #turn = new GrowingTranscript()
  #turnStart = 0
  #index = 0
  characters = 0

  constructor(
    services: Pick<Services, 'ledger' | 'clock' | 'observer'>,
    source: Source,
    send: (message: TranscriptMessage) => void,
  ) {
    this.#services = services
    this.#source = source
    this.#send = send
  }

  /** Segments or turns told. */
  get told(): number {
    return this.#index
  }

  /**
   * Tells the client of what was heard, once it is paid for on disk. Rejects with `KEY_CREDIT_EXCEEDED` or `QUOTA_EXCEEDED` after what
   * was charged the remainder, or instead of something for which nothing remains; and when the key is no longer good.
   */
  async tell(event: LiveEvent): Promise<void> {
    switch (event.kind) {
      case 'partial':
        this.#preview(event.text, event.language, event)
        return
      case 'segment':
        await (this.#source.mode === 'auto' ? this.#tellSegment(event) : this.#growTurn(event))
        return
      case 'committed':
        await this.#tellTurn(event)
        return
    }
  }

  /** The last word of automatic mode: the whole text. Manual mode has told it turn by turn. */
  finish(seconds: number): void {
    if (this.#source.mode === 'manual') return
    const { text, language } = this.#session
    this.#tell('final', text, text, language, { start: 0, end: seconds })
  }

  #preview(text: string, language: string, span: Span): void {
    const { mode } = this.#source
    const shown = mode === 'manual' ? this.#turn.joined(text, language) : text
    const start = mode === 'manual' ? this.#turnStart : span.start
    this.#tell('partial', shown, this.#session.joined(shown, language), language, { start, end: span.end })
  }

  async #tellSegment({ text, language, start, end, at, wasShown }: LiveEvent & { kind: 'segment' }): Promise<void> {
    if (text === '') {
      // It was no speech after all: what was shown of it is taken back.
      if (wasShown) this.#preview('', language, { start, end })
      return
    }
    await this.#pay(text, language, () => {
      this.#tell('segment', text, this.#session.text, language, { start, end }, at)
    })
  }

  /** A piece of a turn is shown as what it is: words that may still be followed by others. */
  async #growTurn({ text, language, start, end, wasShown }: LiveEvent & { kind: 'segment' }): Promise<void> {
    this.#turn.append(text, language)
    if (text !== '' || wasShown) this.#preview('', language, { start, end })
  }

  async #tellTurn({ at, end }: LiveEvent & { kind: 'committed' }): Promise<void> {
    const { text, language = this.#defaultLanguage } = this.#turn
    const start = this.#turnStart
    this.#turn = new GrowingTranscript()
    this.#turnStart = end
    await this.#pay(text, language, () => {
      this.#tell('final', text, this.#session.text, language, { start, end }, at)
    })
  }

  async #pay(text: string, language: string, deliver: () => void): Promise<void> {
    const { id, caller } = this.#source
    requireStillValid(this.#services, caller)
    const growth = this.#session.growthBy(text, language)
    const charge = await chargePiece(this.#services, caller, `${id}.${this.#index}`, growth)
    this.characters += charge.characters
    if (!charge.isCovered) throw charge.error
    this.#session.append(text, language)
    deliver()
    this.#index += 1
    if (charge.error !== undefined) throw charge.error
  }

  #tell(
    type: TranscriptMessage['type'],
    text: string,
    combinedText: string,
    language = this.#defaultLanguage,
    { start, end }: Span,
    endedAt?: number,
  ): void {
    const isFinal = type !== 'partial'
    const message = { type, text, combined_text: combinedText, index: this.#index, start, end, language }
    this.#send({ ...message, is_final: isFinal })
    const { observer, clock } = this.#services
    if (endedAt !== undefined) observer.wordsFinal(this.#source.mode, clock.monotonic() - endedAt)
  }

  /** What a transcript without words is in: the one language there is, or the name of the choice. */
  get #defaultLanguage(): string {
    const { code, languages } = this.#source.speechMode
    const [only, another] = languages
    return another === undefined && only !== undefined ? only : code
  }
}
