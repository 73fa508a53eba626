/** A rewriting of written forms into words. The pattern is global; nothing it matches may be empty. */
export interface Rule {
  readonly pattern: RegExp
  /** Gets the groups of the match; those that took no part are undefined. */
  readonly say: (...groups: readonly (string | undefined)[]) => string
}

/** Amounts of one: whole phrase ("one cent"), because the numeral bends with the noun. More: the noun alone. */
export type Counted = readonly [one: string, many: string]

export interface Currency {
  readonly major: Counted
  /** Hundredths; none for currencies that have none in use. */
  readonly minor?: Counted
}

/** What a language calls the things that are written as signs. Words are spelt as the language spells them. */
export interface Lexicon {
  /** Decimal mark; the other of `.` and `,` groups thousands. */
  readonly decimal: '.' | ','
  /** Between the ends of a range: 10 *to* 15. */
  readonly to: string
  readonly about: string
  readonly and: string
  readonly equals: string
  readonly numberSign: string
  readonly hashtag: string
  readonly version: string
  /** Inside version numbers. */
  readonly point: string
  /** Signs inside addresses. */
  readonly address: Readonly<Record<'.' | '/' | '-' | '_' | '@' | ':' | '~' | '+' | '%', string>>
  readonly months: readonly string[]
  readonly isMonthFirst: boolean
  date(day: number, month: string, year: string): string
  /** `hours` 0 to 23 as written; `minutes` are two digits. */
  time(hours: number, minutes: string): string
  /** By sign. */
  readonly currencies: Readonly<Record<string, Currency>>
  /** Joins an amount and its hundredths. */
  moneyAnd(major: string, minor: string): string
  /** Written after an amount of money, and how it is said before the currency: "$5M", "$5 million". */
  readonly magnitudes: Readonly<Record<string, string>>
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
