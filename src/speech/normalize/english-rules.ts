import { type Counted, type Rule, rule, sayDigits } from './lexicon.ts'

export const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
]
const MONTH = 'Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec'
const ROUND: Readonly<Record<number, string>> = { 2: 'hundredth', 3: 'thousandth', 6: 'millionth' }
const NAMED = MONTHS.join('|')
const DECADES = [
  'hundreds',
  'tens',
  'twenties',
  'thirties',
  'forties',
  'fifties',
  'sixties',
  'seventies',
  'eighties',
  'nineties',
]
const FRACTIONS: Readonly<Record<number, Counted>> = {
  2: ['one half', 'halves'],
  3: ['one third', 'thirds'],
  4: ['one quarter', 'quarters'],
  5: ['one fifth', 'fifths'],
  6: ['one sixth', 'sixths'],
  7: ['one seventh', 'sevenths'],
  8: ['one eighth', 'eighths'],
  9: ['one ninth', 'ninths'],
  10: ['one tenth', 'tenths'],
  12: ['one twelfth', 'twelfths'],
  16: ['one sixteenth', 'sixteenths'],
}

/** Titles before a name, with or without a full stop. */
const TITLES: Readonly<Record<string, string>> = {
  Mr: 'Mister',
  Mrs: 'Missus',
  Ms: 'Miz',
  Dr: 'Doctor',
  Prof: 'Professor',
  St: 'Saint',
  Mt: 'Mount',
}

/** These without a full stop may be other words: "Gen Z". */
const STOPPED_TITLES: Readonly<Record<string, string>> = {
  Drs: 'Doctors',
  Ste: 'Saint',
  Ft: 'Fort',
  Rev: 'Reverend',
  Fr: 'Father',
  Gen: 'General',
  Col: 'Colonel',
  Maj: 'Major',
  Capt: 'Captain',
  Cmdr: 'Commander',
  Lt: 'Lieutenant',
  Sgt: 'Sergeant',
  Gov: 'Governor',
  Sen: 'Senator',
  Rep: 'Representative',
  Hon: 'Honorable',
  Pres: 'President',
  Messrs: 'Messieurs',
  Cpl: 'Corporal',
  Adm: 'Admiral',
  Supt: 'Superintendent',
  Sr: 'Sister',
  Br: 'Brother',
}

const STREETS: Readonly<Record<string, string>> = {
  St: 'Street',
  Dr: 'Drive',
  Ave: 'Avenue',
  Blvd: 'Boulevard',
  Rd: 'Road',
  Ln: 'Lane',
  Ct: 'Court',
  Pl: 'Place',
  Hwy: 'Highway',
  Pkwy: 'Parkway',
  Sq: 'Square',
}

const WORDS: Readonly<Record<string, string>> = {
  'e.g': 'for example',
  'i.e': 'that is',
  etc: 'etcetera',
  viz: 'namely',
  'et al': 'and others',
  govt: 'government',
  assn: 'association',
  intl: 'international',
  misc: 'miscellaneous',
  avg: 'average',
  max: 'maximum',
  encl: 'enclosed',
  mfg: 'manufacturing',
  univ: 'university',
  esq: 'Esquire',
  vs: 'versus',
  approx: 'approximately',
  dept: 'department',
  jr: 'Junior',
  sr: 'Senior',
  inc: 'Incorporated',
  ltd: 'Limited',
  corp: 'Corporation',
  bros: 'Brothers',
  cf: 'compare',
}

const BEFORE_NUMBER: Readonly<Record<string, string>> = {
  no: 'number',
  nos: 'numbers',
  p: 'page',
  pp: 'pages',
  vol: 'volume',
  ch: 'chapter',
  chap: 'chapter',
  art: 'article',
  par: 'paragraph',
  vols: 'volumes',
  eq: 'equation',
  ver: 'version',
  tel: 'telephone',
  rm: 'room',
  est: 'established',
  nr: 'number',
  sec: 'section',
  fig: 'figure',
  figs: 'figures',
  ext: 'extension',
  apt: 'apartment',
  c: 'circa',
  ca: 'circa',
}

const ROMANS = [
  'I',
  'II',
  'III',
  'IV',
  'V',
  'VI',
  'VII',
  'VIII',
  'IX',
  'X',
  'XI',
  'XII',
  'XIII',
  'XIV',
  'XV',
  'XVI',
  'XVII',
  'XVIII',
  'XIX',
  'XX',
]
const NUMBERED =
  'Chapter|Part|Act|Scene|War|Volume|Vol|Book|Section|Phase|Type|Level|Episode|Title|Article|Appendix|Grade|Class|Stage|Bowl|Figure|Table|Rocky|Final Fantasy'

/** What English writes shorter than it speaks: titles, streets, abbreviations, Roman numerals, fractions. */
export const ENGLISH_RULES: readonly Rule[] = [
  // "Elm Dr." against "Dr. Elm": a street's word follows a name, and no name follows it.
  rule(
    new RegExp(`(?<=(?:\\p{Lu}[\\p{L}'-]*|\\d(?:st|nd|rd|th))\\s)(${keys(STREETS)})(?:\\.|(?=,))(?!\\s\\p{Lu})`, 'gu'),
    (word = '') => STREETS[word] ?? word,
  ),
  rule(new RegExp(`\\b(${keys(TITLES)})(?:\\.\\s?|\\s)(?=\\p{Lu})`, 'gu'), (title = '') => `${TITLES[title]} `),
  rule(new RegExp(`\\b(${keys(STOPPED_TITLES)})\\.\\s?(?=\\p{Lu})`, 'gu'), (title = '') => `${STOPPED_TITLES[title]} `),
  rule(/\bDr\./g, 'Doctor'),
  rule(/\bSt\./g, 'Saint'),
  rule(
    new RegExp(`\\b(${keys(BEFORE_NUMBER)})\\.\\s?(?=\\d)`, 'gi'),
    (word = '') => `${BEFORE_NUMBER[word.toLowerCase()]} `,
  ),
  rule(
    new RegExp(`(?<![\\p{L}.])(${keys(WORDS)})\\.(?!\\p{L})`, 'giu'),
    (word = '') => WORDS[word.toLowerCase()] ?? word,
  ),
  rule(/\bvs\b/g, 'versus'),
  rule(
    /\b(Mon|Tues?|Wed|Thur?s?|Fri|Sat|Sun)(?:\.(?=,?\s)|(?=,\s(?:\d|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec))))/g,
    dayNamed,
  ),
  rule(new RegExp(`\\b(${MONTH})\\.?\\s(?=\\d)`, 'g'), (month = '') => `${monthNamed(month)} `),
  rule(new RegExp(`(?<=\\d(?:st|nd|rd|th)?\\s(?:of\\s)?)(${MONTH})\\b\\.?`, 'g'), monthNamed),
  // "15 March" is spoken "the 15th of March", "March 15" "March 15th"; of a range of days both ends.
  rule(
    new RegExp(`\\b(${NAMED})\\s(\\d{1,2})\\s?[-–]\\s?(\\d{1,2})(?![\\d:.]|(?:st|nd|rd|th)\\b)`, 'g'),
    (month = '', from = '', to = '') => `${month} ${dayOf(from)} to ${dayOf(to)}`,
  ),
  rule(
    new RegExp(`\\b(${NAMED})\\s(\\d{1,2})(?![\\d:%]|[.,]\\d|(?:st|nd|rd|th)\\b|\\s?[ap]\\.?m)`, 'g'),
    (month = '', day = '') => `${month} ${dayOf(day)}`,
  ),
  rule(
    new RegExp(`(?<![\\d:.,/-])(\\d{1,2})\\s?[-–]\\s?(\\d{1,2})\\s(?=(?:${NAMED})\\b)`, 'g'),
    (from = '', to = '') => `the ${dayOf(from)} to the ${dayOf(to)} of `,
  ),
  rule(
    new RegExp(`(\\b[Tt]he\\s)?(?<![\\d:.,/$£€-])(\\d{1,2})(?:st|nd|rd|th)?(?:\\s|\\sof\\s)(?=(?:${NAMED})\\b)`, 'g'),
    (the = '', day = '') => `${the || 'the '}${dayOf(day)} of `,
  ),
  rule(/\bPh\.?D\b\.?/g, 'P H D'),
  rule(/\bM\.D\./g, 'M D'),
  rule(/\b[Aa]\.?k\.?a\b\.?/g, 'also known as'),
  rule(/\bCo\.(?=,|\s|$)/g, 'Company'),
  rule(/\bb\/c\b/g, 'because'),
  rule(/\bc\/o\b/g, 'care of'),
  rule(/\bN\/A\b/gi, 'not applicable'),
  rule(/\b([Cc]all|[Dd]ial)\s(\d{3})\b(?!-)/g, (verb = '', number = '') => `${verb} ${sayDigits(number)}`),
  rule(/\b([A-G])\+\+/g, '$1 plus plus'),
  rule(/(?<=\d)x\b(?!\s?\d)/g, ' times'),
  rule(/(\d),(\d{3})(?=(?:,\d{3})*(?:st|nd|rd|th)\b)/g, '$1$2'),
  // eSpeak says "hundred th".
  rule(/(?<!\d)(\d+?)(00|000|000000)th\b/g, (many = '', zeros = '') => `${many} ${ROUND[zeros.length]}`),
  rule(/\bw\/o\b/g, 'without'),
  rule(/\bw\/\s?(?=\p{L})/gu, 'with '),
  rule(/\b([CF])#/g, '$1 sharp'),
  rule(/\b(24|9)\/(7|11)\b(?!\/)/g, '$1 $2'),
  rule(/\band\/or\b/g, 'and or'),
  rule(/(\d)'\s?(\d{1,2})"/g, '$1 foot $2'),
  // eSpeak reads "AM" as the word; after a figure it knows "am".
  rule(/(?<=\d)\s?([AaPp])\.?[Mm]\b\.?/g, (half = '') => ` ${half.toLowerCase()}m`),
  rule(/\b(\d{1,2}):00(?= [ap]m\b)/g, '$1'),
  rule(/\b(?:World War|WW)\s?(I{1,3})\b/g, (roman = '') => `World War ${roman.length}`),
  rule(
    new RegExp(`\\b(${NUMBERED})\\s(${ROMANS.join('|')})\\b`, 'g'),
    (noun = '', roman = '') => `${noun} ${ROMANS.indexOf(roman) + 1}`,
  ),
  rule(
    new RegExp(`(?<=\\b\\p{Lu}\\p{Ll}+\\s)(${ROMANS.filter((roman) => roman.length > 1).join('|')})\\b`, 'gu'),
    (roman = '') => `the ${ordinal(ROMANS.indexOf(roman) + 1)}`,
  ),
]

/** What is left of the figures 1100 to 1999 and 2010 to 2099 is read as years are, in two pairs; decades likewise. */
export const ENGLISH_LAST_RULES: readonly Rule[] = [
  rule(/(?<![\d.,])'?(1[1-9]|20)?(\d)0'?s\b/g, (century = '', tens = '') =>
    century === '20' && tens === '0' ? 'two thousands' : `${century} ${DECADES[Number(tens)]}`,
  ),
  rule(/(?<![\d.,/-])(1[1-9]|20)(\d\d)(?![\d%°]|[.,/-]\d|\s(?:dollars|pounds|euros|yen|rupees)\b)/g, sayYear),
]

export function ordinal(number: number): string {
  const isTeen = number % 100 >= 11 && number % 100 <= 13
  const suffix = isTeen ? 'th' : (['th', 'st', 'nd', 'rd'][number % 10] ?? 'th')
  return `${number}${suffix}`
}

function sayYear(century = '', rest = ''): string {
  if (rest === '00') return century === '20' ? '2000' : `${century} hundred`
  if (rest.startsWith('0')) return century === '20' ? `20${rest}` : `${century} oh ${rest.slice(1)}`
  return `${century} ${rest}`
}

export function fraction(whole: string, part: number, of: number): string | undefined {
  const names = FRACTIONS[of]
  if (!names || part >= of) return undefined
  return `${whole === '' ? '' : `${whole} and `}${part === 1 ? names[0] : `${part} ${names[1]}`}`
}

function dayOf(figures: string): string {
  const day = Number(figures)
  return day >= 1 && day <= 31 ? ordinal(day) : figures
}

function dayNamed(abbreviation = ''): string {
  const days = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday', 'Sunday']
  return days.find((day) => day.startsWith(abbreviation.slice(0, 3))) ?? abbreviation
}

function monthNamed(abbreviation = ''): string {
  return MONTHS.find((month) => month.startsWith(abbreviation.slice(0, 3))) ?? abbreviation
}

function keys(table: Readonly<Record<string, string>>): string {
  return Object.keys(table)
    .sort((a, b) => b.length - a.length)
    .map((key) => key.replaceAll('.', '\\.'))
    .join('|')
}
