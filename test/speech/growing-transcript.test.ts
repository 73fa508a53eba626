import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GrowingTranscript } from '../../src/speech/growing-transcript.ts'

const grown = (...segments: readonly (readonly [text: string, language: string])[]) => {
  const transcript = new GrowingTranscript()
  for (const [text, language] of segments) transcript.append(text, language)
  return transcript
}

describe('a transcript', () => {
  it('is empty at first, in no language', () => {
    expect([grown().text, grown().language]).toEqual(['', undefined])
    expect([grown(['', 'en']).text, grown(['', 'en']).language]).toEqual(['', undefined])
  })

  it('joins its segments by spaces, except before what is written without', () => {
    expect(grown(['One.', 'en'], ['', 'en'], ['Two.', 'en']).text).toBe('One. Two.')
    expect(grown(['你好。', 'zh'], ['再见。', 'zh'], ['Bye.', 'en']).text).toBe('你好。再见。 Bye.')
  })

  it('is in the language that most of it is in', () => {
    expect(grown(['Si.', 'es'], ['Yes, of course.', 'en'], ['Claro.', 'es']).language).toBe('en')
  })

  it('grows by exactly what it said it would', () => {
    const segment = fc.tuple(fc.string(), fc.constantFrom('en', 'zh', 'th', 'es'))
    fc.assert(
      fc.property(fc.array(segment), (segments) => {
        const transcript = new GrowingTranscript()
        for (const [text, language] of segments) {
          const expected = transcript.text.length + transcript.growthBy(text, language)
          transcript.append(text, language)
          expect(transcript.text).toHaveLength(expected)
        }
      }),
    )
  })
})
