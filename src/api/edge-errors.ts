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
export function overloaded(): ApiError {
  return new ApiError('BACKEND_ERROR', OVERLOADED, { status: 503, headers: { 'Retry-After': String(RETRY_SECONDS) } })
}

/** The event a socket gets before it is closed with 1013. */
export function overloadedEvent(): string {
  return JSON.stringify({ type: 'error', code: 'BACKEND_ERROR', message: OVERLOADED })
}

const OVERLOADED = 'the node has no room for another connection'
const RETRY_SECONDS = 2
