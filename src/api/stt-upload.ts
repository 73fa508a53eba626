import { STT_UPLOAD_BYTES_MAX } from '../limits.ts'
import type { Recording } from '../pipelines/recording.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import { linkSignals } from './abort-signals.ts'
import { findPlace } from './admission.ts'
import { authenticate, type Caller } from './authenticate.ts'
import { ApiError } from './errors.ts'
import { ClientGone, type Exchange, type RequestHead } from './exchange.ts'
import type { Form, FormRules, UploadedFile } from './form.ts'
import type { Services, Transcriber } from './services.ts'
import { requireAllowance, requireStillValid } from './stt-allowance.ts'
import { asSttError, type Stage, sttRefusal, unavailable } from './stt-errors.ts'

/** What an upload asks for. */
export interface Wish {
  readonly upload: UploadedFile
  readonly mode: SpeechMode
  readonly wordTimes: boolean
}

/** How an endpoint asks, and how it answers. */
export interface UploadEndpoint<W extends Wish> {
  readonly form: Omit<FormRules, 'fileBytesMax'>
  /**
   * Reads what is asked for in two steps: from the head of the request, before the body is taken in, and from its form. Both throw
   * `BAD_REQUEST`.
   */
  readonly read: (request: RequestHead) => (form: Form) => W
  /** Releases the place when the work is done; again, after it, does no harm. */
  readonly answer: (subject: Subject<W>, place: { release(): void }) => Promise<void>
}

/** A recording that is ready to be written down. */
export interface Subject<W extends Wish> {
  readonly exchange: Exchange
  readonly caller: Caller
  readonly recording: Recording
  readonly wish: W
  readonly signal: AbortSignal
  /** When the last byte of the upload had come, on the monotonic clock. */
  readonly receivedAt: number
  readonly transcriber: Transcriber
}

/** Takes an upload in, to where its audio can be transcribed, and has it answered. Nothing of it stays. */
export async function serveUpload<W extends Wish>(
  services: Services,
  exchange: Exchange,
  endpoint: UploadEndpoint<W>,
): Promise<void> {
  const { signal, unlink } = linkSignals(exchange.closed, services.lifecycle.stopped)
  const progress: Progress = { stage: 'received' }
  try {
    await takeIn(services, exchange, signal, progress, endpoint)
  } catch (error) {
    throw explain(services, exchange, error, progress.stage)
  } finally {
    unlink()
  }
}

/** How far a request has come, for whoever explains its failure. */
interface Progress {
  stage: Stage
}

async function takeIn<W extends Wish>(
  services: Services,
  exchange: Exchange,
  signal: AbortSignal,
  progress: Progress,
  { form: rules, read, answer }: UploadEndpoint<W>,
): Promise<void> {
  const caller = authenticate(services, exchange, { kinds: ['stt'], scope: 'stt.transcribe' })
  const transcriber = requireTranscriber(services)
  const readForm = read(exchange.request)
  // Who would be refused in any case is refused before the upload. How much work it is shows only after it.
  takePlace(services, 0).release()
  requireAllowance(services, caller)

  const form = await exchange.form({ ...rules, fileBytesMax: STT_UPLOAD_BYTES_MAX })
  let recording: Recording | undefined
  try {
    const receivedAt = services.clock.monotonic()
    const wish = readForm(form)
    requireRecognized(transcriber, wish.mode)
    requireStillValid(services, caller)
    requireAllowance(services, caller)
    progress.stage = 'listening'
    recording = await transcriber.open(wish.upload.path, signal)
    await form.dispose()
    const place = takePlace(services, recording.durationSeconds)
    try {
      await answer({ exchange, caller, recording, wish, signal, receivedAt, transcriber }, place)
    } finally {
      place.release()
    }
  } finally {
    await form.dispose()
    await recording?.close()
  }
}

/** What becomes of an error: whatever a client or the node's end has stopped fails in many ways, and has one reason. */
export function explain(services: Services, exchange: Exchange, error: unknown, stage: Stage): ApiError | ClientGone {
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
