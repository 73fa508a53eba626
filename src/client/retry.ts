import type { SyrinxError } from './syrinx-error.ts'

/**
 * When a call may be made again by itself:
 *
 * `repeatable`: it may reach the service twice without harm, because it only reads, or because an `Idempotency-Key` makes the second
 * one a look at the first. Repeated after 500, 502, 503 and a lost connection.
 *
 * `when_told`: a second one could be charged a second time, or counts against a rate. Repeated only after a 503 that says when
 * (`Retry-After`), with which the service refuses before any charge. After anything else nobody but the caller can decide.
 *
 * Neither after an error that brings a transcript: that much of it was charged.
 */
export type Repetition = 'repeatable' | 'when_told'

const FIRST_WAIT_MS = 500
const WAIT_MS_MAX = 8_000
/** Whoever is told to come back later than this is better told the error. */
const RETRY_AFTER_SECONDS_MAX = 30

/**
 * Time to wait before repetition number `attempt` (0: the first); undefined where there should be none. Doubles each
 * time, with half of it random, so that clients refused together do not come back together. `Retry-After` is waited out in full.
 */
export function waitBeforeRetry(
  error: SyrinxError,
  repetition: Repetition,
  attempt: number,
  random: () => number,
): number | undefined {
  if (!isWorthRepeating(error, repetition, attempt)) return undefined
  const backoff = Math.min(WAIT_MS_MAX, FIRST_WAIT_MS * 2 ** attempt)
  const jittered = backoff * (0.5 + random() / 2)
  if (error.retryAfter === undefined) return jittered
  return error.retryAfter > RETRY_AFTER_SECONDS_MAX ? undefined : error.retryAfter * 1_000 + jittered / 2
}

function isWorthRepeating(error: SyrinxError, repetition: Repetition, attempt: number): boolean {
  const { code, status, retryAfter, transcript } = error
  if (transcript !== undefined) return false
  if (repetition === 'when_told') return status === 503 && retryAfter !== undefined
  if (status === 500 || status === 502 || status === 503 || code === 'CONNECTION_FAILED') return true
  // The first request still runs, whose connection was lost: its answer is what this call waits for.
  return status === 409 && attempt > 0
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it is aborted. */
export function pause(ms: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) return reject(signal.reason)
    const abort = () => {
      clearTimeout(timer)
      reject(signal?.reason)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', abort)
      resolve()
    }, ms)
    signal?.addEventListener('abort', abort, { once: true })
  })
}

/** 0 up to, but not including, 1. */
export function randomFraction(): number {
  const [bits = 0] = crypto.getRandomValues(new Uint32Array(1))
  return bits / 2 ** 32
}
