import { describe, expect, test } from 'vitest'
import { readCounted } from '../../../src/speech/reading/japanese-counters.ts'
import { JAPANESE_NUMBER, readJapaneseNumber } from '../../../src/speech/reading/japanese-numbers.ts'

test.each([
  ['0', 'ゼロ'],
  ['10', 'ジュー'],
  ['15', 'ジューゴ'],
  ['100', 'ヒャク'],
  ['365', 'サンビャクロクジューゴ'],
  ['600', 'ロッピャク'],
  ['800', 'ハッピャク'],
  ['1000', 'セン'],
  ['3000', 'サンゼン'],
  ['8000', 'ハッセン'],
  ['2024', 'ニセンニジューヨン'],
  ['10,000', 'イチマン'],
  ['12345678', 'センニヒャクサンジューヨンマンゴセンロッピャクナナジューハチ'],
  ['10000000', 'イッセンマン'],
  ['8兆', 'ハッチョー'],
  ['3.14', 'サンテンイチヨン'],
  ['0.5', 'レーテンゴ'],
  ['2.5', 'ニーテンゴ'],
  ['8.5', 'ハッテンゴ'],
  ['1.5億', 'イッテンゴオク'],
  ['3万5千', 'サンマンゴセン'],
  ['二十五', 'ニジューゴ'],
  ['三百', 'サンビャク'],
  ['一億二千万', 'イチオクニセンマン'],
  ['二〇二四', 'ニセンニジューヨン'],
  ['007', 'ゼロゼロナナ'],
])('%s is read %s', (written, reading) => {
  expect(readJapaneseNumber(written)).toBe(reading)
})

describe('with a counter', () => {
  test.each([
    ['1人 2人 4人 7人 20人', 'ヒトリ フタリ ヨニン ナナニン ニジューニン'],
    ['4月 7月 9月 12月', 'シガツ シチガツ クガツ ジューニガツ'],
    ['1日 2日 8日 11日 20日 24日', 'イチニチ フツカ ヨーカ ジューイチニチ ハツカ ニジューヨッカ'],
    ['4時 7時 9時 10時', 'ヨジ シチジ クジ ジュージ'],
    ['1分 3分 4分 5分 10分 30分', 'イップン サンプン ヨンプン ゴフン ジュップン サンジュップン'],
    ['1本 2本 3本 6本 8本 10本 100本', 'イッポン ニホン サンボン ロッポン ハッポン ジュッポン ヒャッポン'],
    ['1匹 3匹 4匹', 'イッピキ サンビキ ヨンヒキ'],
    ['1回 3回 6回 20回', 'イッカイ サンカイ ロッカイ ニジュッカイ'],
    ['1階 3階', 'イッカイ サンガイ'],
    ['1歳 18歳 20歳', 'イッサイ ジューハッサイ ハタチ'],
    ['1つ 9つ', 'ヒトツ ココノツ'],
    ['4円 100円 1万円', 'ヨエン ヒャクエン イチマンエン'],
    ['5% 10% 3.5%', 'ゴパーセント ジュッパーセント サンテンゴパーセント'],
    ['8か月 3日間 2回目 2時間', 'ハッカゲツ ミッカカン ニカイメ ニジカン'],
    ['3km 20cm 2kg', 'サンキロ ニジュッセンチ ニキロ'],
    ['二十歳 三本 一人', 'ハタチ サンボン ヒトリ'],
  ])('%s', (texts, readings) => {
    const read = texts.split(' ').map((text) => {
      JAPANESE_NUMBER.lastIndex = 0
      const [written = ''] = JAPANESE_NUMBER.exec(text) ?? []
      return readCounted(text, written, written.length, (index) => index === text.length)?.kana
    })
    expect(read.join(' ')).toBe(readings)
  })

  test('the first of a month has a word of its own', () => {
    expect(readCounted('4月1日', '1', 3, () => true)?.kana).toBe('ツイタチ')
  })

  test('a counter that is only the beginning of a word is none', () => {
    expect(readCounted('3日本', '3', 1, (index) => index === 3)).toBeUndefined()
  })
})
