import { type Counted, type Currency, type Lexicon, type Rule, rule } from './lexicon.ts'

const AMOUNT = '\\d{1,3}(?:[.,]\\d{2,3})+(?:[.,]\\d{1,2})?(?![.,]?\\d)|\\d+(?:[.,]\\d{1,2})?(?![.,]?\\d)'

/** Amounts with the sign before or after them, ranges of amounts, and magnitudes ("$5M", "€1.2 bn"). */
export function moneyRules(lexicon: Lexicon): readonly Rule[] {
  const signs = alternatives(Object.keys(lexicon.currencies))
  const magnitudes = alternatives(Object.keys(lexicon.magnitudes))
  const say = (sign: string, amount: string, magnitude: string) => {
    const currency = lexicon.currencies[sign]
    if (!currency) return `${amount} ${magnitude}`
    return ` ${sayAmount(parseAmount(amount), currency, lexicon.magnitudes[magnitude], lexicon)} `
  }
  return [
    rule(new RegExp(`(${signs})\\s?(${AMOUNT})\\s?[-–—]\\s?(?:${signs})?(?=\\d)`, 'g'), `$2 ${lexicon.to} $1`),
    rule(new RegExp(`(${AMOUNT})\\s?[-–—]\\s?(?=(?:${AMOUNT})\\s?(?:${signs}))`, 'g'), `$1 ${lexicon.to} `),
    rule(
      new RegExp(`(${signs})\\s?(${AMOUNT})(?:\\s?(${magnitudes})(?![\\p{L}\\p{N}]))?`, 'gu'),
      (sign = '', amount = '', magnitude = '') => say(sign, amount, magnitude),
    ),
    rule(
      new RegExp(`(?<![\\d.,])(${AMOUNT})(?:\\s?(${magnitudes}))?\\s?(${signs})(?![\\p{L}\\p{N}])`, 'gu'),
      (amount = '', magnitude = '', sign = '') => say(sign, amount, magnitude),
    ),
  ]
}

interface Amount {
  readonly whole: string
  /** Digits after the decimal mark, or none. */
  readonly fraction: string
}

/** One or two digits after the last mark are hundredths, whichever the mark; three are a group of thousands. */
function parseAmount(written: string): Amount {
  const mark = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','))
  const digitsAfter = written.length - mark - 1
  const isDecimal = mark >= 0 && digitsAfter <= 2
  const whole = (isDecimal ? written.slice(0, mark) : written).replace(/[.,]/g, '')
  return { whole, fraction: isDecimal ? written.slice(mark + 1) : '' }
}

function sayAmount(amount: Amount, currency: Currency, magnitude: string | undefined, lexicon: Lexicon): string {
  const { whole, fraction } = amount
  if (magnitude !== undefined) {
    const value = fraction === '' ? whole : `${whole}${lexicon.decimal}${fraction}`
    return `${value} ${magnitude} ${currency.major[1]}`
  }
  if (Number(fraction) === 0) return count(whole, currency.major)
  if (!currency.minor) return `${whole}${lexicon.decimal}${fraction} ${currency.major[1]}`
  const minor = String(Number(fraction.padEnd(2, '0')))
  if (Number(whole) === 0) return count(minor, currency.minor)
  return lexicon.moneyAnd(count(whole, currency.major), count(minor, currency.minor))
}

function count(value: string, [one, many]: Counted): string {
  return Number(value) === 1 ? one : `${value} ${many}`
}

/** Longest first, so that `R$` is tried before `$`. */
function alternatives(written: readonly string[]): string {
  return [...written]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[$.*+?^()[\]{}|\\/]/g, '\\$&'))
    .join('|')
}
