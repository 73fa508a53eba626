import type { Log } from '../runtime/log.ts'
import { SynthesisFailed } from '../speech/synthesis.ts'
import { replyJson } from './envelope.ts'
import { type ErrorCode, statusesOf } from './error-codes.ts'
import { BodyTooLarge, ClientGone, type Exchange } from './exchange.ts'
import { FileTooLarge, MalformedForm } from './form.ts'
import { isOpenAiPath, openAiError, openAiErrorHeaders } from './openai/errors.ts'
import { type ServiceObserver, unobservedService } from './service-observer.ts'

interface Particulars {
  /** Default: the first status of the code's row. */
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** The field of the request that is at fault. */
  readonly field?: string
  /** The failed fields of an enrollment (D4). */
  readonly details?: readonly ErrorDetail[]
}

export interface ErrorDetail {
  readonly field: string
  /** For programs. */
  readonly rule: string
  readonly message: string
}

/** A refusal the client is told about: thrown once, rendered once at the edge. The message is for people. */
export class ApiError extends Error {
  readonly code: ErrorCode
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly field: string | undefined
  readonly details: Particulars['details']

  constructor(code: ErrorCode, message: string, particulars: Particulars = {}) {
    super(message)
    const statuses = statusesOf(code)
    this.code = code
    this.status = particulars.status ?? statuses[0] ?? 500
    this.headers = particulars.headers ?? {}
    this.field = particulars.field
    this.details = particulars.details
    if (!statuses.includes(this.status)) throw new RangeError(`${code} is never sent with status ${this.status}`)
  }
}

/** Answers with whatever an endpoint threw. Faults are logged and told without their inside; a gone client is told nothing. */
export function renderError(
  error: unknown,
  exchange: Exchange,
  log: Log,
  observer: Pick<ServiceObserver, 'errorTold'> = unobservedService,
): void {
  if (error instanceof ClientGone) return
  const told = asApiError(error)
  if (told !== error && told.status >= 500) log.error({ requestId: exchange.id, ...describe(error) }, 'request failed')
  observer.errorTold(told.code)
  if (!isOpenAiPath(exchange.request.path)) replyJson(exchange, told.status, contractError(told), told.headers)
  else replyJson(exchange, told.status, openAiError(told), openAiErrorHeaders(told))
}

/** An error in the contract's envelope. */
function contractError({ code, message, details }: ApiError): object {
  return { ok: false, error: { code, message, ...(details && { details }) } }
}

/** What a client may know about an error. */
export function asApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error
  if (error instanceof BodyTooLarge || error instanceof MalformedForm) return new ApiError('BAD_REQUEST', error.message)
  if (error instanceof FileTooLarge) return new ApiError('FILE_TOO_LARGE', error.message)
  if (error instanceof SynthesisFailed) return new ApiError('BACKEND_ERROR', 'speech could not be generated')
  return new ApiError('INTERNAL_ERROR', 'the request could not be served')
}

/** An error as log fields, with what caused it: never the request's content. */
export function describe(error: unknown): object {
  if (!(error instanceof Error)) return { error: 'unknown' }
  const cause = error.cause === undefined ? {} : { cause: describe(error.cause) }
  return { error: error.name, reason: error.message, stack: error.stack, ...cause }
}
