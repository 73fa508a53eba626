import type { Transcript } from './transcript.ts'

/** Codes of this client's own, beside those of the service. */
export type ClientErrorCode =
  /** No connection, or it was lost before an answer came. Whether the service has acted on the request is not known. */
  | 'CONNECTION_FAILED'
  /** A stream ended before its last event. */
  | 'STREAM_INTERRUPTED'
  /** The other side is not this service, or of another version. */
  | 'UNEXPECTED_ANSWER'

/** One field that an enrollment was refused for. */
export interface FieldError {
  readonly field: string
  readonly rule: string
  readonly message: string
}

export interface ErrorParticulars {
  /** HTTP status; 0 where none came, and for events inside streams. */
  readonly status?: number
  /** Close code of a WebSocket. */
  readonly closeCode?: number | undefined
  readonly requestId?: string | undefined
  /** Seconds after which it is worth asking again, where the service said so. */
  readonly retryAfter?: number | undefined
  readonly details?: readonly FieldError[] | undefined
  readonly transcript?: Transcript | undefined
  readonly cause?: unknown
}

/** Whatever goes wrong with a call, an abort excepted: that rejects with the reason of its signal. Branch on `code`. */
export class SyrinxError extends Error {
  override readonly name = 'SyrinxError'
  /** A code of the service's table of errors, or a `ClientErrorCode`. */
  readonly code: string
  readonly status: number
  readonly closeCode: number | undefined
  readonly requestId: string | undefined
  readonly retryAfter: number | undefined
  readonly details: readonly FieldError[]
  /** What was written down, and charged, before `transcribe` failed. Asking again pays for it again. */
  readonly transcript: Transcript | undefined

  constructor(code: string, message: string, particulars: ErrorParticulars = {}) {
    super(message, particulars.cause === undefined ? {} : { cause: particulars.cause })
    this.code = code
    this.status = particulars.status ?? 0
    this.closeCode = particulars.closeCode
    this.requestId = particulars.requestId
    this.retryAfter = particulars.retryAfter
    this.details = particulars.details ?? []
    this.transcript = particulars.transcript
  }
}

/** The error that an answer with a status of 400 or above stands for. Both shapes of the service are read. */
export async function errorOf(response: Response): Promise<SyrinxError> {
  const text = await response.text().catch(() => '')
  const particulars = {
    status: response.status,
    requestId: response.headers.get('x-request-id') ?? undefined,
    retryAfter: secondsOf(response.headers.get('retry-after')),
  }
  const body = parsed(text)
  if (!isRecord(body) || !isRecord(body.error) || typeof body.error.code !== 'string') {
    return new SyrinxError('UNEXPECTED_ANSWER', `status ${response.status} without a reason`, particulars)
  }
  const { code, message, details } = body.error
  return new SyrinxError(code, String(message ?? code), {
    ...particulars,
    transcript: isTranscript(body.data) ? body.data : undefined,
    ...(Array.isArray(details) && { details: details.filter(isFieldError) }),
  })
}

/** The error that an `error` event inside a stream stands for. */
export function errorOfEvent(
  event: Readonly<Record<string, unknown>>,
  particulars: ErrorParticulars = {},
): SyrinxError {
  const code = typeof event.code === 'string' ? event.code : 'UNEXPECTED_ANSWER'
  return new SyrinxError(code, typeof event.message === 'string' ? event.message : code, particulars)
}

/** What reading from a connection failed with, seen from outside: a lost connection, or the caller's own abort. */
export function asInterruption(error: unknown, signal: AbortSignal | undefined, requestId?: string): unknown {
  if (signal?.aborted) return signal.reason
  if (error instanceof SyrinxError) return error
  return new SyrinxError('STREAM_INTERRUPTED', 'the connection was lost before the stream had ended', {
    cause: error,
    requestId,
  })
}

export function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isTranscript(value: unknown): value is Transcript {
  return isRecord(value) && typeof value.text === 'string' && Array.isArray(value.segments)
}

function isFieldError(value: unknown): value is FieldError {
  return isRecord(value) && typeof value.field === 'string' && typeof value.message === 'string'
}

/** `Retry-After` as the service sends it: whole seconds. A date, which a proxy may send, is left out. */
function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d+$/.test(header.trim()) ? Number(header) : undefined
}

/** A JSON text's value; undefined for any other text. */
export function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
