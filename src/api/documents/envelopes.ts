import { z } from 'zod'
import type { ErrorShape } from './operation.ts'

/** The contract's success envelope around `data`. */
export function success<T extends z.ZodType>(data: T) {
  return z.object({ ok: z.literal(true), data })
}

export const ErrorDetail = z
  .object({
    field: z.string(),
    rule: z.string().describe('The rule that is broken, as one word.'),
    message: z.string(),
  })
  .meta({ id: 'ErrorDetail', description: 'One failed field of an enrollment.' })

/** The contract's error envelope. */
export const CONTRACT_ERRORS: ErrorShape = {
  schema(codes) {
    const hasDetails = codes.includes('VALIDATION_FAILED')
    return z.object({
      ok: z.literal(false),
      error: z.object({
        code: z.enum(codes).describe('To branch on.'),
        message: z.string().describe('For people.'),
        ...(hasDetails && { details: z.array(ErrorDetail).optional().describe('All failed fields at once.') }),
      }),
    })
  },
  example: (code, message) => ({ ok: false, error: { code, message } }),
}

/** A moment as the service writes it. */
export const timestamp = () =>
  z
    .string()
    .regex(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    .meta({ format: 'date-time', description: 'ISO 8601, UTC, to the millisecond.' })

export const count = () => z.int().min(0)

/** Stands for bytes in a form. */
export const file = () => z.custom<Uint8Array>().meta({ type: 'string', format: 'binary' })
