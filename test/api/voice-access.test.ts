import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/api/errors.ts'
import { maySpeakWith, resolveVoice } from '../../src/api/voice-access.ts'
import type { Account, ApiKey, Permissions } from '../../src/ledger/ledger.ts'
import type { Voice } from '../../src/speech/voice.ts'
import type { VoiceFeatureStore } from '../../src/speech/voice-fitting.ts'

const voiceOf = (id: string, accountId: string | null): Voice => {
  return {
    id,
    model: accountId === null ? 'ada' : null,
    name: id,
    accountId,
    language: 'en',
    british: false,
    gender: 'other',
  }
}
const VOICES = [voiceOf('preset_ada', null), voiceOf('voice_own', 'acct_1'), voiceOf('voice_foreign', 'acct_2')]
const voices = { find: (id: string) => VOICES.find((voice) => voice.id === id) }

const quota = { limit: null, used: 0, resetDate: 0, resetInterval: 'month', resetIntervalCount: 1 } as const
const account: Account = { id: 'acct_1', name: 'A', createdAt: 0, disabled: false, tts: quota, stt: quota }

function keyOf(kind: ApiKey['kind'], voiceId: string | null, permissions: Permissions | null): ApiKey {
  const figures = { createdAt: 0, lastUsedAt: null, expiresAt: null, creditLimit: null, creditUsed: 0 }
  const names = { id: 'key_1', accountId: 'acct_1', name: 'K', prefix: 'p', lastFour: 'abcd' }
  return { ...names, ...figures, kind, scopes: [], status: 'active', voiceId, permissions }
}

function adminKey(voiceScope: Permissions['voiceScope'], voiceIds: readonly string[] = []): ApiKey {
  const endpoints = { tts: true, stt: true }
  return keyOf('admin', null, { endpoints, audioUpload: true, keyManagement: true, voiceScope, voiceIds })
}

/** Features of every voice but those named. */
const featuresBut = (...lost: string[]): VoiceFeatureStore => ({
  load: async (id) => (lost.includes(id) ? undefined : new Uint8Array(1)),
})

/** Id of the voice, or [code, status] of the refusal. */
async function resolved(key: ApiKey, requestedId: string | undefined, voiceFiles = featuresBut()) {
  try {
    return (await resolveVoice({ voices, voiceFiles }, { key, account }, requestedId)).id
  } catch (error) {
    if (error instanceof ApiError) return [error.code, error.status]
    throw error
  }
}

describe('a voice key', () => {
  it.each<[string, string, string | undefined, unknown]>([
    ['speaks with its own voice', 'voice_own', undefined, 'voice_own'],
    ['speaks with a preset voice it is bound to', 'preset_ada', undefined, 'preset_ada'],
    ['may name the voice it is bound to', 'voice_own', 'voice_own', 'voice_own'],
    ['may not name another', 'voice_own', 'preset_ada', ['VOICE_NOT_ALLOWED', 403]],
    ['may not name one that does not exist', 'voice_own', 'voice_none', ['VOICE_NOT_ALLOWED', 403]],
    ['may not name an empty one', 'voice_own', '', ['VOICE_NOT_ALLOWED', 403]],
    ['is told when its voice is gone', 'voice_deleted', undefined, ['VOICE_NOT_FOUND', 404]],
  ])('%s', async (_, boundId, requestedId, expected) => {
    expect(await resolved(keyOf('voice', boundId, null), requestedId)).toEqual(expected)
  })
})

describe('an account key', () => {
  it('must name a voice', async () => {
    expect(await resolved(adminKey('all'), undefined)).toEqual(['VOICE_ID_REQUIRED', 400])
  })

  it.each(['voice_none', 'voice_foreign', ''])('gets the same answer for %j, existing or not', async (id) => {
    expect(await resolved(adminKey('all'), id)).toEqual(['VOICE_NOT_ALLOWED', 403])
  })

  it.each<[Permissions['voiceScope'], string[], string[]]>([
    ['all', [], ['preset_ada', 'voice_own']],
    ['mine', [], ['voice_own']],
    ['custom', ['preset_ada'], ['preset_ada']],
    ['custom', ['voice_own', 'voice_foreign'], ['voice_own']],
    ['custom', [], []],
  ])('with scope %s %j speaks with %j only (D21)', async (scope, ids, reachable) => {
    const key = adminKey(scope, ids)
    expect(VOICES.filter((voice) => maySpeakWith(key, voice)).map(({ id }) => id)).toEqual(reachable)
    for (const { id } of VOICES) {
      expect(await resolved(key, id)).toEqual(reachable.includes(id) ? id : ['VOICE_NOT_ALLOWED', 403])
    }
  })

  it('without permissions reaches nothing', async () => {
    expect(await resolved(keyOf('admin', null, null), 'preset_ada')).toEqual(['VOICE_NOT_ALLOWED', 403])
  })
})

describe('an enrolled voice whose features are lost', () => {
  it('is refused with VOICE_FEATURE_UNAVAILABLE, by either kind of key', async () => {
    const lost = featuresBut('voice_own')
    const refusal = ['VOICE_FEATURE_UNAVAILABLE', 503]
    expect(await resolved(keyOf('voice', 'voice_own', null), undefined, lost)).toEqual(refusal)
    expect(await resolved(adminKey('all'), 'voice_own', lost)).toEqual(refusal)
  })

  it('is not told of to a key that may not use it', async () => {
    const lost = featuresBut('voice_own', 'voice_foreign')
    expect(await resolved(adminKey('custom', ['preset_ada']), 'voice_own', lost)).toEqual(['VOICE_NOT_ALLOWED', 403])
    expect(await resolved(adminKey('all'), 'voice_foreign', lost)).toEqual(['VOICE_NOT_ALLOWED', 403])
  })

  it('does not concern the model’s own voices', async () => {
    expect(await resolved(adminKey('all'), 'preset_ada', featuresBut('preset_ada'))).toBe('preset_ada')
  })
})
