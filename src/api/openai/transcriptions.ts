import { openAiTranscriptionOperation } from '../documents/openai.ts'
import { replyJson } from '../envelope.ts'
import { ApiError } from '../errors.ts'
import type { Route } from '../exchange.ts'
import { LineSink } from '../line-sink.ts'
import type { Services } from '../services.ts'
import { ChargedTranscript, transcribeWhole } from '../stt-transcript.ts'
import { explain, type Subject, serveUpload } from '../stt-upload.ts'
import { openAiError, openAiErrorHeaders } from './errors.ts'
import { eventOf } from './speech-answer.ts'
import { formatTranscript, usageOf } from './transcript-formats.ts'
import { readTranscriptWish, TRANSCRIPTION_FORM, type TranscriptWish } from './transcription-fields.ts'

/** `POST /v1/audio/transcriptions`: writes down what is said in an uploaded file as OpenAI does (D33). */
export function openAiTranscriptions(services: Services): Route {
  return {
    method: 'POST',
    path: '/v1/audio/transcriptions',
    operation: openAiTranscriptionOperation,
    handle: (exchange) =>
      serveUpload(services, exchange, {
        form: TRANSCRIPTION_FORM,
        read: () => readTranscriptWish,
        answer: (subject, place) =>
          subject.wish.stream ? streamEvents(services, subject, place) : answerOnce(services, subject),
      }),
  }
}

type Upload = Subject<TranscriptWish>

/** The whole transcript, or the error that ended it with as much of it, as `text`, as was charged. */
async function answerOnce(services: Services, subject: Upload): Promise<void> {
  const { exchange, wish } = subject
  const transcript = new ChargedTranscript(services, subject)
  const error = await transcribeWhole(services, exchange, transcript)
  if (error !== undefined) {
    const { status } = error
    // Without `Retry-After`, which would say that nothing was charged.
    const headers = openAiErrorHeaders({ status, headers: {} })
    replyJson(exchange, status, { ...openAiError(error), text: transcript.text }, headers)
    return
  }
  const { mediaType, body } = formatTranscript(transcript, wish)
  if (typeof body !== 'string') replyJson(exchange, 200, body)
  else exchange.reply(200, { 'Content-Type': `${mediaType}; charset=utf-8`, 'Cache-Control': 'no-store' }, body)
}

/** A delta for every piece, then the whole text or an error; nothing more to a client that has gone. */
async function streamEvents(services: Services, subject: Upload, place: { release(): void }): Promise<void> {
  const { exchange } = subject
  const transcript = new ChargedTranscript(services, subject)
  const events = new LineSink(exchange.open(200, HEADERS), eventOf)
  let told = 0
  try {
    await transcript.run(async (_, combinedText) => {
      const delta = combinedText.slice(told)
      told = combinedText.length
      if (delta !== '') await events.write({ type: 'transcript.text.delta', delta })
    })
    // Before the last event: who has read it may find the place free.
    place.release()
    await events.write({ type: 'transcript.text.done', text: transcript.text, usage: usageOf(transcript) })
  } catch (error) {
    place.release()
    const explained = explain(services, exchange, error, 'listening')
    if (explained instanceof ApiError) await events.write({ type: 'error', ...openAiError(explained) })
  }
  events.end()
}

const HEADERS = {
  'Content-Type': 'text/event-stream; charset=utf-8',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}
