import type { Pronunciation } from '../task-protocol.ts'
import { addressRules } from './addresses.ts'
import { dateRules } from './dates.ts'
import { american, british } from './english.ts'
import { french } from './french.ts'
import { hindi } from './hindi.ts'
import { italian } from './italian.ts'
import type { Lexicon, Rule } from './lexicon.ts'
import { moneyRules } from './money.ts'
import { numberRules } from './numbers.ts'
import { portuguese } from './portuguese.ts'
import { spanish } from './spanish.ts'

/** Languages without one are left to eSpeak. */
const LEXICONS: Readonly<Partial<Record<Pronunciation, Lexicon>>> = {
  'en-us': american,
  'en-gb': british,
  es: spanish,
  fr: french,
  it: italian,
  'pt-br': portuguese,
  hi: hindi,
}

const rules = new Map<Pronunciation, readonly Rule[]>()

/**
 * Writes out what a reader says differently from how it is written and what eSpeak misreads: money, dates, times, ranges,
 * units, addresses, abbreviations. Plain numbers stay digits: eSpeak reads them in every language. Takes one cleaned
 * sentence (see `cleanText`).
 */
export function normalizeSentence(sentence: string, pronunciation: Pronunciation): string {
  return rulesFor(pronunciation)
    .reduce((text, { pattern, say }) => text.replace(pattern, (_, ...groups) => say(...groups)), sentence)
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:!?…)”]+(?:\s|$))/g, '')
    .trim()
}

/** Order matters: addresses and dates hold signs that later rules would take for ranges and fractions. */
function rulesFor(pronunciation: Pronunciation): readonly Rule[] {
  const known = rules.get(pronunciation)
  if (known) return known
  const lexicon = LEXICONS[pronunciation]
  if (lexicon === undefined) return []
  const built = [
    ...addressRules(lexicon),
    ...lexicon.rules,
    ...dateRules(lexicon),
    ...moneyRules(lexicon),
    ...numberRules(lexicon),
    ...lexicon.lastRules,
  ]
  rules.set(pronunciation, built)
  return built
}
