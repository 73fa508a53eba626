import type { ErrorCode } from '../error-codes.ts'

/** Whether a path is of those that clients written for OpenAI call. */
export function isOpenAiPath(path: string): boolean {
  return path === '/v1' || path.startsWith('/v1/')
}

/** An error in OpenAI's shape. `code` is the contract's, so that one table serves both. */
export function openAiError({ code, status, message, field }: OpenAiErrorParts) {
  return { error: { message, type: typeOf(code, status), param: field ?? null, code } }
}

/**
 * Headers of an error. OpenAI's clients ask again by themselves after a 5xx unless they are told not to: one without `Retry-After`
 * may have been charged.
 */
export function openAiErrorHeaders({ status, headers }: AnswerHead): AnswerHead['headers'] {
  return status < 500 || headers['Retry-After'] !== undefined ? headers : { ...headers, 'X-Should-Retry': 'false' }
}

interface AnswerHead {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
}

interface OpenAiErrorParts {
  readonly code: ErrorCode
  readonly status: number
  readonly message: string
  readonly field?: string | undefined
}

export const OPENAI_ERROR_TYPES = [
  'invalid_request_error',
  'authentication_error',
  'permission_error',
  'insufficient_quota',
  'server_error',
] as const

function typeOf(code: ErrorCode, status: number): (typeof OPENAI_ERROR_TYPES)[number] {
  if (code === 'QUOTA_EXCEEDED' || code === 'KEY_CREDIT_EXCEEDED') return 'insufficient_quota'
  if (status === 401) return 'authentication_error'
  if (status === 403) return 'permission_error'
  return status >= 500 ? 'server_error' : 'invalid_request_error'
}
