import { z } from 'zod'
import { STT_SAMPLE_RATE_MAX, STT_SAMPLE_RATE_MIN } from '../limits.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { findSpeechMode, type SpeechMode } from '../speech/speech-modes.ts'
import { ApiError } from './errors.ts'
import type { RequestHead } from './exchange.ts'
import { parseFields } from './fields.ts'
import type { Form, UploadedFile } from './form.ts'

const LANGUAGE_RULE = 'must be auto, or the code or name of a speech-to-text language such as en or Spanish-English'

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
  return speechModeNamed(fields.language ?? 'auto')
}

/** The language that a socket's address names. Throws `BAD_REQUEST`. */
export function speechModeOfQuery({ query }: RequestHead): SpeechMode {
  return speechModeNamed(query.get('language') ?? 'auto')
}

/** The `start` message of the socket that listens. Its language, where it has one, counts rather than that of the address. */
export interface ListeningStart {
  readonly mode: 'auto' | 'manual'
  readonly language: SpeechMode | undefined
  readonly sampleRate: number
}

/** Throws `BAD_REQUEST`, naming the field and the rule. */
export function listeningStart(message: object): ListeningStart {
  const { mode, language, sample_rate } = parseFields(ListeningStartFields, message, () => 'BAD_REQUEST')
  return { mode, language: language === undefined ? undefined : speechModeNamed(language), sampleRate: sample_rate }
}

const rateRule = `must be a whole number of Hz from ${STT_SAMPLE_RATE_MIN} to ${STT_SAMPLE_RATE_MAX}`

export const ListeningStartFields = z.object({
  type: z.literal('start', 'must be start'),
  mode: z
    .enum(['auto', 'manual'], 'must be auto or manual')
    .default('auto')
    .describe('auto: the node hears where speech ends. manual: a turn ends with a commit.'),
  language: z
    .string(LANGUAGE_RULE)
    .refine((name) => findSpeechMode(name) !== undefined, LANGUAGE_RULE)
    .optional()
    .describe('Counts rather than the language of the address.'),
  sample_rate: z
    .int(rateRule)
    .min(STT_SAMPLE_RATE_MIN, rateRule)
    .max(STT_SAMPLE_RATE_MAX, rateRule)
    .default(LISTENING_SAMPLE_RATE)
    .describe('Of the audio that follows, in Hz.'),
  format: z.literal('pcm_s16le', 'must be pcm_s16le').default('pcm_s16le'),
})

function speechModeNamed(name: string): SpeechMode {
  const mode = findSpeechMode(name)
  if (mode === undefined) throw badRequest(`language ${LANGUAGE_RULE}`)
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
