import { createHash } from 'node:crypto'
import type { z } from 'zod'
import { IDEMPOTENCY_KEY_LENGTH_MAX } from '../limits.ts'
import type { Caller } from './authenticate.ts'
import { ApiError, describe } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Services } from './services.ts'

export interface Once<T> {
  /** The exchange's own id, or the id of the first request with this `Idempotency-Key`. */
  readonly requestId: string
  readonly answer: T
}

/** Time after which a repeat that came too early may ask again. */
const RUNNING_RETRY_SECONDS = 2

/**
 * Runs a request once for each `Idempotency-Key` of a key (D17): a repeat with the same bytes as body gets the first
 * answer. A run that fails gives the name back, and the next repeat runs under the same request id, whose debit already
 * counts. `stored` describes what is kept of an answer: it is on disk for a day, so it must not hold text.
 */
export async function answerOnce<T>(
  services: Pick<Services, 'ledger' | 'log'>,
  exchange: Exchange,
  { key }: Caller,
  body: Uint8Array,
  stored: z.ZodType<T>,
  run: (requestId: string) => Promise<T>,
): Promise<Once<T>> {
  const name = exchange.request.header('idempotency-key')
  if (name === undefined) return { requestId: exchange.id, answer: await run(exchange.id) }
  if (name.length < 1 || name.length > IDEMPOTENCY_KEY_LENGTH_MAX) {
    throw new ApiError('BAD_REQUEST', `Idempotency-Key must be 1 to ${IDEMPOTENCY_KEY_LENGTH_MAX} characters`)
  }

  const bodyHash = createHash('sha256').update(body).digest('hex')
  const outcome = await services.ledger.beginIdempotent(key.id, name, bodyHash, exchange.id)
  switch (outcome.status) {
    case 'answered':
      return { requestId: outcome.requestId, answer: stored.parse(JSON.parse(outcome.answer)) }
    case 'other_body':
      throw new ApiError('BAD_REQUEST', 'Idempotency-Key was used before with another body')
    case 'running':
      throw new ApiError('BAD_REQUEST', 'the first request with this Idempotency-Key is still running', {
        status: 409,
        headers: { 'Retry-After': String(RUNNING_RETRY_SECONDS) },
      })
    case 'begin':
      break
  }

  try {
    const answer = await run(outcome.requestId)
    await services.ledger.finishIdempotent(key.id, name, JSON.stringify(answer))
    return { requestId: outcome.requestId, answer }
  } catch (error) {
    await services.ledger.releaseIdempotent(key.id, name).catch((fault: unknown) => {
      services.log.error({ requestId: exchange.id, ...describe(fault) }, 'idempotency key could not be given back')
    })
    throw error
  }
}
