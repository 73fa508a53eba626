import { STT_UPLOAD_BYTES_MAX } from '../limits.ts'
import type { Recording } from '../pipelines/recording.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import { linkSignals } from './abort-signals.ts'
import { findPlace } from './admission.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { replyJson, replyOk } from './envelope.ts'
import { ApiError } from './errors.ts'
import { ClientGone, type Exchange, type Route } from './exchange.ts'
import { LineSink } from './line-sink.ts'
import type { Services, Transcriber } from './services.ts'
import { requireAllowance, requireStillValid } from './stt-allowance.ts'
import { asSttError, type Stage, sttRefusal, unavailable } from './stt-errors.ts'
import { AUDIO_FIELDS, audioOf, speechModeOf, type UploadOptions, uploadOptions } from './stt-fields.ts'
import { ChargedTranscript } from './stt-transcript.ts'

/** `POST /api/v1/stt/transcriptions`: writes down what is said in an uploaded file, at once or line by line. */
export function sttTranscriptions(services: Services): Route {
  return {
    method: 'POST',
    path: '/api/v1/stt/transcriptions',
    async handle(exchange) {
      const { signal, unlink } = linkSignals(exchange.closed, services.lifecycle.stopped)
      const progress: Progress = { stage: 'received' }
      try {
        await answer(services, exchange, signal, progress)
      } catch (error) {
        throw explain(services, exchange, error, progress.stage)
      } finally {
        unlink()
      }
    },
  }
}

/** How far a request has come, for whoever explains its failure. */
interface Progress {
  stage: Stage
}

async function answer(services: Services, exchange: Exchange, signal: AbortSignal, progress: Progress): Promise<void> {
  const caller = authenticate(services, exchange, { kinds: ['stt'], scope: 'stt.transcribe' })
  const transcriber = requireTranscriber(services)
  const options = uploadOptions(exchange.request)
  // Who would be refused in any case is refused before the upload. How much work it is shows only after it.
  takePlace(services, 0).release()
  requireAllowance(services, caller)

  const form = await exchange.form({ files: AUDIO_FIELDS, fileBytesMax: STT_UPLOAD_BYTES_MAX })
  let recording: Recording | undefined
  try {
    const receivedAt = services.clock.monotonic()
    const upload = audioOf(form)
    const mode = speechModeOf(form)
    requireRecognized(transcriber, mode)
    requireStillValid(services, caller)
    requireAllowance(services, caller)
    progress.stage = 'listening'
    recording = await transcriber.open(upload.path, signal)
    await form.dispose()
    const place = takePlace(services, recording.durationSeconds)
    try {
      const subject = { exchange, caller, recording, mode, options, signal, receivedAt, transcriber }
      await (options.stream ? streamLines(services, subject, place) : answerOnce(services, subject))
    } finally {
      place.release()
    }
  } finally {
    await form.dispose()
    await recording?.close()
  }
}

interface Subject {
  readonly exchange: Exchange
  readonly caller: Caller
  readonly recording: Recording
  readonly mode: SpeechMode
  readonly options: UploadOptions
  readonly signal: AbortSignal
  /** When the last byte of the upload had come, on the monotonic clock. */
  readonly receivedAt: number
  readonly transcriber: Transcriber
}

/** The whole transcript (D28). One that the allowance ended comes with the error: what was charged is delivered (D16). */
async function answerOnce(services: Services, subject: Subject): Promise<void> {
  const { exchange } = subject
  const transcript = new ChargedTranscript(services, subject)
  try {
    await transcript.run(async () => {})
  } catch (error) {
    if (!(error instanceof ApiError) || transcript.segments.length === 0) throw error
    if (!transcript.isComplete) {
      const { code, message } = error
      replyJson(exchange, error.status, { ok: false, error: { code, message }, data: transcript.describe() })
      return
    }
  }
  replyOk(exchange, transcript.describe())
}

/** `started`, a `chunk` for every piece, then `final` or `error` (D27); nothing more to a client that has gone. */
async function streamLines(services: Services, subject: Subject, place: { release(): void }): Promise<void> {
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

/** What becomes of an error: whatever a client or the node's end has stopped fails in many ways, and has one reason. */
function explain(services: Services, exchange: Exchange, error: unknown, stage: Stage): ApiError | ClientGone {
  if (error instanceof ApiError && error.code !== 'BACKEND_ERROR') return error
  if (error instanceof ClientGone || exchange.closed.aborted) return new ClientGone()
  if (services.lifecycle.stopped.aborted) return unavailable('the node is shutting down', RESTART_SECONDS)
  return asSttError(error, stage, exchange.id, services.log)
}

const RESTART_SECONDS = 10

function requireTranscriber({ transcriber }: Services): Transcriber {
  if (transcriber !== undefined) return transcriber
  throw new ApiError('SERVICE_NOT_CONFIGURED', 'this node has no speech-to-text model: see syrinx models')
}

/** Throws `STT_UNAVAILABLE` or `model_not_ready`, with `Retry-After`. */
function takePlace(services: Services, audioSeconds: number): { release(): void } {
  const place = findPlace(services, { pace: 'recording', audioSeconds })
  if (place.status === 'refused') throw sttRefusal(place)
  return place
}

/** Throws `model_not_ready` for a language that the loaded model does not know (D7). */
function requireRecognized(transcriber: Transcriber, mode: SpeechMode): void {
  const answer = transcriber.canRecognize(mode)
  if (answer.status === 'not_recognized') throw new ApiError('model_not_ready', answer.message)
}
