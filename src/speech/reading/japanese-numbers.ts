/** Numbers as Japanese says them, in katakana, with the changes of sound between figures, powers of ten and counters. */

const FIGURES = ['ゼロ', 'イチ', 'ニ', 'サン', 'ヨン', 'ゴ', 'ロク', 'ナナ', 'ハチ', 'キュー']
const KANJI_FIGURES = '〇一二三四五六七八九'
const MYRIADS: ReadonlyMap<string, string> = new Map([
  ['万', 'マン'],
  ['億', 'オク'],
  ['兆', 'チョー'],
])

/** A number as texts write it, after NFKC: figures with commas and a decimal point, kanji, or both ("3万5千", "1.5億"). */
export const JAPANESE_NUMBER =
  /\d+(?:,\d{3})*(?:\.\d+)?(?:[千万億兆](?:\d+(?:,\d{3})*)?)*|[〇一二三四五六七八九十百千万億兆]+/y

/** The reading of what `JAPANESE_NUMBER` matches: "250" is ニヒャクゴジュー. */
export function readJapaneseNumber(written: string): string {
  const number = written.replaceAll(',', '')
  // Kanji figures side by side without powers of ten are read one by one, as in 二〇二四年 they stand for 2024.
  const figures = /^[〇一二三四五六七八九]{2,}$/.test(number)
    ? Array.from(number, (kanji) => KANJI_FIGURES.indexOf(kanji)).join('')
    : number
  if (/^0\d/.test(figures) || /\d{16,}/.test(figures)) return digitByDigit(figures)
  let reading = ''
  for (const [, amount = '', myriad = ''] of figures.matchAll(/([^万億兆]*)([万億兆]?)/g)) {
    if (amount === '' && myriad === '') continue
    const isZero = amount === '0' && reading !== ''
    if (isZero) continue
    const own = amount === '' ? 'イチ' : readAmount(amount)
    reading += myriad === '' ? own : geminate(own, myriad) + (MYRIADS.get(myriad) ?? '')
  }
  return reading
}

export function digitByDigit(digits: string): string {
  return Array.from(digits.replace(/\D/g, ''), (digit) => FIGURES[Number(digit)] ?? '').join('')
}

/** Below a myriad in figures or kanji, or any number in figures. */
function readAmount(amount: string): string {
  const [whole = '', fraction] = amount.split('.')
  const value = /^\d+$/.test(whole) ? Number(whole) : kanjiValue(whole)
  const reading = readWhole(value)
  if (fraction === undefined) return reading
  const drawn = value === 0 ? 'レー' : reading.replace(/[ニゴ]$/, '$&ー')
  return `${geminateBefore(drawn, ['ジュー', 'イチ', 'ハチ'])}テン${digitByDigit(fraction)}`
}

function readWhole(value: number): string {
  if (value === 0) return FIGURES[0]!
  const parts: string[] = []
  for (let [rest, power] = [value, 0]; rest > 0; rest = Math.floor(rest / 10_000), power += 1) {
    const group = rest % 10_000
    if (group === 0) continue
    const myriad = ['', '万', '億', '兆'][power] ?? ''
    const reading = myriad !== '' && group === 1_000 ? 'イッセン' : readGroup(group)
    parts.unshift(myriad === '' ? reading : geminate(reading, myriad) + (MYRIADS.get(myriad) ?? ''))
  }
  return parts.join('')
}

const THOUSANDS = [
  '',
  'セン',
  'ニセン',
  'サンゼン',
  'ヨンセン',
  'ゴセン',
  'ロクセン',
  'ナナセン',
  'ハッセン',
  'キューセン',
]
const HUNDREDS = [
  ...[
    '',
    'ヒャク',
    'ニヒャク',
    'サンビャク',
    'ヨンヒャク',
    'ゴヒャク',
    'ロッピャク',
    'ナナヒャク',
    'ハッピャク',
    'キューヒャク',
  ],
]

/** 1 to 9,999. */
function readGroup(group: number): string {
  const [thousands, hundreds, tens, ones] = [1_000, 100, 10, 1].map((power) => Math.floor(group / power) % 10)
  const ten = tens ? `${tens === 1 ? '' : FIGURES[tens]}ジュー` : ''
  return `${THOUSANDS[thousands!]}${HUNDREDS[hundreds!]}${ten}${ones ? FIGURES[ones] : ''}`
}

function kanjiValue(kanji: string): number {
  let total = 0
  let figure = 0
  for (const character of kanji) {
    const power = { 十: 10, 百: 100, 千: 1_000 }[character]
    if (power === undefined)
      figure = figure * 10 + (/\d/.test(character) ? Number(character) : KANJI_FIGURES.indexOf(character))
    else {
      total += (figure || 1) * power
      figure = 0
    }
  }
  return total + figure
}

/** 一兆, 八兆, 十兆 double the consonant. */
function geminate(reading: string, myriad: string): string {
  return myriad === '兆' ? geminateBefore(reading, ['イチ', 'ハチ', 'ジュー']) : reading
}

/** The consonant after these endings is doubled: イチ+カイ is イッカイ. */
export function geminateBefore(reading: string, endings: readonly string[]): string {
  const ending = endings.find((candidate) => reading.endsWith(candidate))
  if (ending === undefined) return reading
  return `${reading.slice(0, -1)}ッ`
}
