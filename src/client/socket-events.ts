import type { Channel, Closing } from './channel.ts'
import { errorOfEvent, isRecord, SyrinxError } from './syrinx-error.ts'

export type SocketEvent = ArrayBuffer | (Readonly<Record<string, unknown>> & { readonly type: string })

/**
 * The events of a socket until it closes with 1000. An `error` event is thrown once the socket has closed, with the code it
 * closed with; so is any other close.
 */
export async function* socketEvents(channel: Channel): AsyncGenerator<SocketEvent, void> {
  const messages = channel.messages()
  let failure: Readonly<Record<string, unknown>> | undefined
  try {
    for (;;) {
      const { done, value } = await messages.next()
      if (done) {
        if (failure === undefined && value.code === 1000) return
        throw closingError(failure, value)
      }
      if (value instanceof ArrayBuffer) yield value
      else {
        const event = eventOf(value)
        if (event.type === 'error') failure = event
        else yield event
      }
    }
  } finally {
    await messages.return({ code: 1000, reason: '' })
  }
}

function closingError(failure: Readonly<Record<string, unknown>> | undefined, { code, reason }: Closing): SyrinxError {
  if (failure !== undefined) return errorOfEvent(failure, { closeCode: code })
  const message = reason === '' ? `the socket was closed with ${code}` : reason
  return new SyrinxError('STREAM_INTERRUPTED', message, { closeCode: code })
}

function eventOf(text: string): Readonly<Record<string, unknown>> & { readonly type: string } {
  const event: unknown = JSON.parse(text)
  if (isRecord(event) && typeof event.type === 'string') return { ...event, type: event.type }
  throw new SyrinxError('UNEXPECTED_ANSWER', 'the socket does not speak the language of this service')
}
