import { alternatives, type Currency, type Lexicon, type Rule, rule, sayCounted } from './lexicon.ts'

const AMOUNT = "\\d{1,3}(?:[.,']\\d{2,3})+(?:[.,]\\d{1,2})?(?![.,]?\\d)|\\d+(?:[.,]\\d{1,3})?(?![.,]?\\d)"

/** Amounts with the sign or code before or after them, ranges of amounts, and magnitudes ("$5M", "€1.2 bn"). */
export function moneyRules(lexicon: Lexicon): readonly Rule[] {
  const signs = `(?<!\\p{L})(?:${alternatives(Object.keys(lexicon.currencies))})`
  const magnitudes = alternatives(Object.keys(lexicon.magnitudes))
  const say = (sign: string, amount: string, magnitude: string, isNegative = false) => {
    const currency = lexicon.currencies[sign]
    if (!currency) return `${amount} ${magnitude}`
    return ` ${isNegative ? `${lexicon.minus} ` : ''}${sayAmount(parseAmount(amount, lexicon), currency, magnitude, lexicon)} `
  }
  return [
    rule(new RegExp(`(${signs})\\s?(${AMOUNT})\\s?[-–—]\\s?(?:${signs})?(?=\\d)`, 'gu'), `$2 ${lexicon.to} $1`),
    rule(
      new RegExp(`(${AMOUNT})\\s?[-–—]\\s?(?=(?:${AMOUNT})\\s?(?:${magnitudes})?\\s?(?:${signsAfter(lexicon)}))`, 'gu'),
      `$1 ${lexicon.to} `,
    ),
    rule(
      new RegExp(
        `(?:(?<![\\p{L}\\p{N}])(-))?(${signs})(-?)\\s?(${AMOUNT})(?:\\s?(${magnitudes})(?![\\p{L}\\p{N}]))?`,
        'gu',
      ),
      (before = '', sign = '', after = '', amount = '', magnitude = '') =>
        say(sign, amount, magnitude, before + after !== ''),
    ),
    rule(
      new RegExp(
        `(?:(?<![\\p{L}\\p{N}])(-))?(?<![\\d.,])(${AMOUNT})(?:\\s?(${magnitudes}))?\\s?(${signsAfter(lexicon)})(?![\\p{L}\\p{N}])`,
        'gu',
      ),
      (minus = '', amount = '', magnitude = '', sign = '') => say(sign, amount, magnitude, minus !== ''),
    ),
    rule(/ \/\s?(?=\p{L})/gu, ` ${lexicon.per} `),
  ]
}

function signsAfter(lexicon: Lexicon): string {
  return alternatives(Object.keys(lexicon.currencies))
}

interface Amount {
  readonly whole: string
  /** Digits after the decimal mark, or none. */
  readonly fraction: string
}

/**
 * One or two digits after the last mark are hundredths, whichever the mark; three are a group of thousands, unless they
 * follow the one full stop of a language that writes decimals with it ("$3.499 a gallon").
 */
function parseAmount(written: string, lexicon: Lexicon): Amount {
  const mark = Math.max(written.lastIndexOf('.'), written.lastIndexOf(','))
  const digitsAfter = written.length - mark - 1
  const isThousandths = lexicon.decimal === '.' && /^\d+\.\d{3}$/.test(written)
  const isDecimal = mark >= 0 && (digitsAfter <= 2 || isThousandths)
  const whole = (isDecimal ? written.slice(0, mark) : written).replace(/[.,']/g, '')
  return { whole, fraction: isDecimal ? written.slice(mark + 1) : '' }
}

function sayAmount({ whole, fraction }: Amount, currency: Currency, magnitude: string, lexicon: Lexicon): string {
  const exact = fraction === '' ? whole : `${whole}${lexicon.decimal}${fraction}`
  const scale = lexicon.magnitudes[magnitude]
  if (scale) return `${exact === '1' ? scale[0] : `${exact} ${scale[1]}`} ${currency.major[1]}`
  if (Number(fraction) === 0) return sayCounted(whole, currency.major, lexicon)
  if (!currency.minor || fraction.length > 2) return `${exact} ${currency.major[1]}`
  const minor = String(Number(fraction.padEnd(2, '0')))
  if (Number(whole) === 0) return sayCounted(minor, currency.minor, lexicon)
  return lexicon.moneyAnd(sayCounted(whole, currency.major, lexicon), sayCounted(minor, currency.minor, lexicon))
}
