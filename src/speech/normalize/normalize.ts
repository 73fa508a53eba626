import { addressWordsOf } from './address-words.ts'
import { addressRules } from './addresses.ts'
import { dateRules } from './dates.ts'
import { american, british } from './english.ts'
import { french } from './french.ts'
import { hindi } from './hindi.ts'
import { italian } from './italian.ts'
import type { Lexicon, Rule } from './lexicon.ts'
import { moneyRules } from './money.ts'
import { groupingRules, numberRules } from './numbers.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'
import { TracedText } from './traced-text.ts'

const LEXICONS: Readonly<Partial<Record<string, Lexicon>>> = {
  'en-us': american,
  'en-gb': british,
  es: spanish,
  fr: french,
  it: italian,
  'pt-br': portuguese,
  hi: hindi,
}

const rules = new Map<string, readonly Rule[]>()

/**
 * Writes out what a reader says differently from how it is written and what eSpeak misreads: money, dates, times, ranges,
 * units, addresses, abbreviations. Plain numbers stay digits: eSpeak reads them in every language. Takes one cleaned
 * sentence (see `cleanText`). A language without a lexicon gets what needs none: addresses, file names, tags.
 */
export function normalizeSentence(sentence: string, pronunciation: string): string {
  return normalizeTraced(TracedText.of(sentence), pronunciation).text
}

/** The same, and remembers where each word was written. */
export function normalizeTraced(sentence: TracedText, pronunciation: string): TracedText {
  return rulesFor(pronunciation)
    .reduce((text, { pattern, say }) => text.replace(pattern, (_, ...groups) => say(...groups)), sentence)
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?…)”]+(?:\s|$))/g, '')
    .trim()
}

/** Order matters: addresses and dates hold signs that later rules would take for ranges and fractions. */
function rulesFor(pronunciation: string): readonly Rule[] {
  const known = rules.get(pronunciation)
  if (known) return known
  const lexicon = LEXICONS[pronunciation]
  const built = lexicon ? everyRule(lexicon) : addressRules(addressWordsOf(pronunciation))
  rules.set(pronunciation, built)
  return built
}

function everyRule(lexicon: Lexicon): readonly Rule[] {
  return [
    ...addressRules(lexicon),
    ...lexicon.rules,
    ...groupingRules(lexicon),
    ...dateRules(lexicon),
    ...moneyRules(lexicon),
    ...numberRules(lexicon),
    ...lexicon.lastRules,
  ]
}
