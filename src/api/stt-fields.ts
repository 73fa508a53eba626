import { z } from 'zod'
import { STT_SAMPLE_RATE_MAX, STT_SAMPLE_RATE_MIN } from '../limits.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { AUTO_MODE, findSpeechMode, type SpeechMode } from '../speech/speech-modes.ts'
import { ApiError } from './errors.ts'
import type { RequestHead } from './exchange.ts'
import { parseFields } from './fields.ts'
import type { Form, UploadedFile } from './form.ts'

/** Names under which the audio may be sent, the contract's first. */
export const AUDIO_FIELDS = ['audio', 'file'] as const

const textFlag = z.enum(['true', 'false'], 'must be true or false').default('false')

/** Query of `POST /api/v1/stt/transcriptions`. */
export const UploadQuery = z.object({
  stream: textFlag.describe('Whether to answer in lines of JSON as pieces are ready.'),
  word_timestamps: textFlag.describe('Whether to tell when each word is said.'),
})

const languageRule = 'must be auto, or the code or name of a speech-to-text language such as en or Spanish-English'

const namedSpeechMode = z
  .string(languageRule)
  .refine((value) => findSpeechMode(value) !== undefined, languageRule)
  .transform((value) => findSpeechMode(value) ?? AUTO_MODE)

/** A language, or what else may be heard, as a form or an address names it. */
export const speechMode = namedSpeechMode
  .prefault('auto')
  .describe('auto, one of 30 languages, or a pair such as es-en, by code or English name in any case.')

/** What the form of an upload holds beside its file. */
export const UploadFields = z.object({ language: speechMode })

export const UPLOAD_FORM = { fields: Object.keys(UploadFields.shape), files: AUDIO_FIELDS }

/** What the query of an upload asks for. */
export interface UploadOptions {
  /** Progress lines instead of one answer. */
  readonly stream: boolean
  readonly wordTimes: boolean
}

/** Throws `BAD_REQUEST`. */
export function uploadOptions({ query }: RequestHead): UploadOptions {
  const { stream, word_timestamps } = parseFields(UploadQuery, Object.fromEntries(query))
  return { stream: stream === 'true', wordTimes: word_timestamps === 'true' }
}

/** The one file of a form. Throws `BAD_REQUEST`. */
export function audioOf(form: Form): UploadedFile {
  return uploadedFile(form, AUDIO_FIELDS)
}

/** The one file of a form, under one of these names. Throws `BAD_REQUEST`. */
export function uploadedFile({ files, fields }: Form, names: readonly [string, ...string[]]): UploadedFile {
  const [field] = names
  const sent = names.flatMap((name) => files[name] ?? [])
  const [file, another] = sent
  if (another !== undefined) throw badRequest(field, `must be sent once, as ${names.join(' or as ')}`)
  if (file === undefined) {
    const isText = names.some((name) => fields[name] !== undefined)
    throw badRequest(field, isText ? 'must be a file: a part with a file name' : 'is required: a file')
  }
  if (file.bytes === 0) throw badRequest(field, 'must not be empty')
  return file
}

/** The language of a form, by code or name. Throws `BAD_REQUEST`. */
export function speechModeOf({ fields }: Form): SpeechMode {
  return parseFields(UploadFields, fields, () => 'BAD_REQUEST').language
}

/** Query of the socket that listens. */
export const ListeningQuery = z.object({
  token: z.string().optional().describe('The speech-to-text key, unless it comes in `Authorization`.'),
  language: speechMode,
})

/** The language that a socket's address names. Throws `BAD_REQUEST`. */
export function speechModeOfQuery({ query }: RequestHead): SpeechMode {
  return parseFields(ListeningQuery, Object.fromEntries(query), () => 'BAD_REQUEST').language
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
  return { mode, language, sampleRate: sample_rate }
}

const rateRule = `must be a whole number of Hz from ${STT_SAMPLE_RATE_MIN} to ${STT_SAMPLE_RATE_MAX}`

export const ListeningStartFields = z.object({
  type: z.literal('start', 'must be start'),
  mode: z
    .enum(['auto', 'manual'], 'must be auto or manual')
    .default('auto')
    .describe('auto: the node hears where speech ends. manual: a turn ends with a commit.'),
  language: namedSpeechMode.optional().describe('Counts rather than the language of the address.'),
  sample_rate: z
    .int(rateRule)
    .min(STT_SAMPLE_RATE_MIN, rateRule)
    .max(STT_SAMPLE_RATE_MAX, rateRule)
    .default(LISTENING_SAMPLE_RATE)
    .describe('Of the audio that follows, in Hz.'),
  format: z.literal('pcm_s16le', 'must be pcm_s16le').default('pcm_s16le'),
})

function badRequest(field: string, rule: string): ApiError {
  return new ApiError('BAD_REQUEST', `${field} ${rule}`, { field })
}
