/** A rewriting of written forms into words. The pattern is global; nothing it matches may be empty. */
export interface Rule {
  readonly pattern: RegExp
  /** Gets the groups of the match; those that took no part are undefined. */
  readonly say: (...groups: readonly (string | undefined)[]) => string
}

/**
 * Amounts of one: whole phrase ("one cent"), because the numeral bends with the noun. More: the noun alone. Where nouns have
 * genders, the article of the one tells it.
 */
export type Counted = readonly [one: string, many: string]

export interface Currency {
  readonly major: Counted
  /** Hundredths; none for currencies that have none in use. */
  readonly minor?: Counted
}

/** What any language needs for addresses and names of the net. Words are spelt as the language spells them. */
export interface AddressWords {
  /** Signs inside addresses and file names. */
  readonly address: Readonly<Record<'.' | '/' | '-' | '_' | '@' | ':' | '~' | '+' | '%', string>>
  readonly hashtag: string
}

/** What a language calls the things that are written as signs. */
export interface Lexicon extends AddressWords {
  /** Decimal mark; the other of `.` and `,` groups thousands. */
  readonly decimal: '.' | ','
  /** Between the ends of a range: 10 *to* 15. */
  readonly to: string
  readonly about: string
  readonly and: string
  readonly equals: string
  readonly minus: string
  /** Between a price or a measure and what it is for: 5 dollars *per* month. */
  readonly per: string
  readonly numberSign: string
  readonly version: string
  /** Inside version numbers. */
  readonly point: string
  /** Names of other signs: × ÷ ± < … Those without a name are left to eSpeak. `x` is the sign between two figures. */
  readonly signs: Readonly<Record<string, string>>
  readonly months: readonly string[]
  readonly isMonthFirst: boolean
  /** `day` 1 to 31; `year` as written, or empty. */
  date(day: number, month: string, year: string): string
  /** `hours` 0 to 23 as written; `minutes` are two digits, or empty. */
  time(hours: number, minutes: string): string
  /** What follows a time of twelve hours ("de la tarde"), where the language does not say "a.m." itself. */
  dayPart?(hours: number, isAfternoon: boolean): string
  /** A vulgar fraction, after a whole number or none; undefined where it is no fraction that people name. */
  fraction(whole: string, part: number, of: number): string | undefined
  /** A number before a noun, where its last part bends with the noun. Gets figures as written. */
  count?(figures: string, isFeminine: boolean): string
  /** By the sign or code. */
  readonly currencies: Readonly<Record<string, Currency>>
  /** Joins an amount and its hundredths. */
  moneyAnd(major: string, minor: string): string
  /** Written after an amount of money, and how it is said before the currency: "$5M", "$5 million". */
  readonly magnitudes: Readonly<Record<string, Counted>>
  /** Of the magnitudes, those written after plain numbers, too: "10k followers". */
  readonly plainMagnitudes: Readonly<Record<string, string>>
  /** By the sign that follows a number. */
  readonly units: Readonly<Record<string, Counted>>
  /** Abbreviations and other habits of the language, applied in order, before everything but addresses. */
  readonly rules: readonly Rule[]
  /** Applied after everything else. */
  readonly lastRules: readonly Rule[]
}

/** A rule that says fixed words, in which `$1` … stand for groups of the pattern, or words made from the groups. */
export function rule(pattern: RegExp, words: string | Rule['say']): Rule {
  const say =
    typeof words === 'function'
      ? words
      : (...groups: readonly (string | undefined)[]) =>
          words.replace(/\$(\d)/g, (_, group) => groups[Number(group) - 1] ?? '')
  return { pattern, say }
}

/** An alternative of a pattern for each, longest first, so that `R$` is tried before `$`. */
export function alternatives(written: readonly string[]): string {
  return [...written]
    .sort((a, b) => b.length - a.length)
    .map((text) => text.replace(/[$.*+?^()[\]{}|\\/]/g, '\\$&'))
    .join('|')
}

/** A figure with a noun, bent as the language bends it. */
export function sayCounted(figures: string, [one, many]: Counted, lexicon: Lexicon): string {
  if (/^0*1$/.test(figures)) return one
  return `${lexicon.count?.(figures, /^(?:un[ae]\s|uma\s|un')/.test(one)) ?? figures} ${many}`
}

/** Where a national telephone number may begin: not inside another number, nor behind a country's code. */
export const BEFORE_PHONE = '(?<![\\d.,+/-]|\\+\\d{1,3}[ .-](?:\\(?\\d{1,3}\\)?[ .-])?)'

/** Digit by digit, with a pause between the groups. */
export function sayDigits(written = '', plus = '+'): string {
  const groups = written.match(/\d+/g) ?? []
  return (written.startsWith('+') ? `${plus} ` : '') + groups.map((group) => [...group].join(' ')).join(', ')
}

/** An abbreviation for each word: `Dr` → "doctor " wherever "Dr." stands. */
export function abbreviations(words: Readonly<Record<string, string>>): Rule {
  return rule(
    new RegExp(`(?<![\\p{L}\\p{N}.])(${alternatives(Object.keys(words))})\\.(\\s?)(?=(\\p{L}|\\d)?)`, 'gu'),
    (short = '', space = '', next = '') => `${words[short]}${space || next ? ' ' : ''}`,
  )
}

/** From "one cent|cents". */
export function countedAll(table: Readonly<Record<string, string>>): Record<string, Counted> {
  return Object.fromEntries(Object.entries(table).map(([sign, words]) => [sign, counted(words)]))
}

/** From "one euro|euros, one cent|cents"; the hundredths may be missing. */
export function currencies(table: Readonly<Record<string, string>>): Record<string, Currency> {
  return Object.fromEntries(
    Object.entries(table).map(([sign, words]): [string, Currency] => {
      const [major = '', minor] = words.split(', ')
      return [sign, minor === undefined ? { major: counted(major) } : { major: counted(major), minor: counted(minor) }]
    }),
  )
}

function counted(words: string): Counted {
  const [one = '', many = one] = words.split('|')
  return [one, many]
}

/** Roman numerals of 1 to 39, which hold no letter beyond X: from there on they are as often words or initials. */
export const ROMANS: readonly string[] = ['', 'X', 'XX', 'XXX'].flatMap((tens) =>
  ['', 'I', 'II', 'III', 'IV', 'V', 'VI', 'VII', 'VIII', 'IX'].map((ones) => tens + ones),
)
