import { extname } from 'node:path'
import { z } from 'zod'
import { ENROLLMENT_FILE_BYTES_MAX, VOICE_DESCRIPTION_LENGTH_MAX, VOICE_NAME_LENGTH_MAX } from '../limits.ts'
import { ApiError, type ErrorDetail } from './errors.ts'
import { NOT_BLANK } from './fields.ts'
import { FieldTooLong, FileTooLarge, type Form, type FormRules, type UploadedFile } from './form.ts'

/*
 * The fields of an enrollment. Unlike the JSON fields of speech, all that are wrong are told at once (D4), in the contract's order.
 */

/** Name of the part that holds the recording. */
const REFERENCE_FIELD = 'file'

/** Parts that are not files. */
export const EnrollmentFields = z.object({
  name: z
    .string('is required')
    .refine((value) => value.trim() !== '', { error: 'must not be empty', params: { rule: 'not_empty' } })
    .refine((value) => value.length <= VOICE_NAME_LENGTH_MAX, atMost(VOICE_NAME_LENGTH_MAX))
    .meta({ minLength: 1, maxLength: VOICE_NAME_LENGTH_MAX, pattern: NOT_BLANK }),
  consent: z
    .string('is required')
    .refine((value) => value === 'true', { error: 'must be true', params: { rule: 'accepted' } })
    .meta({ const: 'true', description: 'That the speaker agrees: true.' }),
  description: z
    .string()
    .refine((value) => value.length <= VOICE_DESCRIPTION_LENGTH_MAX, atMost(VOICE_DESCRIPTION_LENGTH_MAX))
    .meta({ maxLength: VOICE_DESCRIPTION_LENGTH_MAX })
    .default(''),
  gender: z.enum(['male', 'female', 'other'], 'must be male, female or other').default('female'),
})
export type EnrollmentFields = z.infer<typeof EnrollmentFields>

export const ENROLLMENT_FORM: FormRules = {
  fields: Object.keys(EnrollmentFields.shape),
  files: [REFERENCE_FIELD],
  fileBytesMax: ENROLLMENT_FILE_BYTES_MAX,
}

export interface EnrollmentForm extends EnrollmentFields {
  readonly file: UploadedFile
}

/** Throws `VALIDATION_FAILED` with every field that breaks its rule. */
export function parseEnrollment(form: Form): EnrollmentForm {
  const file = form.files[REFERENCE_FIELD]
  const fileMistake = mistakeOf(file, form.fields[REFERENCE_FIELD] !== undefined)
  const parsed = EnrollmentFields.safeParse(form.fields)
  if (file !== undefined && fileMistake === undefined && parsed.success) return { file, ...parsed.data }
  const mistakes = parsed.success ? [] : firstOfEach(parsed.error.issues.map(asDetail))
  throw validationFailed(fileMistake === undefined ? mistakes : [fileMistake, ...mistakes])
}

export function validationFailed(details: readonly ErrorDetail[]): ApiError {
  return new ApiError('VALIDATION_FAILED', details.map(({ message }) => message).join('; '), { details })
}

/** A fault of the recording itself. `message` follows the field's name. */
export function unfitFile(rule: string, message: string): ApiError {
  return validationFailed([detail(REFERENCE_FIELD, rule, message)])
}

/** What ended the reading of a form as a failed field; undefined where it was none. The fields behind it were never read. */
export function asFailedField(error: unknown): ApiError | undefined {
  if (error instanceof FileTooLarge) return unfitFile('max_size', `must be at most ${ENROLLMENT_FILE_BYTES_MAX} bytes`)
  if (error instanceof FieldTooLong) return validationFailed([detail(error.field, 'max_length', error.rule)])
  return undefined
}

/** Extensions that are taken whatever the declared type is. */
export const REFERENCE_EXTENSIONS: readonly string[] = [
  ...['m4a', 'mp3', 'wav', 'wave', 'aac', 'ogg', 'oga', 'opus', 'flac'],
  ...['weba', 'aif', 'aiff', 'aifc', 'caf', 'wma', 'amr', 'mp4', 'm4b'],
]

function mistakeOf(file: UploadedFile | undefined, isText: boolean): ErrorDetail | undefined {
  if (file === undefined) {
    if (isText) return detail(REFERENCE_FIELD, 'file', 'must be a file: a part with a file name')
    return detail(REFERENCE_FIELD, 'required', 'is required')
  }
  const extension = extname(file.name).slice(1).toLowerCase()
  if (!/^audio\//i.test(file.mimeType) && !REFERENCE_EXTENSIONS.includes(extension)) {
    const rule = `must be of a type that begins with audio/, or end in ${REFERENCE_EXTENSIONS.join(', ')}`
    return detail(REFERENCE_FIELD, 'audio_type', rule)
  }
  return file.bytes === 0 ? detail(REFERENCE_FIELD, 'not_empty', 'must not be empty') : undefined
}

function atMost(length: number) {
  return { error: `must be at most ${length} characters`, params: { rule: 'max_length' } }
}

function asDetail(issue: z.core.$ZodIssue): ErrorDetail {
  return detail(String(issue.path[0]), ruleOf(issue), issue.message)
}

function ruleOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'custom') return String(issue.params?.rule)
  return issue.code === 'invalid_value' ? 'one_of' : 'required'
}

function firstOfEach(details: readonly ErrorDetail[]): ErrorDetail[] {
  return details.filter(({ field }, index) => details.findIndex((other) => other.field === field) === index)
}

function detail(field: string, rule: string, message: string): ErrorDetail {
  return { field, rule, message: `${field} ${message}` }
}
