import { transcriptionOperation } from './documents/stt-transcriptions.ts'
import { replyJson, replyOk } from './envelope.ts'
import { ApiError } from './errors.ts'
import type { Route } from './exchange.ts'
import { LineSink } from './line-sink.ts'
import type { Services } from './services.ts'
import { audioOf, speechModeOf, UPLOAD_FORM, type UploadOptions, uploadOptions } from './stt-fields.ts'
import { ChargedTranscript, transcribeWhole } from './stt-transcript.ts'
import { explain, type Subject, serveUpload, type Wish } from './stt-upload.ts'

/** `POST /api/v1/stt/transcriptions`: writes down what is said in an uploaded file, at once or line by line. */
export function sttTranscriptions(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/stt/transcriptions',
    operation: transcriptionOperation,
    handle: (exchange) =>
      serveUpload(services, exchange, {
        form: UPLOAD_FORM,
        read(request) {
          const options = uploadOptions(request)
          return (form) => ({ upload: audioOf(form), mode: speechModeOf(form), ...options })
        },
        answer: (subject, place) =>
          subject.wish.stream ? streamLines(services, subject, place) : answerOnce(services, subject),
      }),
  }
}

type Upload = Subject<Wish & UploadOptions>

/** The whole transcript (D28), or the error that ended it with as much of it as was charged. */
async function answerOnce(services: Services, subject: Upload): Promise<void> {
  const { exchange } = subject
  const transcript = new ChargedTranscript(services, subject)
  const error = await transcribeWhole(services, exchange, transcript)
  const data = transcript.describe()
  if (error === undefined) return replyOk(exchange, data)
  const { code, message, status } = error
  // Without `Retry-After`, which would say that nothing was charged.
  replyJson(exchange, status, { ok: false, error: { code, message }, data })
}

/** `started`, a `chunk` for every piece, then `final` or `error` (D27); nothing more to a client that has gone. */
async function streamLines(services: Services, subject: Upload, place: { release(): void }): Promise<void> {
  const { exchange, recording, transcriber } = subject
  const transcript = new ChargedTranscript(services, subject)
  const lines = new LineSink(exchange.open(200, HEADERS))
  const chunksTotal = recording.pieces.length
  await lines.write({
    type: 'started',
    duration_seconds: transcript.durationSeconds,
    chunks_total: chunksTotal,
    provider: transcriber.provider,
    model: transcriber.model,
  })
  try {
    await transcript.run(({ index, ...segment }, combinedText) =>
      lines.write({ type: 'chunk', index, chunks_total: chunksTotal, ...segment, combined_text: combinedText }),
    )
    // Before the last line: who has read it may find the place free.
    place.release()
    await lines.write({ type: 'final', ...transcript.describe() })
  } catch (error) {
    place.release()
    const told = explain(services, exchange, error, 'listening')
    if (told instanceof ApiError) await lines.write({ type: 'error', code: told.code, message: told.message })
  }
  lines.end()
}

const HEADERS = {
  'Content-Type': 'application/x-ndjson',
  'Cache-Control': 'no-store',
  'X-Accel-Buffering': 'no',
}
