import { z } from 'zod'
import {
  CFG_VALUE_MAX,
  CFG_VALUE_MIN,
  DIT_STEPS_MAX,
  DURATION_SECONDS_MAX,
  DURATION_SECONDS_MIN,
  SPEED_MAX,
  SPEED_MIN,
  TEXT_LENGTH_MAX,
  TOKEN_TEXT_LENGTH_MAX,
} from '../limits.ts'
import { findLanguage } from '../speech/languages.ts'
import type { ErrorCode } from './error-codes.ts'
import { ApiError } from './errors.ts'

/*
 * The fields of the TTS requests. The order of the keys is the contract's, and decides which of several mistakes is told
 * (D9). Every message is a rule that follows the field's name: "speed must be a finite number". Unknown fields are
 * ignored, and nothing is converted: a number in quotes is not a number (D10).
 */

/** Message of a field that must be there. */
export const required = (rule: string) => ({
  error: ({ input }: { readonly input?: unknown }) => (input === undefined ? 'is required' : rule),
})
/** For the documents: a text that holds more than white space. */
export const NOT_BLANK = '\\S'
const flag = () => z.boolean('must be true or false')
const engines = 'Checked, and passed to engines that have such a thing.'

/** Text to speak: not only white space. */
export const text = (lengthMax: number) =>
  z
    .string(required('must be a string'))
    .refine((value) => value.trim() !== '', 'must not be empty')
    // Not `max`: that counts code points, and an allowance is counted in UTF-16 units.
    .refine((value) => value.length <= lengthMax, {
      error: `must be at most ${lengthMax} characters`,
      params: { code: 'TEXT_TOO_LONG' },
    })
    .meta({
      minLength: 1,
      maxLength: lengthMax,
      pattern: NOT_BLANK,
      description: 'What to say, counted in UTF-16 units.',
    })

const voiceId = z
  .string('must be a string')
  .optional()
  .describe('Needed with an account key. A voice key implies its voice; if given it must be that one.')

const languageRule = 'must be auto, or the code or name of a language of the catalog'
const language = z
  .string(languageRule)
  .refine((value) => isAuto(value) || findLanguage(value) !== undefined, languageRule)
  .transform((value) => (isAuto(value) ? 'auto' : (findLanguage(value)?.code ?? 'auto')))
  .prefault('auto')
  .describe('auto, or a code or full name of the language catalog, in any case.')

const format = z.enum(['mp3', 'wav'], 'must be mp3 or wav').default('mp3').describe('Of the file; streams ignore it.')

const speed = z
  .number('must be a finite number')
  .transform((value) => Math.min(SPEED_MAX, Math.max(SPEED_MIN, value)))
  .prefault(1)
  .describe(`Relative rate of speech, clamped to ${SPEED_MIN}..${SPEED_MAX}; ignored when duration is set.`)

const durationRule = `must be null or a number of seconds from ${DURATION_SECONDS_MIN} to ${DURATION_SECONDS_MAX}`
const duration = z
  .number(durationRule)
  .min(DURATION_SECONDS_MIN, durationRule)
  .max(DURATION_SECONDS_MAX, durationRule)
  .nullable()
  .default(null)
  .describe('Exact length in seconds; null lets the model choose.')

const cfgRule = `must be a number from ${CFG_VALUE_MIN} to ${CFG_VALUE_MAX}`
const cfgValue = z.number(cfgRule).min(CFG_VALUE_MIN, cfgRule).max(CFG_VALUE_MAX, cfgRule).default(2).describe(engines)

const stepsRule = `must be a whole number from 0 to ${DIT_STEPS_MAX}`
const ditSteps = z.int(stepsRule).min(0, stepsRule).max(DIT_STEPS_MAX, stepsRule).describe(engines)

const timestamps = flag().default(false).describe('Whether `done` tells when each word is spoken.')

const promptText = z.string('must be a string').default('').describe(engines)
const postprocess = flag().default(true).describe('Trims silence at both edges, then pads each with 0.1 s.')

/** Body of `POST /api/v1/tts/generate` and `/bytes`. */
export const FileFields = z.object({
  text: text(TEXT_LENGTH_MAX),
  voice_id: voiceId,
  language,
  format,
  speed,
  duration,
  cfg_value: cfgValue,
  dit_steps: ditSteps.default(10),
  do_normalize: flag().default(false),
  denoise: flag().default(false),
  use_prompt_text: flag().default(false),
  prompt_text: promptText,
  preprocess_prompt: flag().default(true),
  postprocess_output: postprocess,
})

/** Body of `POST /api/v1/tts/sse`. `duration` is ignored altogether, whatever it holds. */
export const SseFields = FileFields.extend({
  duration: z.unknown().optional().describe('Accepted and ignored.'),
  timestamps,
})

const textLengthRule = `must be a whole number from 1 to ${TOKEN_TEXT_LENGTH_MAX}`

/** Body of `POST /api/v1/tts/stream-token`. */
export const StreamTokenFields = z.object({
  text_length: z
    .int(required(textLengthRule))
    .min(1, textLengthRule)
    .max(TOKEN_TEXT_LENGTH_MAX, textLengthRule)
    .describe('Characters (UTF-16 units) that the stream will speak at most; charged now.'),
  voice_id: voiceId,
})

/** The `start` message of `WS /ws/tts/stream`. `text` must also fit the token. */
export const StartFields = z.object({
  type: z.literal('start', required('must be start')),
  text: text(TOKEN_TEXT_LENGTH_MAX),
  language,
  speed,
  cfg_value: cfgValue,
  dit_steps: ditSteps.default(8),
  use_prompt_text: flag().default(false),
  prompt_text: promptText,
  do_normalize: flag().default(false),
  denoise: flag().default(true),
  preprocess_prompt: flag().default(true),
  postprocess_output: postprocess,
  timestamps,
})

export type FileFields = z.infer<typeof FileFields>
export type SseFields = z.infer<typeof SseFields>
export type StartFields = z.infer<typeof StartFields>

/** The fields with their defaults. Throws for the first field, in the schema's order, that breaks its rule. */
export function parseFields<T>(
  schema: z.ZodType<T>,
  body: object,
  codeOf: (field: string) => ErrorCode = ttsCodeOf,
): T {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  const issue = parsed.error.issues[0]
  const field = String(issue?.path[0])
  throw new ApiError(isTooLong(issue) ? 'TEXT_TOO_LONG' : codeOf(field), `${field} ${issue?.message}`, { field })
}

function ttsCodeOf(field: string): ErrorCode {
  if (field === 'language') return 'INVALID_LANGUAGE'
  if (field === 'format') return 'INVALID_FORMAT'
  return 'BAD_REQUEST'
}

function isTooLong(issue: z.core.$ZodIssue | undefined): boolean {
  return issue?.code === 'custom' && issue.params?.code === 'TEXT_TOO_LONG'
}

function isAuto(value: string): boolean {
  return value.toLowerCase() === 'auto'
}
