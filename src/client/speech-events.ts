import { linkedAbort } from './abort.ts'
import { bodyText } from './body-text.ts'
import { EventStreamParser } from './event-stream.ts'
import { samplesOfBase64 } from './pcm.ts'
import { endOf, Speech, type SpeechPiece } from './speech.ts'
import { errorOfEvent, isRecord, SyrinxError } from './syrinx-error.ts'
import type { Transport } from './transport.ts'

/** Speaks over server-sent events. Resolves with the stream's `start`. */
export async function speakByEvents(transport: Transport, body: object, signal?: AbortSignal): Promise<Speech> {
  const { controller, unlink } = linkedAbort(signal)
  try {
    const response = await transport.response({
      method: 'POST',
      path: '/api/v1/tts/sse',
      headers: { Accept: 'text/event-stream' },
      json: body,
      repetition: 'when_told',
      signal: controller.signal,
    })
    const requestId = response.headers.get('x-request-id') ?? undefined
    const events = speechEvents(response, controller.signal, requestId)
    const first = await events.next()
    if (first.done || first.value.event !== 'start') throw unexpected(requestId)
    const start = { sampleRate: Number(first.value.data.sample_rate), requestId }
    return new Speech(start, pieces(events, requestId), () => {
      unlink()
      controller.abort()
    })
  } catch (error) {
    unlink()
    controller.abort()
    throw error
  }
}

interface SpeechEvent {
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
}

async function* speechEvents(
  response: Response,
  signal: AbortSignal,
  requestId: string | undefined,
): AsyncGenerator<SpeechEvent, void> {
  const parser = new EventStreamParser()
  for await (const text of bodyText(response, signal)) {
    for (const { event, data } of parser.push(text)) {
      const fields: unknown = JSON.parse(data)
      if (!isRecord(fields)) throw unexpected(requestId)
      if (event === 'error') throw errorOfEvent(fields, { requestId })
      yield { event, data: fields }
    }
  }
}

/** Audio, then the end. A stream that stops without `done` was cut. */
async function* pieces(events: AsyncIterable<SpeechEvent>, requestId: string | undefined): AsyncGenerator<SpeechPiece> {
  for await (const { event, data } of events) {
    if (event === 'audio') yield { samples: samplesOfBase64(String(data.audio)) }
    if (event === 'done') {
      yield { end: endOf(data) }
      return
    }
  }
  throw new SyrinxError('STREAM_INTERRUPTED', 'the stream ended before its last event', { requestId })
}

function unexpected(requestId: string | undefined): SyrinxError {
  return new SyrinxError('UNEXPECTED_ANSWER', 'the stream is not one of this service', { requestId })
}
