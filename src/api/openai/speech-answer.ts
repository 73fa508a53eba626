import type { Exchange, FrameSink } from '../exchange.ts'
import type { OpenAiSpeechFields, SpeechFormat } from './speech-fields.ts'

/** Media types of the formats. OpenAI's `pcm` has no registered one. */
export const MEDIA_TYPES: Readonly<Record<SpeechFormat, string>> = {
  mp3: 'audio/mpeg',
  opus: 'audio/ogg',
  flac: 'audio/flac',
  wav: 'audio/wav',
  pcm: 'audio/pcm',
}

/** An answer of audio on its way, as bytes or as events. It opens with its first bytes: until then a fault can be told. */
export class SpeechAnswer {
  readonly #exchange: Exchange
  readonly #fields: OpenAiSpeechFields
  #sink: FrameSink | undefined
  #onOpen = () => {}
  #onDrain = () => {}

  constructor(exchange: Exchange, fields: OpenAiSpeechFields) {
    this.#exchange = exchange
    this.#fields = fields
  }

  /** Aborted when the client is gone, or has everything. */
  get closed(): AbortSignal {
    return this.#exchange.closed
  }

  get isOpen(): boolean {
    return this.#sink !== undefined
  }

  get bufferedBytes(): number {
    return this.#sink?.bufferedBytes ?? 0
  }

  onOpen(callback: () => void): void {
    this.#onOpen = callback
  }

  onDrain(callback: () => void): void {
    this.#onDrain = callback
  }

  /** Whether what goes wrong from now on can be told: in a file there is no place for it. */
  get takesEvents(): boolean {
    return this.#fields.stream_format === 'sse'
  }

  write(bytes: Uint8Array): void {
    if (bytes.length === 0) return
    const sink = this.#open()
    if (!this.takesEvents) sink.write(bytes)
    else sink.write(eventOf({ type: 'speech.audio.delta', audio: Buffer.from(bytes).toString('base64') }))
  }

  /** Tells the end in events. OpenAI counts tokens where we count characters. */
  finish(characters: number): void {
    const usage = { input_tokens: characters, output_tokens: 0, total_tokens: characters }
    if (this.takesEvents) this.#open().write(eventOf({ type: 'speech.audio.done', usage }))
    this.#open().end()
  }

  /** Ends a stream of events with this one. */
  fail(event: object): void {
    const sink = this.#open()
    sink.write(eventOf(event))
    sink.end()
  }

  #open(): FrameSink {
    if (this.#sink !== undefined) return this.#sink
    this.#sink = this.#exchange.open(200, {
      'Content-Type': this.takesEvents ? 'text/event-stream; charset=utf-8' : MEDIA_TYPES[this.#fields.response_format],
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
      'X-Service-Chars-Deducted': String(this.#fields.input.length),
    })
    this.#sink.onDrain(() => this.#onDrain())
    this.#onOpen()
    return this.#sink
  }
}

/** OpenAI's events have no name of their own: the type is in the data. */
export function eventOf(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`
}
