import fc from 'fast-check'
import { expect, test } from 'vitest'
import { reach, speechLength } from '../../src/speech/speech-length.ts'

test.each([
  ['letters count one', 'hello', 5],
  ['figures count as words', 'in 2024', 23],
  ['signs count as words', '5%', 10],
  ['a run of white space counts one', 'a \n\u3000 b', 3],
  ['Chinese characters count three', '漢字', 6],
  ['kana count two', 'かなカナ', 8],
  ['nothing counts nothing', '', 0],
])('%s', (_, text, length) => {
  expect(speechLength(text)).toBe(length)
})

test('reach is the longest beginning of a text that is not longer than asked for', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 50 }), fc.nat({ max: 60 }), (text, lengthMax) => {
      const index = reach(text, lengthMax)
      expect(speechLength(text, 0, index)).toBeLessThanOrEqual(lengthMax)
      if (index < text.length) expect(speechLength(text, 0, index + 1)).toBeGreaterThan(lengthMax)
    }),
  )
})
