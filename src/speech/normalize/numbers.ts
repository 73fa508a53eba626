import { type Lexicon, type Rule, rule } from './lexicon.ts'

/** Telephone and version numbers, ranges, units, and the signs beside numbers. */
export function numberRules(lexicon: Lexicon): readonly Rule[] {
  const units = Object.keys(lexicon.units).sort((a, b) => b.length - a.length)
  return [
    rule(/(?<![\p{L}\d.,/-])(\+\d{1,3}(?:[ .-]?\(?\d{2,4}\)?){2,5})(?![\d-])/gu, sayDigits),
    rule(/(?<![\p{L}\d.,/-])((?:1[ .-])?\(?\d{3}\)?[ .-]\d{3}[.-]\d{4}|\d{3}-\d{4})(?![\d-])/gu, sayDigits),
    rule(
      /(?<![\p{L}\d])v\.?(\d+(?:\.\d+)*)(?![\p{L}\d])/gu,
      (number = '') => `${lexicon.version} ${number.replaceAll('.', ` ${lexicon.point} `)}`,
    ),
    // Where a full stop groups thousands, four groups may be a number: an address has a shorter group in it.
    rule(/(?<![\d.,])(\d{1,3}(?:\.\d{1,3}){3})(?![\d.,]*\d)/g, (number = '') =>
      lexicon.decimal === ',' && /^\d+(?:\.\d{3})+$/.test(number)
        ? number
        : number.replaceAll('.', ` ${lexicon.address['.']} `),
    ),
    rule(/(?<![\d.,])(\d{1,2}\.\d{1,2}\.\d{1,2})(?![\d.,]*\d)/g, (number = '') =>
      number.replaceAll('.', ` ${lexicon.point} `),
    ),
    rule(
      /(?<![\p{L}\d.,/-])(\d+(?:[.,]\d+)?\s?(?:%|°C?)?)(?:[-–]|\s[–—]\s)(?=\d+(?:[.,]\d+)?(?![\d/-]))/gu,
      `$1 ${lexicon.to} `,
    ),
    rule(
      new RegExp(`(?<![\\p{L}\\d])(\\d+(?:[.,]\\d+)*)\\s?(${units.join('|')})(?![\\p{L}\\d/²³'°])`, 'gu'),
      (number = '', unit = '') => {
        const [one, many] = lexicon.units[unit] ?? ['', unit]
        return number === '1' ? one : `${number} ${many}`
      },
    ),
    ...(lexicon.decimal === ',' ? [rule(/(?<![\d.,])(\d+)\.(\d{1,2})(?![\d.,]*\d)/g, '$1,$2')] : []),
    rule(/#\s?(?=\d)/g, `${lexicon.numberSign} `),
    rule(/#(?=\p{L})/gu, `${lexicon.hashtag} `),
    rule(/\s*[~≈]\s*(?=[\d$£€])/g, ` ${lexicon.about} `),
    rule(/\s*&\s*/g, ` ${lexicon.and} `),
    rule(/\s*=\s*/g, ` ${lexicon.equals} `),
    rule(/\s@\s/g, ` ${lexicon.address['@']} `),
    rule(/[#@_~≈]+/g, ' '),
  ]
}

/** Digit by digit, with a pause between the groups. */
function sayDigits(written = ''): string {
  const groups = written.match(/\d+/g) ?? []
  return (written.startsWith('+') ? '+ ' : '') + groups.map((group) => [...group].join(' ')).join(', ')
}
