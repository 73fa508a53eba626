import { DecoderBusy } from '../audio/decoding.ts'
import { AudioRefused } from '../pipelines/recording.ts'
import type { Log } from '../runtime/log.ts'
import { SpoolFull } from '../runtime/spool.ts'
import { RecognitionFailed } from '../speech/recognition.ts'
import type { Refusal } from './admission.ts'
import { ApiError, asApiError, describe } from './errors.ts'

/** Where a request stands: its faults have upper-case codes before its audio is looked at, and lower-case ones after (D5). */
export type Stage = 'received' | 'listening'

/** An error as a client of speech-to-text is told of it; faults are logged. */
export function asSttError(error: unknown, stage: Stage, requestId: string, log: Log): ApiError {
  if (error instanceof AudioRefused) {
    return new ApiError(error.reason === 'unsupported' ? 'unsupported_audio_format' : 'bad_request', error.message)
  }
  if (error instanceof DecoderBusy || error instanceof SpoolFull) return unavailable(FULL, BUSY_SECONDS)
  if (error instanceof RecognitionFailed) {
    log.error({ requestId, ...describe(error) }, 'recognition failed')
    return new ApiError('stt_upstream_error', 'the audio could not be transcribed')
  }
  const told = asApiError(error)
  // The network edge has one error for whatever it has no room for.
  if (told.code === 'BACKEND_ERROR') return new ApiError('STT_UNAVAILABLE', told.message, { headers: told.headers })
  if (told !== error && told.status >= 500) {
    log.error({ requestId, ...describe(error) }, 'transcription failed')
    if (stage === 'listening') return new ApiError('internal_error', 'the audio could not be transcribed')
  }
  return told
}

/** A refusal of admission. Models that still load will answer soon; anything else is a lack of room (D6). */
export function sttRefusal({ reason, message, retryAfterSeconds }: Refusal): ApiError {
  if (reason !== 'loading') return unavailable(message, retryAfterSeconds)
  return new ApiError('model_not_ready', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })
}

export function unavailable(message: string, retryAfterSeconds: number): ApiError {
  return new ApiError('STT_UNAVAILABLE', message, { headers: { 'Retry-After': String(retryAfterSeconds) } })
}

const FULL = 'the node has no room for another recording'
const BUSY_SECONDS = 10
