import { findSpeechMode, type SpeechMode } from '../speech/speech-modes.ts'
import { ApiError } from './errors.ts'
import type { RequestHead } from './exchange.ts'
import type { Form, UploadedFile } from './form.ts'

/** Names under which the audio may be sent, the contract's first. */
export const AUDIO_FIELDS = ['audio', 'file'] as const

/** What the query of an upload asks for. */
export interface UploadOptions {
  /** Progress lines instead of one answer. */
  readonly stream: boolean
  readonly wordTimes: boolean
}

/** Throws `BAD_REQUEST`. */
export function uploadOptions({ query }: RequestHead): UploadOptions {
  return { stream: flag(query, 'stream'), wordTimes: flag(query, 'word_timestamps') }
}

/** The one file of a form. Throws `BAD_REQUEST`. */
export function audioOf({ files, fields }: Form): UploadedFile {
  const sent = AUDIO_FIELDS.flatMap((name) => files[name] ?? [])
  const [file, another] = sent
  if (another !== undefined) throw badRequest('audio must be sent once, as audio or as file')
  if (file === undefined) {
    const isText = AUDIO_FIELDS.some((name) => fields[name] !== undefined)
    throw badRequest(isText ? 'audio must be a file: a part with a file name' : 'audio is required: a file')
  }
  if (file.bytes === 0) throw badRequest('audio must not be empty')
  return file
}

/** The language of a form, by code or name. Throws `BAD_REQUEST`. */
export function speechModeOf({ fields }: Form): SpeechMode {
  const mode = findSpeechMode(fields.language ?? 'auto')
  if (mode === undefined) {
    throw badRequest(
      'language must be auto, or the code or name of a speech-to-text language such as en or Spanish-English',
    )
  }
  return mode
}

function flag(query: URLSearchParams, name: string): boolean {
  const value = query.get(name) ?? 'false'
  if (value !== 'true' && value !== 'false') throw badRequest(`${name} must be true or false`)
  return value === 'true'
}

function badRequest(message: string): ApiError {
  return new ApiError('BAD_REQUEST', message)
}
