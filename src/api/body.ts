import { BODY_BYTES_MAX } from '../limits.ts'
import { ApiError } from './errors.ts'
import { BodyTooLarge, type Exchange } from './exchange.ts'

/** The request's body. Throws `BAD_REQUEST` naming the limit when it is longer, `ClientGone` when the client leaves. */
export async function readBody(exchange: Exchange): Promise<Uint8Array> {
  try {
    return await exchange.body(BODY_BYTES_MAX)
  } catch (error) {
    if (!(error instanceof BodyTooLarge)) throw error
    throw new ApiError('BAD_REQUEST', `body must be at most ${BODY_BYTES_MAX} bytes`)
  }
}

/**
 * A JSON object from bytes, or from the text of a socket message. Throws `BAD_REQUEST`. The Content-Type is not looked at:
 * whatever it says, only JSON parses as JSON.
 */
export function parseJsonObject(json: Uint8Array | string, what = 'body'): object {
  let value: unknown
  try {
    value = JSON.parse(typeof json === 'string' ? json : utf8.decode(json))
  } catch {
    throw new ApiError('BAD_REQUEST', `${what} must be JSON in UTF-8`)
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ApiError('BAD_REQUEST', `${what} must be a JSON object`)
  }
  return value
}

const utf8 = new TextDecoder('utf-8', { fatal: true })
