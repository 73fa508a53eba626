import { linkedAbort } from './abort.ts'
import { Channel, type WebSocketConstructor } from './channel.ts'
import { type SocketEvent, socketEvents } from './socket-events.ts'
import { SyrinxError } from './syrinx-error.ts'

/** Samples as they come from a microphone: mono, 16 bits, little-endian. */
export type PcmChunk = Int16Array<ArrayBuffer> | Uint8Array<ArrayBuffer> | ArrayBuffer

export interface ListenOptions {
  /** Hz, 8,000 to 48,000. */
  readonly sample_rate: number
  /**
   * Sent as it comes, and `stop` once it ends: feed it at the pace of speech. Without it, call `send` and `stop`. A stream
   * is cancelled when the session is over.
   */
  readonly audio?: AsyncIterable<PcmChunk> | ReadableStream<PcmChunk>
  /** `auto`: the service notices where speech ends; `manual`: a `commit` says so. */
  readonly mode?: 'auto' | 'manual'
  readonly language?: string
  readonly signal?: AbortSignal
}

/**
 * `partial`: what is being said, not final yet; `segment`: what was said until a silence; `final`: the whole, after `stop`,
 * or a turn, after `commit`. Times in seconds from the first sample.
 */
export interface LiveEvent {
  readonly type: 'partial' | 'segment' | 'final'
  readonly text: string
  /** Everything so far. */
  readonly combined_text: string
  readonly index: number
  readonly start: number
  readonly end: number
  readonly language: string
  readonly is_final: boolean
}

/** Opens a session and sends its `start`. A key that is refused shows in the iteration, not here. */
export async function listen(
  url: string,
  WebSocket: WebSocketConstructor,
  { audio, signal, sample_rate, mode = 'auto', language = 'auto' }: ListenOptions,
): Promise<LiveTranscription> {
  const { controller, unlink } = linkedAbort(signal)
  try {
    const channel = await Channel.connect(url, WebSocket, controller.signal)
    channel.send(JSON.stringify({ type: 'start', mode, language, sample_rate, format: 'pcm_s16le' }))
    return new LiveTranscription(channel, controller, unlink, audio)
  } catch (error) {
    unlink()
    throw error
  }
}

/** Speech that is written down while it is spoken. Iterate over it once for the events; leaving the loop closes the session. */
export class LiveTranscription implements AsyncIterable<LiveEvent> {
  readonly #channel: Channel
  readonly #controller: AbortController
  readonly #unlink: () => void
  #isCancelled = false

  /** Made by `listen`. Aborting `controller` closes the session; `unlink` is called once it is over. */
  constructor(channel: Channel, controller: AbortController, unlink: () => void, audio: ListenOptions['audio']) {
    this.#channel = channel
    this.#controller = controller
    this.#unlink = unlink
    if (audio !== undefined) void this.#pump(audio)
  }

  /** The samples become the session's: they must not change any more. */
  send(chunk: PcmChunk): void {
    this.#channel.send(chunk instanceof Int16Array ? bytesOf(chunk) : chunk)
  }

  /** Manual mode: what was said until here is one turn, answered by one `final`. */
  commit(): void {
    this.#channel.send('{"type":"commit"}')
  }

  /** No more comes: the rest is written down, and the events end. */
  stop(): void {
    this.#channel.send('{"type":"stop"}')
  }

  /** Closes the session at once. A loop over its events ends without an error. */
  cancel(): void {
    this.#isCancelled = true
    this.#controller.abort()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<LiveEvent, void> {
    try {
      for await (const message of socketEvents(this.#channel)) {
        const event = liveEventOf(message)
        if (event !== undefined) yield event
      }
    } catch (error) {
      if (!this.#isCancelled) throw error
    } finally {
      this.#unlink()
      this.#controller.abort()
    }
  }

  async #pump(audio: NonNullable<ListenOptions['audio']>): Promise<void> {
    const { signal } = this.#controller
    try {
      for await (const chunk of chunksOf(audio, signal)) this.send(chunk)
      this.stop()
    } catch (error) {
      // The loop over the events ends with it.
      this.#controller.abort(error)
    }
  }
}

/** Chunks until the signal is aborted, which also cancels the source. Some browsers can't iterate over a stream themselves. */
async function* chunksOf(
  audio: NonNullable<ListenOptions['audio']>,
  signal: AbortSignal,
): AsyncGenerator<PcmChunk, void> {
  const source = 'getReader' in audio ? readerOf(audio) : audio[Symbol.asyncIterator]()
  const stop = () => void source.return?.()
  signal.addEventListener('abort', stop, { once: true })
  try {
    while (!signal.aborted) {
      const { done, value } = await source.next()
      if (done) return
      yield value
    }
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

function readerOf(stream: ReadableStream<PcmChunk>): AsyncIterator<PcmChunk, void> {
  const reader = stream.getReader()
  return {
    async next() {
      const { done, value } = await reader.read()
      return done ? { done: true, value: undefined } : { done: false, value }
    },
    async return() {
      await reader.cancel().catch(() => {})
      return { done: true, value: undefined }
    },
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Int16Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

/** Undefined for what later versions of the service may say. */
function liveEventOf(event: SocketEvent): LiveEvent | undefined {
  if (event instanceof ArrayBuffer) throw new SyrinxError('UNEXPECTED_ANSWER', 'the socket sent audio')
  const { type, text, combined_text, index, start, end, language, is_final } = event
  if (type !== 'partial' && type !== 'segment' && type !== 'final') return undefined
  return {
    type,
    text: String(text),
    combined_text: String(combined_text),
    index: Number(index),
    start: Number(start),
    end: Number(end),
    language: String(language),
    is_final: is_final === true,
  }
}
