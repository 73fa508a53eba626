import { type Rewriting, rewrite } from './east-asian-text.ts'
import { digitByDigit } from './japanese-numbers.ts'

/** Written forms that are said otherwise than they are written, in the order in which they apply. */
const RULES: readonly Rewriting[] = [
  // Younger than the dictionary.
  [/令和/g, 'レイワ'],
  [/\(笑\)/g, '(わらい)'],
  // Telephone numbers digit by digit; the groups are joined by ノ.
  [/(?<![\d-])(0\d{1,4})-(\d{1,4})-(\d{3,4})(?![\d-])/g, (_, a, b, c) => [a!, b!, c!].map(digitByDigit).join('ノ ')],
  [
    /(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g,
    (_, year, month, day) => `${year}年${Number(month)}月${Number(day)}日`,
  ],
  [/(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])/g, (_, hour, minute, second) => time(hour!, minute!, second)],
  [/[¥](\d+(?:,\d{3})*(?:\.\d+)?[千万億兆]*)/g, '$1円'],
  [/\$(\d+(?:,\d{3})*)\.(\d{2})(?!\d)/g, (_, dollars, cents) => `${dollars}ドル${Number(cents)}セント`],
  ...currency('$', 'ドル'),
  ...currency('€', 'ユーロ'),
  ...currency('£', 'ポンド'),
  [/(?<=\d)\s?°C?/g, '度'],
  [/(?<![\d/])(1[0-2]|[1-9])\/(1[3-9]|2\d|3[01])(?![\d/])/g, '$1月$2日'],
  [/(?<![\d/])(\d{1,3})\/(\d{1,3})(?![\d/])/g, '$2分の$1'],
  [/(?<=[\d月日時分年人円%度])\s?[~-]\s?(?=\d)/g, 'から'],
  [/(?<![\dA-Za-z])-(?=\d)/g, 'マイナス'],
  [/\+(?=\d)/g, 'プラス'],
  [/\s*&\s*/g, 'アンド'],
  [/(?<=[\d\s])[×](?=[\d\s])/g, 'かける'],
  [/(?<=[\d\s])[÷](?=[\d\s])/g, 'わる'],
  [/(?<=[\d\s])=(?=[\d\s])/g, 'イコール'],
]

export function rewriteJapanese(text: string): string {
  return rewrite(text, RULES)
}

function time(hour: string, minute: string, second: string | undefined): string {
  const minutes = Number(minute) === 0 && second === undefined ? '' : `${Number(minute)}分`
  return `${Number(hour)}時${minutes}${second === undefined ? '' : `${Number(second)}秒`}`
}

function currency(sign: string, name: string): readonly (readonly [RegExp, string])[] {
  return [[new RegExp(`\\${sign}(\\d+(?:,\\d{3})*(?:\\.\\d+)?[千万億兆]*)`, 'g'), `$1${name}`]]
}
