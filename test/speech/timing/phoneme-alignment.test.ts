import fc from 'fast-check'
import { expect, test } from 'vitest'
import { alignPhonemes } from '../../../src/speech/timing/phoneme-alignment.ts'

const aligned = (spoken: string, words: readonly string[]) =>
  alignPhonemes(spoken, words).map((span) => span && [...spoken].slice(span.from, span.to).join(''))

test('words apart by spaces and marks are found whole, without the marks', () => {
  expect(aligned('həlˈO, ðˈɛɹ.', ['həlˈO', 'ðˈɛɹ'])).toEqual(['həlˈO', 'ðˈɛɹ'])
})

test('words that run together in speech are parted', () => {
  expect(aligned('ˈɛnd ʌvðə dˈA', ['ˈɛnd', 'ˈʌv', 'ðə', 'dˈA'])).toEqual(['ˈɛnd', 'ʌv', 'ðə', 'dˈA'])
})

test('a word of several spoken words is one', () => {
  expect(aligned('pˈAd twˈɛlv dˈɑləɹz nˈW', ['pˈAd', 'twˈɛlv dˈɑləɹz.', 'nˈW'])).toEqual([
    'pˈAd',
    'twˈɛlv dˈɑləɹz',
    'nˈW',
  ])
})

test('words that are weak in speech and strong alone are still found', () => {
  expect(aligned('fɔɹ ə kˈæt', ['fˈOɹ', 'ˈA', 'kˈæt'])).toEqual(['fɔɹ', 'ə', 'kˈæt'])
})

test('repeated words keep their order', () => {
  const spans = alignPhonemes('nˈO nˈO nˈO', ['nˈO', 'nˈO', 'nˈO'])
  expect(spans.map((span) => span?.from)).toEqual([0, 4, 8])
})

test('a word that was not spoken is not found', () => {
  expect(aligned('', ['kˈæt'])).toEqual([undefined])
})

test('words are in order and apart, whatever is aligned', () => {
  const phonemes = fc.array(fc.constantFrom(...'aəɪtkˈː ,.'), { maxLength: 30 }).map((symbols) => symbols.join(''))
  fc.assert(
    fc.property(phonemes, fc.array(phonemes, { maxLength: 6 }), (spoken, words) => {
      let end = 0
      for (const span of alignPhonemes(spoken, words)) {
        if (!span) continue
        expect(span.from).toBeGreaterThanOrEqual(end)
        expect(span.to).toBeGreaterThan(span.from)
        end = span.to
      }
      expect(end).toBeLessThanOrEqual(spoken.length)
    }),
  )
})
