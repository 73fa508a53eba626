import { SyrinxError } from '../../client/client.ts'

/** What went wrong, for people; undefined where the user stopped it. */
export function problemOf(error: unknown): string | undefined {
  if (error instanceof SyrinxError) return explained(error)
  if (!(error instanceof Error)) return String(error)
  if (error.name === 'AbortError') return undefined
  return BROWSER_REASONS[error.name] ?? error.message
}

/** What microphones fail with. */
const BROWSER_REASONS: Readonly<Record<string, string>> = {
  NotAllowedError: 'the browser was not given leave to use the microphone',
  NotFoundError: 'no microphone was found',
  NotReadableError: 'the microphone is in use by another program',
}

function explained({ code, message, retryAfter, details, requestId }: SyrinxError): string {
  const reasons = details.length > 0 ? details.map((detail) => detail.message).join('; ') : (REASONS[code] ?? message)
  const hint = retryAfter === undefined ? '' : ` Try again in ${retryAfter} s.`
  const reference = requestId === undefined ? '' : `, request ${requestId}`
  return `${reasons}.${hint} (${code}${reference})`
}

const REASONS: Readonly<Record<string, string>> = {
  CONNECTION_FAILED: 'the node does not answer',
  STREAM_INTERRUPTED: 'the connection was lost',
}
