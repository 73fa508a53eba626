import type { ErrorCode } from './error-codes.ts'
import { ApiError } from './errors.ts'

/*
 * What the network edge refuses before an endpoint sees the request, and sockets before their session begins.
 */

export function notFound(message = 'there is nothing at this path'): ApiError {
  return new ApiError('NOT_FOUND', message)
}

/** D3. `allow` may be left out where the edge adds the header itself. */
export function methodNotAllowed(allow: readonly string[] = []): ApiError {
  const headers = allow.length > 0 ? { Allow: allow.join(', ') } : {}
  return new ApiError('BAD_REQUEST', 'method must be one that this path answers: see Allow', { status: 405, headers })
}

export function badRequest(message: string): ApiError {
  return new ApiError('BAD_REQUEST', message)
}

/** More connections or bodies than the node has room for (D6). */
export function overloaded(path = ''): ApiError {
  const headers = { 'Retry-After': String(RETRY_SECONDS) }
  return new ApiError(overloadCode(path), OVERLOADED, { status: 503, headers })
}

/** The event a socket gets before it is closed with 1013. */
export function overloadedEvent(path: string): string {
  return JSON.stringify({ type: 'error', code: overloadCode(path), message: OVERLOADED })
}

/** Speech-to-text has a code of its own for this. */
function overloadCode(path: string): ErrorCode {
  return path.split('/').includes('stt') ? 'STT_UNAVAILABLE' : 'BACKEND_ERROR'
}

const OVERLOADED = 'the node has no room for another connection'
const RETRY_SECONDS = 2
