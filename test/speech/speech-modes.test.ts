import { describe, expect, it } from 'vitest'
import { AUTO_MODE, findSpeechMode, SPEECH_MODES } from '../../src/speech/speech-modes.ts'
import { specFile } from '../contract.ts'

describe('modes of listening', () => {
  it('are those of the table, row for row', () => {
    const [, ...rows] = specFile('languages-stt.tsv').trim().split('\n')
    const expected = rows.map((row) => {
      const [code, , name, languages = ''] = row.split('\t')
      // The table has Whisper's code for Filipino among the languages; modes have their own.
      return { code, name, languages: languages.replace('tl', 'fil').split(',') }
    })
    expect(SPEECH_MODES.filter((mode) => mode !== AUTO_MODE)).toEqual(expected)
  })

  it('are any language, thirty of them, and three pairs', () => {
    const kinds = SPEECH_MODES.map(({ code, languages }) => (code === 'auto' ? 'auto' : languages.length))
    expect(kinds.filter((kind) => kind === 'auto')).toHaveLength(1)
    expect(kinds.filter((kind) => kind === 1)).toHaveLength(30)
    expect(SPEECH_MODES.filter(({ languages }) => languages.length === 2).map(({ code }) => code)).toEqual([
      'zh-en',
      'es-en',
      'hi-en',
    ])
    expect(AUTO_MODE.languages).toHaveLength(30)
  })

  it('are found by code and by English name, whatever the case', () => {
    expect(findSpeechMode('EN')?.code).toBe('en')
    expect(findSpeechMode('filipino')).toEqual({ code: 'fil', name: 'Filipino', languages: ['fil'] })
    expect(findSpeechMode('Spanish-english')?.languages).toEqual(['es', 'en'])
    expect(findSpeechMode('auto')).toBe(AUTO_MODE)
    expect(findSpeechMode('')).toBeUndefined()
    expect(findSpeechMode('klingon')).toBeUndefined()
  })

  it('decide among languages that are modes themselves', () => {
    for (const { languages } of SPEECH_MODES) {
      for (const language of languages) expect(findSpeechMode(language)?.languages).toEqual([language])
    }
  })
})
