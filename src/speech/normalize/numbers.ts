import { alternatives, type Lexicon, type Rule, rule, sayCounted, sayDigits } from './lexicon.ts'

/** Groups of thousands that the language's own reader wouldn't join. Before money, so that amounts are whole. */
export function groupingRules(lexicon: Lexicon): readonly Rule[] {
  const spaced = lexicon.decimal === ',' ? '+' : '{2,}'
  const digits = (number = '') => number.replace(/\D/g, '')
  return [
    rule(new RegExp(`(?<![\\p{L}\\d.,/-]|\\d )(\\d{1,3}(?: \\d{3})${spaced})(?! ?\\d)`, 'gu'), digits),
    rule(/(?<![\p{L}\d.,'])(\d{1,3}(?:'\d{3})+)(?!['\d])/gu, digits),
    lexicon.decimal === ','
      ? rule(
          /(?<![\p{L}\d.,])(\d{1,3}(?:,\d{3}){2,}|\d{1,3}(?:,\d{3})+(?=\.\d))(?:\.(\d+))?(?![\d.,]*\d)/gu,
          (whole = '', fraction = '') => digits(whole) + (fraction && `,${fraction}`),
        )
      : rule(
          /(?<![\p{L}\d.,])(\d{1,3}(?:\.\d{3}){2,}|\d{1,3}(?:\.\d{3})+(?=,\d))(?:,(\d+))?(?![\d.,]*\d)/gu,
          (whole = '', fraction = '') =>
            isInternetAddress(whole) ? whole : digits(whole) + (fraction && `.${fraction}`),
        ),
  ]
}

/** Telephone and version numbers, ranges, fractions, units, and the signs beside numbers. */
export function numberRules(lexicon: Lexicon): readonly Rule[] {
  const units = alternatives(Object.keys(lexicon.units))
  return [
    rule(/(?<![\p{L}\d.,/-])(\+\d{1,3}(?:[ .-]?\(?\d{1,5}\)?){2,6})(?![\d-])/gu, (number = '') =>
      sayDigits(number, lexicon.signs['+']),
    ),
    rule(/(?<![\p{L}\d.,/-])((?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}|\d{3}-\d{4})(?![\d-])/gu, (number = '') =>
      sayDigits(number),
    ),
    rule(
      new RegExp(`(?<![\\p{L}\\d])(?:${lexicon.version}\\s)?[vV]\\.?\\s?(\\d+(?:\\.\\d+)*)(?![\\p{L}\\d])`, 'giu'),
      (number = '') => `${lexicon.version} ${number.replaceAll('.', ` ${lexicon.point} `)}`,
    ),
    // Where a full stop groups thousands, four groups may be a number: an address has a shorter group in it.
    rule(/(?<![\d.,])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.,]*\d)/g, (number = '') =>
      lexicon.decimal === ',' && /^\d+(?:\.\d{3})+$/.test(number) && !isInternetAddress(number)
        ? number
        : number.replaceAll('.', ` ${lexicon.address['.']} `),
    ),
    rule(/(?<![\d.,])(\d{1,2}\.\d{1,3}\.\d{1,2})(?![\d.,]*\d)/g, (number = '') =>
      number.replaceAll('.', ` ${lexicon.point} `),
    ),
    rule(/(?<=\d\s)[—–-](?=\s\d+(?:[.,]\d+)?\s?=)/g, lexicon.minus),
    rule(
      /(?<![\p{L}\d.,/-])(-?\d+(?:[.,]\d+)*\s?(?:%|°C?)?)(?:[-–]|\s[–—]\s)(?=\d+(?:[.,]\d+)*(?![\d/-]))/gu,
      `$1 ${lexicon.to} `,
    ),
    rule(/(?<![\p{L}\p{N}])-(?=\d)/gu, `${lexicon.minus} `),
    ...fractionRules(lexicon),
    rule(/(?<=\d)\s?[x×]\s?(?=\d+(?:[.,]\d+)?\s?(?:[cm]?m|km|px)(?![\p{L}\d]))/gu, ` ${lexicon.signs.x} `),
    rule(/(?<=\d)\s[x×]\s(?=\d)/g, ` ${lexicon.signs['×']} `),
    rule(/(?<=\d)[x×](?=\d)/g, ` ${lexicon.signs.x} `),
    rule(
      new RegExp(`(?<![\\p{L}\\d])(\\d+(?:[.,]\\d+)*)\\s?(${units})(?![\\p{L}\\d²³'°]|/(?![\\p{Ll}]{3}))`, 'gu'),
      (number = '', unit = '') => `${sayCounted(number, lexicon.units[unit] ?? ['', unit], lexicon)} `,
    ),
    rule(/ \/\s?(?=\p{L})/gu, ` ${lexicon.per} `),
    rule(
      new RegExp(
        `(?<![\\p{L}\\d])(\\d+(?:[.,]\\d+)?)(${alternatives(Object.keys(lexicon.plainMagnitudes))})(?![\\p{L}\\d'])`,
        'gu',
      ),
      (number = '', magnitude = '') => `${number} ${lexicon.plainMagnitudes[magnitude]}`,
    ),
    ...(lexicon.decimal === ',' ? [rule(/(?<![\d.,])(\d+)\.(\d{1,2})(?![\d.,]*\d)/g, '$1,$2')] : []),
    rule(/#\s?(?=\d)/g, `${lexicon.numberSign} `),
    rule(/\s*[~≈]\s*(?=[\d$£€])/g, ` ${lexicon.about} `),
    rule(/\s*&\s*/g, ` ${lexicon.and} `),
    rule(/\s*=\s*/g, ` ${lexicon.equals} `),
    rule(/\s@\s/g, ` ${lexicon.address['@']} `),
    ...Object.entries(lexicon.signs)
      .filter(([sign]) => sign !== 'x')
      .map(([sign, name]) => rule(new RegExp(`\\s*${alternatives([sign])}\\s*`, 'g'), ` ${name} `)),
    rule(/[#@_~≈<>]+/g, ' '),
  ]
}

const FRACTION_SIGNS: Readonly<Record<string, readonly [part: number, of: number]>> = {
  '½': [1, 2],
  '⅓': [1, 3],
  '⅔': [2, 3],
  '¼': [1, 4],
  '¾': [3, 4],
  '⅕': [1, 5],
  '⅛': [1, 8],
  '⅜': [3, 8],
  '⅝': [5, 8],
  '⅞': [7, 8],
}

function fractionRules(lexicon: Lexicon): readonly Rule[] {
  return [
    rule(new RegExp(`(?:(\\d+)\\s?)?([${Object.keys(FRACTION_SIGNS).join('')}])`, 'g'), (whole = '', sign = '') => {
      const [part, of] = FRACTION_SIGNS[sign] ?? [1, 2]
      return `${lexicon.fraction(whole, part, of)}`
    }),
    rule(
      /(?<![\p{L}\d/.,-])((?:(\d+)\s)?(\d{1,2})\/(\d{1,2}))(?![\p{L}\d/%])/gu,
      (written = '', whole = '', part = '', of = '') =>
        (Number(part) > 0 && Number(part) < 20 && lexicon.fraction(whole, Number(part), Number(of))) || written,
    ),
  ]
}

/** Four figures of a byte each, none with a leading zero. */
function isInternetAddress(number: string): boolean {
  const parts = number.split('.')
  return parts.length === 4 && parts.every((part) => String(Number(part)) === part && Number(part) <= 255)
}
