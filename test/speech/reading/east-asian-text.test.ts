import { expect, test } from 'vitest'
import { cleanEastAsianText } from '../../../src/speech/reading/east-asian-text.ts'

test.each([
  ['marks of both languages', '「あ」、い。《う》！', '“あ”, い.“う”!'],
  ['letters and figures of full width', 'ＡＢ１２％', 'AB12%'],
  ['kana of half width', 'ｶﾞﾝﾊﾞﾙ', 'ガンバル'],
  ['ellipses and dashes', 'あ……い――う', 'あ…い—う'],
  ['spaces between characters', '東 京\n駅', '東京駅'],
  ['spaces beside words', '私は AI です', '私は AI です'],
  ['emoji, lone surrogates and control characters', 'あ😀\ud800\0い', 'あい'],
  ['commas that could group figures', '1，000、200', '1, 000, 200'],
  ['quotes that look alike', '他说"好"。', '他说“好”.'],
  ['Markdown', '# **見出し**', '見出し'],
])('%s', (_, text, cleaned) => {
  expect(cleanEastAsianText(text)).toBe(cleaned)
})
