import { z } from 'zod'
import { ApiError } from '../errors.ts'
import { parseFields, required } from '../fields.ts'
import type { Form } from '../form.ts'
import { speechMode, uploadedFile } from '../stt-fields.ts'
import type { Wish } from '../stt-upload.ts'

export const TRANSCRIPT_FORMATS = ['json', 'text', 'srt', 'verbose_json', 'vtt'] as const
export type TranscriptFormat = (typeof TRANSCRIPT_FORMATS)[number]

/** Of these there is one a kind of time; OpenAI's clients add the brackets. */
const GRANULARITIES = ['timestamp_granularities[]', 'timestamp_granularities'] as const

const granularities = z
  .array(z.enum(['word', 'segment'], 'must be word or segment'), 'must be word or segment')
  .optional()

const temperatureRule = 'must be a number from 0 to 1'

/** Form of `POST /v1/audio/transcriptions`, beside its file. `prompt` and whatever else OpenAI knows is ignored. */
export const OpenAiTranscriptionFields = z.object({
  model: z.string(required('must be a string')).min(1, 'must not be empty').describe('Any name: a node has one model.'),
  language: speechMode,
  response_format: z.enum(TRANSCRIPT_FORMATS, `must be one of ${TRANSCRIPT_FORMATS.join(', ')}`).default('json'),
  temperature: z
    .string()
    .refine((value) => value !== '' && Number(value) >= 0 && Number(value) <= 1, temperatureRule)
    .optional()
    .meta({ type: 'number', minimum: 0, maximum: 1, description: 'Accepted and ignored.' }),
  stream: z
    .enum(['true', 'false'], 'must be true or false')
    .default('false')
    .describe('Whether to answer in events; with `json` and `text`.'),
  'timestamp_granularities[]': granularities.describe('With `verbose_json`: `word`, `segment` or both.'),
  timestamp_granularities: granularities.describe('The same without brackets.'),
})

export const TRANSCRIPTION_FORM = {
  fields: Object.keys(OpenAiTranscriptionFields.shape),
  files: ['file'],
  lists: GRANULARITIES,
}

export interface TranscriptWish extends Wish {
  readonly format: TranscriptFormat
  readonly stream: boolean
  /** What `verbose_json` tells the times of. */
  readonly times: readonly ('word' | 'segment')[]
}

/** What a form asks for. Throws `BAD_REQUEST`. */
export function readTranscriptWish(form: Form): TranscriptWish {
  const fields = parseFields(OpenAiTranscriptionFields, { ...form.fields, ...form.lists }, () => 'BAD_REQUEST')
  const { response_format: format } = fields
  const stream = fields.stream === 'true'
  if (stream && format !== 'json' && format !== 'text') {
    throw new ApiError('BAD_REQUEST', 'response_format must be json or text where stream is true', {
      field: 'response_format',
    })
  }
  const times = GRANULARITIES.flatMap((name) => fields[name] ?? [])
  const isSubtitles = format === 'srt' || format === 'vtt'
  return {
    upload: uploadedFile(form, ['file']),
    mode: fields.language,
    format,
    stream,
    times: times.length > 0 ? times : ['segment'],
    wordTimes: isSubtitles || (format === 'verbose_json' && times.includes('word')),
  }
}
