import { describe, expect, it } from 'vitest'
import { ApiError } from '../../src/api/errors.ts'
import { maySpeakWith, resolveVoice } from '../../src/api/voice-access.ts'
import type { Account, ApiKey, Permissions } from '../../src/ledger/ledger.ts'
import type { Voice } from '../../src/speech/voice.ts'

const voiceOf = (id: string, accountId: string | null): Voice => {
  return { id, model: 'ada', name: id, accountId, language: 'en', british: false, gender: 'other' }
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

/** Id of the voice, or [code, status] of the refusal. */
function resolved(key: ApiKey, requestedId: string | undefined) {
  try {
    return resolveVoice({ voices }, { key, account }, requestedId).id
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
  ])('%s', (_, boundId, requestedId, expected) => {
    expect(resolved(keyOf('voice', boundId, null), requestedId)).toEqual(expected)
  })
})

describe('an account key', () => {
  it('must name a voice', () => {
    expect(resolved(adminKey('all'), undefined)).toEqual(['VOICE_ID_REQUIRED', 400])
  })

  it.each(['voice_none', 'voice_foreign', ''])('gets the same answer for %j, existing or not', (id) => {
    expect(resolved(adminKey('all'), id)).toEqual(['VOICE_NOT_ALLOWED', 403])
  })

  it.each<[Permissions['voiceScope'], string[], string[]]>([
    ['all', [], ['preset_ada', 'voice_own']],
    ['mine', [], ['voice_own']],
    ['custom', ['preset_ada'], ['preset_ada']],
    ['custom', ['voice_own', 'voice_foreign'], ['voice_own']],
    ['custom', [], []],
  ])('with scope %s %j speaks with %j only (D21)', (scope, ids, reachable) => {
    const key = adminKey(scope, ids)
    expect(VOICES.filter((voice) => maySpeakWith(key, voice)).map(({ id }) => id)).toEqual(reachable)
    for (const { id } of VOICES) {
      expect(resolved(key, id)).toEqual(reachable.includes(id) ? id : ['VOICE_NOT_ALLOWED', 403])
    }
  })

  it('without permissions reaches nothing', () => {
    expect(resolved(keyOf('admin', null, null), 'preset_ada')).toEqual(['VOICE_NOT_ALLOWED', 403])
  })
})
