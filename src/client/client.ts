import type { Generation, KeyList, Usage } from './answers.ts'
import type { WebSocketConstructor } from './channel.ts'
import { type ListenOptions, type LiveTranscription, listen } from './live-transcription.ts'
import type { Speech, SpeechFields } from './speech.ts'
import { speakByEvents } from './speech-events.ts'
import { speakBySocket } from './speech-socket.ts'
import { asInterruption } from './syrinx-error.ts'
import type { Transcript } from './transcript.ts'
import {
  type AudioFile,
  type TranscriptionOptions,
  type TranscriptionProgress,
  transcribe,
  transcribeByLines,
} from './transcription.ts'
import { Transport } from './transport.ts'
import { Voices } from './voices.ts'

export type { Generation, KeyCredit, KeyEntry, KeyList, KeyUsage, Usage } from './answers.ts'
export type { WebSocketConstructor, WebSocketLike } from './channel.ts'
export type { ListenOptions, LiveEvent, LiveTranscription, PcmChunk } from './live-transcription.ts'
export { wavFile } from './pcm.ts'
export type { Speech, SpeechEnd, SpeechFields, SpokenWord } from './speech.ts'
export { type ClientErrorCode, type FieldError, SyrinxError } from './syrinx-error.ts'
export type { Transcript, TranscriptSegment, TranscriptWord } from './transcript.ts'
export type { AudioFile, TranscriptionOptions, TranscriptionProgress } from './transcription.ts'
export type { DeletedVoice, EnrolledVoice, Enrollment, Voices } from './voices.ts'

export interface SyrinxClientOptions {
  /** Where the node is, such as `https://speech.example.com`. */
  readonly baseUrl: string
  readonly apiKey: string
  /** Default: `baseUrl` with `ws` for `http`. Only `listen` needs it. */
  readonly wsUrl?: string
  readonly fetch?: typeof globalThis.fetch
  /** Only sockets need it. Default: the global one, which Node 20 lacks: give it that of the package `ws`. */
  readonly WebSocket?: WebSocketConstructor
  /** Repetitions of a call that may be repeated, at most. Default 3; 0: none. */
  readonly retries?: number
}

interface Cancellable {
  readonly signal?: AbortSignal
}

export interface SpeakOptions extends SpeechFields, Cancellable {
  /** Whether the end tells when each word is spoken. */
  readonly timestamps?: boolean
  /** Default `events`; `socket` takes texts of up to 10,000 characters and needs a `WebSocket`. */
  readonly way?: 'events' | 'socket'
}

export interface FileOptions extends SpeechFields, Cancellable {
  readonly format?: 'mp3' | 'wav'
  /** Seconds. */
  readonly duration?: number | null
}

/** The audio of `speakFile`. */
export interface SpeechFile {
  readonly bytes: ArrayBuffer
  /** MIME type. */
  readonly type: string
  readonly charactersDeducted: number
  readonly requestId: string | undefined
}

/**
 * A caller of a Syrinx node, with one key. Every call rejects with a `SyrinxError`, or with the reason of its `signal`. Uses Web
 * interfaces only, and keeps nothing between calls.
 */
export class SyrinxClient {
  readonly voices: Voices
  readonly #options: SyrinxClientOptions
  readonly #transport: Transport

  constructor(options: SyrinxClientOptions) {
    const { baseUrl, apiKey, retries = 3 } = options
    // Called on the global object: a browser's `fetch` insists on it.
    const fetch = options.fetch ?? ((input, init) => globalThis.fetch(input, init))
    this.#options = options
    this.#transport = new Transport({ baseUrl: withoutSlash(baseUrl), apiKey, fetch, retriesMax: retries })
    this.voices = new Voices(this.#transport)
  }

  /** Speaks a text and resolves when its stream has begun. Aborting the signal stops it at any time. */
  speak(text: string, { signal, way = 'events', ...fields }: SpeakOptions = {}): Promise<Speech> {
    if (way === 'events') return speakByEvents(this.#transport, { text, ...fields }, signal)
    const { voice_id, ...startFields } = fields
    return speakBySocket(this.#transport, this.#webSocket(), { text, voice_id, fields: startFields, signal })
  }

  /** Speaks a text into a file. */
  async speakFile(text: string, { signal, ...fields }: FileOptions = {}): Promise<SpeechFile> {
    const response = await this.#transport.response({
      method: 'POST',
      path: '/api/v1/tts/bytes',
      json: { text, ...fields },
      repetition: 'when_told',
      signal,
    })
    return {
      bytes: await response.arrayBuffer().catch((error: unknown) => {
        throw asInterruption(error, signal)
      }),
      type: response.headers.get('content-type') ?? '',
      charactersDeducted: Number(response.headers.get('x-service-chars-deducted')),
      requestId: response.headers.get('x-request-id') ?? undefined,
    }
  }

  /** Speaks a text into a file that the node keeps for a day. One call is charged once, however often it is repeated. */
  generate(
    text: string,
    {
      signal,
      idempotencyKey = crypto.randomUUID(),
      ...fields
    }: FileOptions & { readonly idempotencyKey?: string } = {},
  ): Promise<Generation> {
    return this.#transport.data({
      method: 'POST',
      path: '/api/v1/tts/generate',
      headers: { 'Idempotency-Key': idempotencyKey },
      json: { text, ...fields },
      repetition: 'repeatable',
      signal,
    })
  }

  /** Has a file written down. Needs a speech-to-text key, as `transcribeByLines` and `listen` do. */
  transcribe(file: AudioFile, options: TranscriptionOptions = {}): Promise<Transcript> {
    return transcribe(this.#transport, file, options)
  }

  /** Has a file written down, told of piece by piece. */
  transcribeByLines(file: AudioFile, options: TranscriptionOptions = {}): AsyncGenerator<TranscriptionProgress, void> {
    return transcribeByLines(this.#transport, file, options)
  }

  /** Writes down what is being said. The key is part of the address, as the interface has it: never log that. */
  listen(options: ListenOptions): Promise<LiveTranscription> {
    const { baseUrl, apiKey, wsUrl = baseUrl.replace(/^http/, 'ws') } = this.#options
    const query = new URLSearchParams({ token: apiKey, language: options.language ?? 'auto' })
    return listen(`${withoutSlash(wsUrl)}/api/public/v1/stt/ws?${query}`, this.#webSocket(), options)
  }

  /** What the key has used and may still spend. */
  usage({ signal }: Cancellable = {}): Promise<Usage> {
    return this.#transport.data({ method: 'GET', path: '/api/v1/usage', repetition: 'repeatable', signal })
  }

  /** The keys that an account key can reach. */
  async keys({ signal }: Cancellable = {}): Promise<KeyList> {
    const call = { method: 'GET', path: '/api/v1/keys', repetition: 'repeatable', signal } as const
    return (await this.#transport.data<{ readonly keys: KeyList }>(call)).keys
  }

  #webSocket(): WebSocketConstructor {
    const found = this.#options.WebSocket ?? (globalThis as { WebSocket?: WebSocketConstructor }).WebSocket
    if (found === undefined) throw new TypeError('there is no global WebSocket here: pass one as the option WebSocket')
    return found
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '')
}
