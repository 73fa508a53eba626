import fc from 'fast-check'
import { expect, test } from 'vitest'
import { cleanTraced } from '../../../src/speech/normalize/clean.ts'
import { normalizeTraced } from '../../../src/speech/normalize/normalize.ts'
import { TracedText } from '../../../src/speech/normalize/traced-text.ts'

const written = (text: string, traced: TracedText, word: string) => {
  const at = traced.text.indexOf(word)
  const { start, end } = traced.spanOf(at, at + word.length)
  return text.slice(start, end)
}

test('words that a rule made stand for what it matched', () => {
  const text = 'It costs $12.50 now.'
  const traced = TracedText.of(text).replace(/\$12\.50/g, '12 dollars and 50 cents')
  expect(traced.text).toBe('It costs 12 dollars and 50 cents now.')
  expect(written(text, traced, 'cents')).toBe('$12.50')
  expect(written(text, traced, 'costs')).toBe('costs')
  expect(written(text, traced, 'now')).toBe('now')
})

test('whole words at the edges of a match that stay the same keep their own place', () => {
  const text = 'page 10 - 15 there'
  const traced = TracedText.of(text).replace(/10 - 15/g, '10 to 15')
  expect(written(text, traced, '10')).toBe('10')
  expect(written(text, traced, 'to')).toBe('-')
  expect(written(text, traced, '15')).toBe('15')
})

test('several rewritings and cuts add up', () => {
  const text = '  **Dr.**  Who paid 5&nbsp;€ 😀 on 3/4/2024!'
  const traced = normalizeTraced(cleanTraced(TracedText.of(text, 100)), 'en-us')
  expect(traced.text).toBe('Doctor Who paid 5 euros on March 4th, 20 24!')
  const at = traced.text.indexOf('March')
  expect(traced.spanOf(at, at + 5)).toEqual({ start: 100 + text.indexOf('3/4'), end: 100 + text.indexOf('!') })
})

test('every place of the result stands for a place of the text', () => {
  fc.assert(
    fc.property(
      fc.array(fc.constantFrom('$5', ' ', 'Dr.', 'é', '½', '10:30', 'ab', '“', '😀', '\u0301', '…', '5km'), {
        maxLength: 40,
      }),
      (parts) => {
        const text = parts.join('')
        const traced = normalizeTraced(cleanTraced(TracedText.of(text)), 'en-us')
        for (let unit = 0; unit < traced.text.length; unit++) {
          const { start, end } = traced.spanOf(unit, unit + 1)
          expect(start).toBeGreaterThanOrEqual(0)
          expect(end).toBeGreaterThan(start)
          expect(end).toBeLessThanOrEqual(text.length)
        }
      },
    ),
  )
})
