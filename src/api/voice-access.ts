import type { ApiKey } from '../ledger/ledger.ts'
import type { Voice } from '../speech/voice.ts'
import type { Caller } from './authenticate.ts'
import { ApiError } from './errors.ts'
import type { Services } from './services.ts'

/**
 * The voice a request speaks with: the one a voice key is bound to, or the one an account key names. Throws
 * `VOICE_ID_REQUIRED`, `VOICE_NOT_ALLOWED` or `VOICE_NOT_FOUND`.
 */
export function resolveVoice(
  { voices }: Pick<Services, 'voices'>,
  { key }: Caller,
  requestedId: string | undefined,
): Voice {
  if (key.kind === 'voice') {
    if (requestedId !== undefined && requestedId !== key.voiceId) {
      throw new ApiError('VOICE_NOT_ALLOWED', 'voice_id must be the voice the key is bound to, or left out')
    }
    const bound = key.voiceId === null ? undefined : voices.find(key.voiceId)
    if (bound === undefined) throw new ApiError('VOICE_NOT_FOUND', 'the voice the key is bound to no longer exists')
    return bound
  }
  if (requestedId === undefined) throw new ApiError('VOICE_ID_REQUIRED', 'voice_id is required with an account key')
  const named = voices.find(requestedId)
  // One answer for all three, so that a key can't be used to find out which voices other accounts have.
  if (named === undefined || !maySpeakWith(key, named)) {
    throw new ApiError('VOICE_NOT_ALLOWED', 'voice_id must be a voice this key may speak with')
  }
  return named
}

/** Whether an account key's voice scope covers a voice (D21). No scope reaches another account's voices. */
export function maySpeakWith({ accountId, permissions }: ApiKey, voice: Voice): boolean {
  const own = voice.accountId === accountId
  if (permissions === null || !(own || voice.accountId === null)) return false
  switch (permissions.voiceScope) {
    case 'all':
      return true
    case 'mine':
      return own
    case 'custom':
      return permissions.voiceIds.includes(voice.id)
  }
}
