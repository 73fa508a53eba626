import { beforeAll, describe, expect, test } from 'vitest'
import { symbolIds } from '../../../models/kokoro/symbols.ts'
import { type PinyinReader, readChinese } from '../../../src/speech/reading/chinese.ts'
import { chineseDecimal, chineseNumber } from '../../../src/speech/reading/chinese-numbers.ts'
import { rewriteChinese } from '../../../src/speech/reading/chinese-rules.ts'
import { loadPinyin } from '../../../src/speech/reading/pinyin.ts'
import { pinyinPhonemes } from '../../../src/speech/reading/pinyin-phonemes.ts'

let toPinyin: PinyinReader

beforeAll(async () => {
  toPinyin = await loadPinyin()
})

test.each([
  ['0', '零'],
  ['10', '十'],
  ['12', '十二'],
  ['20', '二十'],
  ['105', '一百零五'],
  ['110', '一百一十'],
  ['250', '两百五十'],
  ['2200', '两千两百'],
  ['1005', '一千零五'],
  ['10000', '一万'],
  ['10005', '一万零五'],
  ['100000', '十万'],
  ['20000', '两万'],
  ['1200000', '一百二十万'],
  ['100000000', '一亿'],
  ['007', '零零七'],
])('%s is %s', (digits, words) => {
  expect(chineseNumber(digits)).toBe(words)
})

test('a decimal is read figure by figure behind the point', () => {
  expect(chineseDecimal('1,203.14')).toBe('一千两百零三点一四')
})

test.each([
  ['years figure by figure', '2024年3月15日', '二零二四年三月十五日'],
  ['dates with hyphens', '2024-03-05', '二零二四年三月五日'],
  ['times', '14:30和2:05', '十四点三十分和两点零五分'],
  ['percentages', '12.5%', '百分之十二点五'],
  ['money', '¥100,$5', '一百元,五美元'],
  ['two of something', '2个人和第2个', '两个人和第二个'],
  ['units', '25kg,10km', '二十五公斤,十公里'],
  ['ranges', '10-15公里,5%-10%,2024-2025年', '十到十五公里,百分之五到百分之十,二零二四到二零二五年'],
  ['addresses stay', 'https://a.cn/2024/1?x=1和v2.0', 'https://a.cn/2024/1?x=1和v2.0'],
  ['fractions and minus signs', '3/4和-5°C', '四分之三和负五摄氏度'],
  ['telephone numbers', '13812345678', '幺三八,幺二三四,五六七八'],
  ['figures that belong to a name', 'GPT4', 'GPT4'],
])('%s: %s', (_, text, words) => {
  expect(rewriteChinese(text)).toBe(words)
})

test.each([
  ['ma1', 'ma→'],
  ['zhong1', 'ꭧʊ→ŋ'],
  ['shi4', 'ʂɨ↘'],
  ['xue2', 'ɕɥe↗'],
  ['lv4', 'ly↘'],
  ['yuan2', 'ɥɛ↗n'],
  ['wo3', 'wo↓'],
  ['er4', 'ɚ↘'],
  ['de5', 'tɤ'],
  ['de0', 'tɤ'],
  ['you3', 'jou↓'],
  ['x', ''],
])('the syllable %s sounds %s', (syllable, phonemes) => {
  expect(pinyinPhonemes(syllable)).toBe(phonemes)
})

describe('a Chinese text', () => {
  const read = (text: string) =>
    readChinese(text, toPinyin)
      .map((part) => (part.kind === 'text' ? `<${part.text}>` : part.phonemes))
      .join(' ')

  test.each([
    ['is read word by word', '今天早上', 'ʨi→ntʰjɛ→n ʦau↓ʂa↘ŋ'],
    ['takes readings from the words around', '银行行长', 'i↗nxa↗ŋ xa↗ŋꭧa↓ŋ'],
    ['changes the tones of 一 and 不', '一个不是', 'i↗kɤ↘ pu↗ʂɨ↘'],
    ['keeps its marks', '你好！“再见”，妈妈。', 'ni↓xau↓! “ʦai↘ʨjɛ↘n”, ma→ma.'],
    ['leaves Latin letters to English', '我用ChatGPT写作', 'wo↓ jʊ↘ŋ <ChatGPT> ɕje↓ʦwo↘'],
    ['has nothing to say where it is empty', ' 😀', ''],
  ])('%s: %s', (_, text, phonemes) => {
    expect(read(text)).toBe(phonemes)
  })

  test('has only sounds the model knows', () => {
    const phonemes = read('孩子们在花园里玩的时候突然下雨了，女儿去绿色的旅馆，二十二个人穷困。')
    expect(symbolIds(phonemes)).toHaveLength([...phonemes].length)
  })
})
