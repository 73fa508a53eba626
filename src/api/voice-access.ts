import type { ApiKey } from '../ledger/ledger.ts'
import type { Voice } from '../speech/voice.ts'
import type { VoiceFeatureStore } from '../speech/voice-fitting.ts'
import type { Caller } from './authenticate.ts'
import { ApiError } from './errors.ts'
import type { Services } from './services.ts'

export interface VoiceSource extends Pick<Services, 'voices'> {
  readonly voiceFiles: VoiceFeatureStore
}

/**
 * The voice a request speaks with: the one a voice key is bound to, or the one an account key names. Rejects with
 * `VOICE_ID_REQUIRED`, `VOICE_NOT_ALLOWED`, `VOICE_NOT_FOUND` or `VOICE_FEATURE_UNAVAILABLE`.
 */
export async function resolveVoice(
  services: VoiceSource,
  caller: Caller,
  requestedId: string | undefined,
): Promise<Voice> {
  const voice = findVoice(services, caller, requestedId)
  await requireFeatures(services, voice)
  return voice
}

/** Throws `VOICE_FEATURE_UNAVAILABLE` where what was learnt of an enrolled voice is lost or broken: nothing is charged for that. */
export async function requireFeatures({ voiceFiles }: Pick<VoiceSource, 'voiceFiles'>, voice: Voice): Promise<void> {
  if (voice.accountId === null || (await voiceFiles.load(voice.id)) !== undefined) return
  throw new ApiError('VOICE_FEATURE_UNAVAILABLE', 'the features of the voice could not be loaded')
}

function findVoice({ voices }: Pick<Services, 'voices'>, { key }: Caller, requestedId: string | undefined): Voice {
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
