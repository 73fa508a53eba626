import type { ApiKey } from '../ledger/ledger.ts'
import { creditRemaining, quotaRemaining } from '../ledger/quota.ts'
import { type Caller, isExpired } from './authenticate.ts'
import { ApiError } from './errors.ts'
import type { Services } from './services.ts'

type Books = Pick<Services, 'ledger' | 'clock'>

/** Throws unless at least one character is left of the key's ceiling and of the account's allowance (D16). */
export function requireAllowance({ ledger }: Books, { key, account }: Caller): void {
  const [current, owner] = [ledger.key(key.id) ?? key, ledger.account(account.id) ?? account]
  if (creditRemaining(current) === 0) throw exceeded('key_credit_exceeded')
  if (quotaRemaining(owner.stt) === 0) throw exceeded('quota_exceeded')
}

/** Throws when the key is no longer what it was when the request began: a long upload is a long time. */
export function requireStillValid({ ledger, clock }: Books, { key, account }: Caller): void {
  const current: ApiKey | undefined = ledger.key(key.id)
  if (current?.status !== 'active' || ledger.account(account.id)?.disabled !== false) throw revoked()
  if (isExpired(current, clock.now())) throw new ApiError('FORBIDDEN', 'the API key has expired meanwhile')
}

/**
 * Charges what one piece adds to a transcript; on disk when it resolves. `error` ends the transcript: with `isCovered` false nothing was
 * left for this piece, with true it was charged what remained and may still be delivered.
 */
export async function chargePiece(
  { ledger }: Books,
  { key }: Caller,
  pieceId: string,
  characters: number,
): Promise<{ readonly characters: number; readonly isCovered: boolean; readonly error?: ApiError }> {
  if (characters === 0) return { characters, isCovered: true }
  const outcome = await ledger.chargeUpTo({ id: pieceId, keyId: key.id, meter: 'stt', characters })
  if (outcome.status === 'not_found') throw revoked()
  const isCovered = outcome.characters > 0
  if (outcome.short === undefined) return { characters: outcome.characters, isCovered }
  return { characters: outcome.characters, isCovered, error: exceeded(outcome.short) }
}

function exceeded(reason: 'key_credit_exceeded' | 'quota_exceeded'): ApiError {
  if (reason === 'quota_exceeded') {
    return new ApiError('QUOTA_EXCEEDED', 'the account has no speech-to-text characters left in this period')
  }
  return new ApiError('KEY_CREDIT_EXCEEDED', 'the key has reached its lifetime ceiling of transcript characters')
}

function revoked(): ApiError {
  return new ApiError('unauthorized', 'the API key has been revoked meanwhile')
}
