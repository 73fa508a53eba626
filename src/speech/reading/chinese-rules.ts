import { chineseDecimal, chineseDigits, chineseNumber } from './chinese-numbers.ts'
import { type Rewriting, rewrite } from './east-asian-text.ts'

const NUMBER = String.raw`\d+(?:,\d{3})*(?:\.\d+)?`
/** Words that count things: two of them are 两, not 二. */
const MEASURES = '个位本只件条张次种天年周岁点杯瓶辆台座间套双块层家名人颗棵封首支部'
const UNITS: Readonly<Record<string, string>> = {
  ...{
    'km/h': '公里每小时',
    km: '公里',
    kg: '公斤',
    cm: '厘米',
    mm: '毫米',
    ml: '毫升',
    mL: '毫升',
    m: '米',
    g: '克',
    t: '吨',
  },
  ...{ L: '升', GB: 'G B', MB: '兆', GHz: '吉赫兹', kWh: '千瓦时', kW: '千瓦', W: '瓦', V: '伏' },
}
const unitSigns = Object.keys(UNITS).sort((a, b) => b.length - a.length)

/** Numbers and the signs beside them, in the order in which they apply; no figure is left but in words with letters. */
const RULES: readonly Rewriting[] = [
  [/(?<![\d-])(1[3-9]\d)[ -]?(\d{4})[ -]?(\d{4})(?![\d-])/g, (_, a, b, c) => [a!, b!, c!].map(telephone).join(',')],
  [/(?<![\d-])(0\d{2,3})-(\d{7,8})(?![\d-])/g, (_, area, number) => `${telephone(area!)},${telephone(number!)}`],
  [/(?<!\d)(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?!\d)/g, (_, y, m, d) => `${y}年${Number(m)}月${Number(d)}日`],
  [/(?<!\d)(\d{4})(?=(?:[-~]\d{4})?\s?年)/g, (_, year) => chineseDigits(year!)],
  [/(?<![\d:])(\d{1,2}):(\d{2})(?::(\d{2}))?(?![\d:])/g, (_, h, m, s) => time(h!, m!, s)],
  [new RegExp(`[¥](${NUMBER}[万亿]*)`, 'g'), '$1元'],
  [new RegExp(`\\$(${NUMBER}[万亿]*)`, 'g'), '$1美元'],
  [new RegExp(`€(${NUMBER}[万亿]*)`, 'g'), '$1欧元'],
  [new RegExp(`£(${NUMBER}[万亿]*)`, 'g'), '$1英镑'],
  [new RegExp(`(${NUMBER})\\s?[-~—]\\s?(${NUMBER})\\s?%`, 'g'), '百分之$1到百分之$2'],
  [new RegExp(`(${NUMBER})\\s?%`, 'g'), '百分之$1'],
  [/(?<=\d)\s?°C/g, '摄氏度'],
  [/(?<=\d)\s?°/g, '度'],
  [new RegExp(`(?<=\\d)\\s?(${unitSigns.join('|')})(?![A-Za-z])`, 'g'), (_, sign) => UNITS[sign!] ?? ''],
  [/(?<![\d/])(\d{1,3})\/(\d{1,3})(?![\d/])/g, '$2分之$1'],
  [/(?<=[\d零一二三四五六七八九月日年])\s?[-~—]\s?(?=[\d零一二三四五六七八九百])/g, '到'],
  [/(?<![\dA-Za-z])-(?=\d)/g, '负'],
  [/\+(?=\d)/g, '加'],
  [/(?<=[\d\s])×(?=[\d\s])/g, '乘'],
  [/(?<=[\d\s])÷(?=[\d\s])/g, '除以'],
  [/(?<=[\d\s])=(?=[\d\s])/g, '等于'],
  [/\s*&\s*/g, '和'],
  [new RegExp(`(?<![\\d.第A-Za-z])2(?=[${MEASURES}]|小时|分钟|公里|公斤)`, 'g'), '两'],
  [new RegExp(`(?<![A-Za-z])${NUMBER}`, 'g'), (number) => chineseDecimal(number!)],
]

export function rewriteChinese(text: string): string {
  return rewrite(text, RULES)
}

/** In telephone numbers one is 幺, so that it is not heard as seven. */
function telephone(digits: string): string {
  return chineseDigits(digits).replaceAll('一', '幺')
}

function time(hour: string, minute: string, second: string | undefined): string {
  const hours = hour === '2' || hour === '02' ? '两' : chineseNumber(String(Number(hour)))
  const minutes = Number(minute) === 0 ? (second === undefined ? '' : '零分') : `${padded(minute)}分`
  return `${hours}点${minutes}${second === undefined ? '' : `${padded(second)}秒`}`
}

function padded(digits: string): string {
  return (digits.startsWith('0') ? '零' : '') + chineseNumber(String(Number(digits)))
}
