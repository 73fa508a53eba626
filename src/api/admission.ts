import type { Work } from '../speech/admission.ts'
import { ApiError } from './errors.ts'
import type { Services } from './services.ts'

/** Time a restarted node takes to be back, as a hint to clients that were sent away. */
const RESTART_SECONDS = 10
/** Time until it is worth asking again while the models load. */
const LOADING_SECONDS = 5

export type Place =
  /** Held until `release`, which may be called more than once. */
  | { readonly status: 'admitted'; readonly release: () => void }
  | {
      readonly status: 'refused'
      readonly reason: 'stopping' | 'loading' | 'full'
      readonly message: string
      readonly retryAfterSeconds: number
    }

export type Refusal = Extract<Place, { readonly status: 'refused' }>

/** A place for new work, or the reason why not. Comes before the debit: who is refused is never charged (D6). */
export function findPlace({ lifecycle, admission }: Pick<Services, 'lifecycle' | 'admission'>, work: Work): Place {
  if (lifecycle.draining) return refused('stopping', 'the node is shutting down', RESTART_SECONDS)
  if (!lifecycle.ready) return refused('loading', 'the models are still loading', LOADING_SECONDS)
  const outcome = admission.admit(work)
  if (outcome.status === 'admitted') return outcome
  return refused('full', 'the node has no capacity to start this now', outcome.retryAfterSeconds)
}

/** `findPlace` for requests: throws `BACKEND_ERROR` 503 with `Retry-After`. */
export function admit(services: Pick<Services, 'lifecycle' | 'admission'>, work: Work): { release(): void } {
  const place = findPlace(services, work)
  if (place.status === 'admitted') return place
  throw new ApiError('BACKEND_ERROR', place.message, {
    status: 503,
    headers: { 'Retry-After': String(place.retryAfterSeconds) },
  })
}

function refused(reason: Refusal['reason'], message: string, retryAfterSeconds: number): Refusal {
  return { status: 'refused', reason, message, retryAfterSeconds: Math.max(1, Math.ceil(retryAfterSeconds)) }
}
