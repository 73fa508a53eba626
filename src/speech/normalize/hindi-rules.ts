import { BEFORE_PHONE, type Rule, rule, sayDigits } from './lexicon.ts'

const ORDINALS: Readonly<Record<string, string>> = { 1: 'पहल', 2: 'दूसर', 3: 'तीसर', 4: 'चौथ', 6: 'छठ' }
const PARTS: Readonly<Record<number, string>> = { 2: 'आधा', 3: 'तिहाई', 4: 'चौथाई' }

/**
 * What Hindi writes shorter than it speaks. Word edges are written out: `\b` knows only ASCII letters, and vowel signs are
 * marks.
 */
export const HINDI_RULES: readonly Rule[] = [
  short('डॉ', 'डॉक्टर'),
  short('प्रो', 'प्रोफ़ेसर'),
  short('पं', 'पंडित'),
  short('कु', 'कुमारी'),
  short('श्रीमति', 'श्रीमती'),
  short('स्व', 'स्वर्गीय'),
  short('इं', 'इंजीनियर'),
  short('एड', 'एडवोकेट'),
  short('मो', 'मोबाइल', '(?=\\+?\\d)'),
  short('मो', 'मोहम्मद', '(?=\\p{Script=Devanagari})'),
  short('फ़ो', 'फ़ोन', '(?=\\+?\\d)'),
  short('सं', 'नंबर', '(?=\\d)'),
  short('नं', 'नंबर', '(?=\\d)'),
  short('क्र', 'क्रमांक', '(?=\\d)'),
  short('पृ', 'पृष्ठ', '(?=\\d)'),
  rule(/(?<![\p{L}\p{M}])ई\.\s?पू\./gu, 'ईसा पूर्व'),
  rule(/(?<=\d\s?)ई\.(?!\p{L})/gu, ' ईस्वी'),
  rule(/(?<![\p{L}\p{M}])सन्?\s(?=\d{4})/gu, 'सन '),
  rule(new RegExp(`${BEFORE_PHONE}([1-9]\\d{9}|[1-9]\\d{4}[ -]\\d{5})(?!\\d)`, 'g'), (number = '') =>
    sayDigits(number.replace(/^(\d{5})[ -]?/, '$1 ')),
  ),
  // On the hour, and a quarter past, half past and a quarter to it.
  rule(
    /(?<![\d:.,])(0?[1-9]|1[0-2]):(00|15|30|45)\s(?=बजे(?![\p{L}\p{M}]))/gu,
    (hours = '', minutes = '') => `${sayQuarter(Number(hours), minutes)} `,
  ),
  rule(
    /(?<![\d:.,])([01]?\d|2[0-3]):([0-5]\d)\sबजे(?![\p{L}\p{M}])/gu,
    (hours = '', minutes = '') => `${Number(hours)} बजकर ${Number(minutes)} मिनट पर`,
  ),
  rule(
    /(?<![\d:.,])(\d{1,2})(?::([0-5]\d))?\s?(?:[Aa]\.?[Mm]\b\.?)/g,
    (hours = '', minutes = '') => `सुबह ${hours}${minutes && `:${minutes}`}${minutes ? '' : ' बजे'}`,
  ),
  rule(
    /(?<![\d:.,])(\d{1,2})(?::([0-5]\d))?\s?(?:[Pp]\.?[Mm]\b\.?)/g,
    (hours = '', minutes = '') =>
      `${partOfDay(Number(hours))} ${hours}${minutes && `:${minutes}`}${minutes ? '' : ' बजे'}`,
  ),
  // Ordinals in figures, with the ending the noun asks for; the first ones have stems of their own.
  rule(
    /(?<!\d)([12346])\s?-?(?:ल|र|थ|ठ|व)(ा|ाँ|ां|ी|ीं|े|ें)(?![\p{L}\p{M}])/gu,
    (number = '', ending = '') => `${ORDINALS[number]}${ending.charAt(0)}`,
  ),
  rule(/(?<!\d)([12346])(?:st|nd|rd|th)\b/g, (number = '') => `${ORDINALS[number]}ा`),
  rule(/(\d)(?:st|nd|rd|th)\b/g, '$1 वाँ'),
  rule(/(\d)-?(वाँ|वां|वीं|वें)(?![\p{L}\p{M}])/gu, '$1 $2'),
  rule(/(\d)\s?x(?=\s|$)/g, '$1 गुना'),
]

/** Half has a word of its own after a number: one and a half is डेढ़, two and a half ढाई, from there on साढ़े. */
export function hindiFraction(whole: string, part: number, of: number): string | undefined {
  if (part >= of || of < 2) return undefined
  if (whole !== '' && part === 1 && of === 2) return whole === '1' ? 'डेढ़' : whole === '2' ? 'ढाई' : `साढ़े ${whole}`
  if (whole !== '' && part === 1 && of === 4) return `सवा ${whole}`
  const name = PARTS[of]
  const bare = of === 2 ? 'आधा' : name ? `${part === 1 ? 'एक' : part} ${name}` : `${part} बटा ${of}`
  return whole === '' ? bare : `${whole} सही ${bare}`
}

function sayQuarter(hours: number, minutes: string): string {
  if (minutes === '00') return String(hours)
  if (minutes === '15') return `सवा ${hours}`
  if (minutes === '45') return `पौने ${(hours % 12) + 1}`
  return hours === 1 ? 'डेढ़' : hours === 2 ? 'ढाई' : `साढ़े ${hours}`
}

function partOfDay(hours: number): string {
  if (hours === 12 || hours <= 3) return 'दोपहर'
  return hours <= 7 ? 'शाम' : 'रात'
}

function short(letters: string, word: string, before = ''): Rule {
  return rule(new RegExp(`(?<![\\p{L}\\p{M}.])${letters}\\.\\s?${before}`, 'gu'), `${word} `)
}
