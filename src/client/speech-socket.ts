import { linkedAbort } from './abort.ts'
import { Channel, type WebSocketConstructor } from './channel.ts'
import { type SocketEvent, socketEvents } from './socket-events.ts'
import { endOf, Speech, type SpeechPiece } from './speech.ts'
import { SyrinxError } from './syrinx-error.ts'
import type { Transport } from './transport.ts'

interface StreamToken {
  readonly stream_token: string
  readonly ws_url: string
}

export interface SocketSpeechRequest {
  readonly text: string
  readonly voice_id?: string | undefined
  /** The other fields of the `start` message. */
  readonly fields: object
  readonly signal?: AbortSignal | undefined
}

/** Speaks over a WebSocket, paid for with a stream token. Resolves with the stream's `start`. */
export async function speakBySocket(
  transport: Transport,
  WebSocket: WebSocketConstructor,
  { text, voice_id, fields, signal }: SocketSpeechRequest,
): Promise<Speech> {
  const token = await transport.data<StreamToken>({
    method: 'POST',
    path: '/api/v1/tts/stream-token',
    json: { text_length: text.length, ...(voice_id !== undefined && { voice_id }) },
    repetition: 'when_told',
    signal,
  })
  const url = `${token.ws_url}?token=${encodeURIComponent(token.stream_token)}`
  // A socket that the node had no room for has not spent its token, and a spent one is refused.
  return transport.repeated({ repetition: 'repeatable', signal }, () =>
    open(url, WebSocket, { text, ...fields }, signal),
  )
}

async function open(
  url: string,
  WebSocket: WebSocketConstructor,
  start: object,
  signal?: AbortSignal,
): Promise<Speech> {
  const { controller, unlink } = linkedAbort(signal)
  try {
    const channel = await Channel.connect(url, WebSocket, controller.signal)
    channel.send(JSON.stringify({ type: 'start', ...start }))
    const events = socketEvents(channel)
    const first = await events.next()
    if (first.done || first.value instanceof ArrayBuffer || first.value.type !== 'start') {
      throw new SyrinxError('UNEXPECTED_ANSWER', 'the stream is not one of this service')
    }
    const sampleRate = Number(first.value.sample_rate)
    return new Speech({ sampleRate, requestId: undefined }, pieces(events), () => {
      unlink()
      controller.abort()
    })
  } catch (error) {
    unlink()
    controller.abort()
    throw asRefusal(error)
  }
}

async function* pieces(events: AsyncIterable<SocketEvent>): AsyncGenerator<SpeechPiece> {
  for await (const event of events) {
    if (event instanceof ArrayBuffer) yield { samples: new Int16Array(event) }
    else if (event.type === 'done') {
      yield { end: endOf(event) }
      return
    }
  }
  throw new SyrinxError('STREAM_INTERRUPTED', 'the stream ended before its last event')
}

/** The close codes of a node that is full or going down, as the status that says the same of a request. */
function asRefusal(error: unknown): unknown {
  if (!(error instanceof SyrinxError) || (error.closeCode !== 1012 && error.closeCode !== 1013)) return error
  const { code, message, closeCode } = error
  return new SyrinxError(code, message, { status: 503, closeCode })
}
