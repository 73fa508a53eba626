import { expect, test } from 'vitest'
import { symbolIds } from '../../../models/kokoro/symbols.ts'
import { kanaPhonemes, toKatakana } from '../../../src/speech/reading/kana.ts'

test.each([
  ['plain syllables', 'カタカナ', 'katakana'],
  ['consonants that change with the vowel', 'シチツフジズ', 'ɕiʨiʦɨɸɯʥizɨ'],
  ['palatal consonants before i', 'キギリミ', 'kʲiɡʲiɾʲimʲi'],
  ['small y', 'キャシュチョニャリョ', 'kʲaɕɨʨoɲaɾʲo'],
  ['small vowels', 'ファティジェウィチェ', 'ɸatiʥeβiʨe'],
  ['long vowels and stops', 'トーキョーガッコー', 'toːkʲoːɡaʔkoː'],
  ['the nasal before lips, tongue and throat', 'サンマ ハンタイ マンガ ホン', 'sammahantaimaŋɡahoɴ'],
  ['the nasal before a palatal', 'ニンジャ コンニャク', 'ɲiɲʥakoɲɲakɯ'],
  ['the nasal before a vowel', 'レンアイ', 'ɾeɴai'],
  ['a small y after a syllable that takes none', 'アャ', 'aja'],
  ['nothing but kana', 'ア漢b', 'a'],
])('%s', (_, kana, phonemes) => {
  expect(kanaPhonemes(kana)).toBe(phonemes)
})

test('every kana has a sound the model knows', () => {
  for (let code = 0x30a1; code <= 0x30fa; code++) {
    const phonemes = kanaPhonemes(String.fromCharCode(code))
    expect(phonemes).not.toBe('')
    expect(symbolIds(phonemes)).toHaveLength([...phonemes].length)
  }
})

test('hiragana become katakana, everything else stays', () => {
  expect(toKatakana('ひらがなとカナ、漢字ゔー')).toBe('ヒラガナトカナ、漢字ヴー')
})
