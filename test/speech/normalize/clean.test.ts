import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanText } from '../../../src/speech/normalize/clean.ts'

test.each([
  ['white space', ' a \n\t b\u00a0 ', 'a b'],
  ['control characters', 'a\0b\u0007', 'a b'],
  ['lone surrogates', 'a\ud800b', 'ab'],
  ['emoji, with their modifiers', 'Hello 😀 👍🏽 👨‍👩‍👧‍👦 🇫🇷!', 'Hello!'],
  ['curly apostrophes', 'don’t', "don't"],
  ['guillemets', '« Bonjour ! »', '“Bonjour!”'],
  ['spaces before French marks', 'Ça va ? Oui !', 'Ça va? Oui!'],
  ['Spanish opening marks', '¿Qué? ¡Sí!', 'Qué? Sí!'],
  ['dashes that part', 'a - b – c -- d', 'a — b — c — d'],
  ['hyphens that join', 'well‑known 10–15', 'well-known 10–15'],
  ['three full stops', 'wait... what', 'wait… what'],
  ['repeated signs', 'a ==== b ////', 'a = b /'],
  ['full-width letters', 'ＡＢＣ１２', 'ABC12'],
  ['mathematical letters and ligatures', '𝐇𝐞𝐥𝐥𝐨 ﬁne', 'Hello fine'],
  ['letters and accents apart', 'cafe\u0301', 'café'],
  ['stacked accents', 'e\u0301\u0302\u0303\u0304 x', 'é x'],
  ['Devanagari figures and marks', '१५ लोग आए।', '15 लोग आए.'],
  ['joiners and soft hyphens', 'क्\u200dष soft\u00adhyphen', 'क्ष softhyphen'],
  ['Markdown', '**bold**, _it_ and `code`', 'bold, it and code'],
  ['headings, bullets and quotes of Markdown', '## Heading', 'Heading'],
  ['tags and entities of HTML', 'Tom &amp; <b>Jerry</b>', 'Tom & Jerry'],
  ['arrows', 'A → B -> C', 'A — B — C'],
  ['links', 'see [the page](https://a.b/c)', 'see the page'],
  ['list numbers', '1. First', '1, First'],
  ['scripts the front end can not read', 'Hello 世界, สวัสดี!', 'Hello,!'],
])('%s', (_, text, cleaned) => {
  expect(cleanText(text)).toBe(cleaned)
})

test('anything comes out without white space at its edges, NUL or lone surrogates', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 200 }), (units) => {
      const cleaned = cleanText(String.fromCharCode(...units))
      expect(cleaned).toBe(cleaned.trim())
      expect(cleaned).not.toMatch(/\0|\p{Cs}|\s{2}/u)
    }),
  )
})
