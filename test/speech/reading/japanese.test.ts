import { beforeAll, expect, test } from 'vitest'
import { symbolIds } from '../../../models/kokoro/symbols.ts'
import { loadIpadic } from '../../../src/speech/reading/ipadic.ts'
import { type JapaneseAnalyzer, readJapanese } from '../../../src/speech/reading/japanese.ts'

let analyze: JapaneseAnalyzer

beforeAll(async () => {
  analyze = await loadIpadic()
})

/** Phonemes as they are; words that are left to English in angle brackets. */
function read(text: string): string {
  return readJapanese(text, analyze)
    .map((part) => (part.kind === 'text' ? `<${part.text}>` : part.phonemes))
    .join(' ')
}

test.each([
  ['words get the sounds of the dictionary', '東京の図書館', 'toːkʲoːno toɕokaɴ'],
  ['particles are read as they are said, with the word before', '私は東京へ行く', 'βataɕiβa toːkʲoːe ikɯ'],
  ['endings are said with their word', '雨が降り始めました。', 'ameɡa ɸɯɾʲi haʥimemaɕita.'],
  ['the vowel of a will is long', '行きましょう。', 'ikʲimaɕoː.'],
  ['marks become those of the model', '「はい」と、母。本当？', '“hai” to, haha. hontoː?'],
  ['dates', '2024-03-15に', 'ɲiseɲɲiʥɨːjoneɴ saŋɡaʦɨ ʥɨːɡoɲiʨiɲi'],
  ['times', '9:05です', 'kɯʥi ɡoɸɯɴdesɨ'],
  ['money', '¥3,500と$12.50', 'sanʣeŋɡoçakɯeɴto ʥɨːɲidoɾɯ ɡoʥɨːsento'],
  ['ranges', '10〜15度', 'ʥɨːkaɾa ʥɨːɡodo'],
  ['telephone numbers', '03-1234-5678', 'ʣeɾosanno iʨiɲisaɴjonno ɡoɾokɯnanahaʨi'],
  ['full-width figures', '２５０円', 'ɲiçakɯɡoʥɨːeɴ'],
  ['numbers in kanji with their counters', '三本と二十五歳', 'samboɴto ɲiʥɨːɡosai'],
  ['kanji that only look like numbers', '八百屋と三日月と四国', 'jaojato mʲikazɨkʲito ɕikokɯ'],
  ['words in Latin letters are left to English', 'GoogleでWi-Fiを', '<Google> de <Wi-Fi> o'],
  ['addresses too', 'https://a.jp/1?x=2へ', '<https://a.jp/1?x=2> e'],
  ['an era that is younger than the dictionary', '令和6年', 'ɾeiβa ɾokɯneɴ'],
  ['katakana that are in no dictionary', 'シンタクスリンクス', 'ɕintakɯsɨɾʲiŋkɯsɨ'],
  ['nothing is nothing', '😀 \u3000ーーー', ''],
])('%s: %s', (_, text, phonemes) => {
  expect(read(text)).toBe(phonemes)
})

test('every sound is one the model knows', () => {
  const text = '姉は病院で働いていて、いつも夜遅く家に帰ります。ヴァイオリンの音、チェック、ファッション！'
  const phonemes = read(text)
  expect(symbolIds(phonemes)).toHaveLength([...phonemes].length)
})
