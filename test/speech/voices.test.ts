import { describe, expect, it } from 'vitest'
import { DEFAULT_VOICE_ID, PRESET_VOICES, presetVoices } from '../../src/speech/voices.ts'

describe('the preset voices', () => {
  it('are 54, each under an id of its own', () => {
    expect(PRESET_VOICES).toHaveLength(54)
    expect(new Set(PRESET_VOICES.map(({ id }) => id)).size).toBe(54)
    for (const voice of PRESET_VOICES) {
      expect(voice.id).toBe(`preset_${voice.model}`)
      expect(presetVoices.find(voice.id)).toBe(voice)
      expect(voice.hertz).toBeGreaterThan(80)
      expect(voice.hertz).toBeLessThan(350)
    }
  })

  it('say who they are by their model’s name', () => {
    expect(presetVoices.find('preset_bm_george')).toEqual({
      ...{ id: 'preset_bm_george', model: 'bm_george', name: 'George', accountId: null },
      ...{ hertz: 140, language: 'en', british: true, gender: 'male' },
    })
    expect(presetVoices.find('preset_zf_xiaobei')).toMatchObject({ language: 'zh', british: false, gender: 'female' })
  })

  it('have a default, and nothing under another name', () => {
    expect(presetVoices.find(DEFAULT_VOICE_ID)?.name).toBe('Heart')
    expect(presetVoices.find('af_heart')).toBeUndefined()
    expect(presetVoices.find('preset_zz_nobody')).toBeUndefined()
  })
})
