import { describe, expect, it } from 'vitest'
import { allVoices } from '../../src/speech/voice-directory.ts'
import { DEFAULT_VOICE_ID, presetVoices } from '../../src/speech/voices.ts'

describe('all voices', () => {
  const enrolled = new Map([['voice_x', { id: 'voice_x', accountId: 'acct_1', name: 'Ada', gender: 'other' as const }]])
  const voices = allVoices({ voice: (id) => enrolled.get(id) })

  it('are those of the model', () => {
    expect(voices.find(DEFAULT_VOICE_ID)).toBe(presetVoices.find(DEFAULT_VOICE_ID))
  })

  it('and those enrolled at the moment, which belong to an account and to no model', () => {
    expect(voices.find('voice_x')).toEqual({
      ...{ id: 'voice_x', model: null, name: 'Ada', accountId: 'acct_1', language: 'en', british: false },
      gender: 'other',
    })
    enrolled.delete('voice_x')
    expect(voices.find('voice_x')).toBeUndefined()
  })
})
