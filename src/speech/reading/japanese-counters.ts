import { geminateBefore, readJapaneseNumber } from './japanese-numbers.ts'

/** How a number and the counter after it change each other. */
interface Counter {
  readonly kana: string
  /** Endings of the number that double the counter's first consonant. */
  readonly doubling: readonly string[]
  /** The counter after a doubled consonant. */
  readonly doubled?: string
  /** The counter after these endings of the number. */
  readonly afterN?: string
  readonly nasals?: RegExp
  /** Endings of the number that are said otherwise before this counter: ヨン + ジ is ヨジ. */
  readonly endings?: Readonly<Record<string, string>>
  /** Numbers that are said with their counter in one word. */
  readonly whole?: Readonly<Record<number, string>>
}

const SIX_KINDS = ['イチ', 'ロク', 'ハチ', 'ジュー', 'ヒャク']
const THREE_KINDS = ['イチ', 'ハチ', 'ジュー']

const VOICING = /(?:サン|セン|ゼン|マン)$/

const DAYS: Readonly<Record<number, string>> = {
  ...{
    2: 'フツカ',
    3: 'ミッカ',
    4: 'ヨッカ',
    5: 'イツカ',
    6: 'ムイカ',
    7: 'ナノカ',
    8: 'ヨーカ',
    9: 'ココノカ',
    10: 'トーカ',
  },
  ...{ 14: 'ジューヨッカ', 20: 'ハツカ', 24: 'ニジューヨッカ' },
}
const THINGS: Readonly<Record<number, string>> = {
  ...{
    1: 'ヒトツ',
    2: 'フタツ',
    3: 'ミッツ',
    4: 'ヨッツ',
    5: 'イツツ',
    6: 'ムッツ',
    7: 'ナナツ',
    8: 'ヤッツ',
    9: 'ココノツ',
  },
}

const COUNTERS: ReadonlyMap<string, Counter> = new Map<string, Counter>([
  // Begin with k: one, six, eight, ten and a hundred double it.
  ...plain(
    SIX_KINDS,
    `回:カイ 個:コ こ:コ コ:コ 箇所:カショ か所:カショ ヶ所:カショ カ所:カショ か月:カゲツ ヶ月:カゲツ カ月:カゲツ ケ月:カゲツ 箇月:カゲツ か国:カコク ヶ国:カコク
     カ国:カコク 件:ケン 機:キ 曲:キョク 校:コー 期:キ 級:キュー 区:ク 巻:カン 社:シャ 回戦:カイセン km:キロ kg:キロ キロ:キロ カロリー:カロリー kcal:キロカロリー`,
  ),
  ['階', { kana: 'カイ', doubling: SIX_KINDS, afterN: 'ガイ', nasals: VOICING }],
  ['軒', { kana: 'ケン', doubling: SIX_KINDS, afterN: 'ゲン', nasals: VOICING }],
  // Begin with s or t: one, eight and ten double it.
  ...plain(
    THREE_KINDS,
    `冊:サツ 週:シュー 週間:シューカン 種類:シュルイ 種:シュ 周:シュー 周年:シューネン 世紀:セイキ 章:ショー 席:セキ 勝:ショー 試合:シアイ 隻:セキ 世帯:セタイ
     セット:セット センチ:センチ cm:センチ 点:テン 頭:トー 丁目:チョーメ 通:ツー 体:タイ 棟:トー トン:トン 着:チャク 敗:ハイ 店:テン
     ページ:ページ パーセント:パーセント %:パーセント ポイント:ポイント ポンド:ポンド`,
  ),
  ['足', { kana: 'ソク', doubling: THREE_KINDS, afterN: 'ゾク', nasals: VOICING }],
  ['歳', { kana: 'サイ', doubling: THREE_KINDS, whole: { 20: 'ハタチ' } }],
  ['才', { kana: 'サイ', doubling: THREE_KINDS, whole: { 20: 'ハタチ' } }],
  // Begin with h, which becomes p when doubled, and b or p after n.
  ...['本:ホン:ポン:ボン', '匹:ヒキ:ピキ:ビキ', '杯:ハイ:パイ:バイ', '百:ヒャク:ピャク:ビャク'].map(aspirate),
  ...[
    '分:フン:プン:プン',
    '泊:ハク:パク:パク',
    '発:ハツ:パツ:パツ',
    '票:ヒョー:ピョー:ビョー',
    '歩:ホ:ポ:ポ',
    '版:ハン:パン:パン',
  ].map(aspirate),
  ...[
    '分間:フンカン:プンカン:プンカン',
    '品:ヒン:ピン:ピン',
    '拍:ハク:パク:パク',
    '編:ヘン:ペン:ペン',
    '本目:ホンメ:ポンメ:ボンメ',
  ].map(aspirate),
  // Begin with other sounds.
  ...plain(
    [],
    `枚:マイ 台:ダイ 度:ド 倍:バイ 番:バン 名:メイ 号:ゴー 号室:ゴーシツ 番地:バンチ 番線:バンセン 秒:ビョー 位:イ 割:ワリ 羽:ワ 番目:バンメ 行:ギョー 代:ダイ
     ドル:ドル ユーロ:ユーロ セント:セント メートル:メートル m:メートル グラム:グラム g:グラム リットル:リットル L:リットル ml:ミリリットル mL:ミリリットル ミリ:ミリ
     mm:ミリ t:トン GB:ギガバイト MB:メガバイト TB:テラバイト KB:キロバイト GHz:ギガヘルツ MHz:メガヘルツ kHz:キロヘルツ Hz:ヘルツ kWh:キロワットジ kW:キロワット W:ワット V:ボルト
     km/h:キロ 畳:ジョー 段:ダン 列:レツ 部:ブ 部屋:ヘヤ 問:モン 話:ワ 輪:リン 両:リョー 連覇:レンパ 年ぶり:ネンブリ 円玉:エンダマ 円札:エンサツ 平方メートル:ヘイホーメートル`,
  ),
  ...four(
    '人:ニン 年:ネン 年間:ネンカン 年生:ネンセイ 年代:ネンダイ 円:エン 年度:ネンド 人前:ニンマエ 人組:ニングミ 畳半:ジョーハン',
  ),
  ['人', { kana: 'ニン', doubling: [], endings: { ヨン: 'ヨ' }, whole: { 1: 'ヒトリ', 2: 'フタリ' } }],
  ['時', { kana: 'ジ', doubling: [], endings: { ヨン: 'ヨ', ナナ: 'シチ', キュー: 'ク' } }],
  ['時間', { kana: 'ジカン', doubling: [], endings: { ヨン: 'ヨ', ナナ: 'シチ', キュー: 'ク' } }],
  ['時半', { kana: 'ジハン', doubling: [], endings: { ヨン: 'ヨ', ナナ: 'シチ', キュー: 'ク' } }],
  ['月', { kana: 'ガツ', doubling: [], endings: { ヨン: 'シ', ナナ: 'シチ', キュー: 'ク' } }],
  ['日', { kana: 'ニチ', doubling: [], whole: DAYS }],
  [
    '日間',
    {
      kana: 'ニチカン',
      doubling: [],
      whole: Object.fromEntries(Object.entries(DAYS).map(([day, kana]) => [day, `${kana}カン`])),
    },
  ],
  ['つ', { kana: 'ツ', doubling: [], whole: THINGS }],
])

const LONGEST_FIRST = [...COUNTERS.keys()].sort((a, b) => b.length - a.length)
/** Follow a counter without changing it: 3日間, 2回目. */
const SUFFIXES: ReadonlyMap<string, string> = new Map([
  ['間', 'カン'],
  ['目', 'メ'],
])

export interface CountedNumber {
  readonly end: number
  readonly kana: string
}

/**
 * A number of the text, with the counter that begins at `counterFrom`, if one does and ends with a word: `isWordEnd` keeps
 * the 日 of "3日本" from being taken for a day.
 */
export function readCounted(
  text: string,
  written: string,
  counterFrom: number,
  isWordEnd: (index: number) => boolean,
): CountedNumber | undefined {
  for (const sign of LONGEST_FIRST) {
    if (!text.startsWith(sign, counterFrom)) continue
    const end = counterFrom + sign.length
    const kana = count(written, sign, COUNTERS.get(sign)!, /\d月$/.test(text.slice(0, counterFrom - written.length)))
    const suffix = SUFFIXES.get(text.charAt(end))
    if (suffix !== undefined && isWordEnd(end + 1)) return { end: end + 1, kana: kana + suffix }
    if (isWordEnd(end)) return { end, kana }
  }
  return undefined
}

function count(written: string, sign: string, counter: Counter, isAfterMonth: boolean): string {
  const value = Number(written.replaceAll(',', ''))
  const reading = readJapaneseNumber(written)
  if (sign === '日' && isAfterMonth && value === 1) return 'ツイタチ'
  const whole = counter.whole?.[Number.isNaN(value) ? smallValue(reading) : value]
  if (whole !== undefined) return whole
  const number = bend(reading, counter.endings)
  const doubled = geminateBefore(number, counter.doubling)
  if (doubled !== number) return doubled + (counter.doubled ?? counter.kana)
  return number + (counter.afterN !== undefined && counter.nasals?.test(number) ? counter.afterN : counter.kana)
}

function bend(reading: string, endings: Readonly<Record<string, string>> = {}): string {
  for (const [ending, other] of Object.entries(endings)) {
    if (reading.endsWith(ending)) return reading.slice(0, -ending.length) + other
  }
  return reading
}

const SMALL_READINGS = new Map(Array.from({ length: 32 }, (_, value) => [readJapaneseNumber(String(value)), value]))

/** The value of a number written in kanji, as far as there are words of their own for it. */
function smallValue(reading: string): number {
  return SMALL_READINGS.get(reading) ?? Number.NaN
}

function plain(doubling: readonly string[], list: string): [string, Counter][] {
  return list
    .trim()
    .split(/\s+/)
    .map((entry) => {
      const [sign = '', kana = ''] = entry.split(':')
      return [sign, { kana, doubling }]
    })
}

/** Four is ヨ before these. */
function four(list: string): [string, Counter][] {
  return plain([], list).map(([sign, counter]) => [sign, { ...counter, endings: { ヨン: 'ヨ' } }])
}

function aspirate(entry: string): [string, Counter] {
  const [sign = '', kana = '', doubled = '', afterN = ''] = entry.split(':')
  // ヨンプン, but ヨンホン.
  return [sign, { kana, doubling: SIX_KINDS, doubled, afterN, nasals: sign.startsWith('分') ? /ン$/ : VOICING }]
}
