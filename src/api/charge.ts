import type { ChargeOutcome } from '../ledger/ledger.ts'
import { CHARACTERS_PER_SECOND } from '../limits.ts'
import { ApiError } from './errors.ts'
import type { Services } from './services.ts'

/** Characters a request costs: its text in UTF-16 units, or a fixed duration's price if that is more (D12). */
export function priceOf(text: string, durationSeconds: number | null): number {
  // Rounded first: 16.6 × 15 is 249.00000000000003 in floating point, and nobody pays for that.
  const forDuration = Math.ceil(Number(((durationSeconds ?? 0) * CHARACTERS_PER_SECOND).toFixed(6)))
  return Math.max(text.length, forDuration)
}

/** Debits a key and its account for speech; on disk when it resolves. Throws when the allowance does not cover it. */
export async function charge(
  { ledger }: Pick<Services, 'ledger'>,
  keyId: string,
  requestId: string,
  characters: number,
): Promise<void> {
  const outcome = await ledger.charge({ id: requestId, keyId, meter: 'tts', characters })
  if (outcome.status !== 'charged') throw uncharged(outcome.status)
}

/** Why a debit did not happen, as the client is told. */
export function uncharged(status: Exclude<ChargeOutcome['status'], 'charged'>): ApiError {
  switch (status) {
    case 'key_credit_exceeded':
      return new ApiError('KEY_CREDIT_EXCEEDED', 'this would pass the lifetime character ceiling of the key')
    case 'quota_exceeded':
      return new ApiError('QUOTA_EXCEEDED', 'the account has not enough allowance left: see GET /api/v1/usage')
    case 'not_found':
      return new ApiError('NOT_FOUND', 'the allowance record of this key does not exist')
  }
}
