import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { cleanText } from '../../../src/speech/normalize/clean.ts'
import { normalizeSentence } from '../../../src/speech/normalize/normalize.ts'
import type { Pronunciation } from '../../../src/speech/task-protocol.ts'

describe('a language without rules of its own', () => {
  test.each([
    ['de', 'Schreib an anna@example.de.', 'Schreib an anna ät example Punkt DE.'],
    ['ru', 'Пиши на ivan@example.ru!', 'Пиши на ivan собака example точка RU!'],
    ['uk', 'Файл звіт.pdf', 'Файл звіт крапка PDF'],
    ['pl', 'https://example.pl/a-b', 'example kropka pl ukośnik a myślnik b'],
    ['tr', '#GüzelGün', 'heştek Güzel Gün'],
    ['id', '@budi_s, 12,5%', 'et budi s, 12,5%'],
    ['xx', 'a.b@example.com', 'a b @ example com'],
  ])('%s reads addresses in its own words: %s', (pronunciation, written, said) => {
    expect(normalizeSentence(written, pronunciation)).toBe(said)
  })
})

test('any text can be normalised in any language', () => {
  const written = fc.array(
    fc.oneof(
      fc.constantFrom(...'0123456789.,:;/-–%$£€°+=&@#~½()"\' ', 'km', 'Dr.', 'v', '1st', 'XIV', 'pm', 'https://'),
      fc.string(),
    ),
    { maxLength: 60 },
  )
  const pronunciations = fc.constantFrom<Pronunciation>('en-us', 'en-gb', 'es', 'fr', 'it', 'pt-br', 'hi')
  fc.assert(
    fc.property(written, pronunciations, (parts, pronunciation) => {
      expect(normalizeSentence(cleanText(parts.join('')), pronunciation)).not.toMatch(/undefined|NaN|null|\s{2}/)
    }),
    { numRuns: 500 },
  )
})
