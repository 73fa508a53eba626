import { cleanTraced } from '../normalize/clean.ts'
import { normalizeTraced } from '../normalize/normalize.ts'
import { TracedText } from '../normalize/traced-text.ts'
import { findSentences } from '../sentences.ts'
import type { Pronunciation } from '../task-protocol.ts'

/**
 * Words as they are written, and what a reader says for them: `$12.50` is "12 dollars and 50 cents". Mostly one word; more
 * where what is said can't be told apart: `12,50 €`.
 */
export interface WrittenWords {
  readonly words: readonly string[]
  readonly spoken: string
}

/** The words of a text that are spoken, in order. A word is what stands between white space or dashes, marks and all. */
export function writtenWords(text: string, pronunciation: Pronunciation): WrittenWords[] {
  const pieces = Array.from(text.matchAll(PIECE), ({ 0: word, index }) => ({ word, start: index }))
  const units: Unit[] = []
  let next = 0
  for (const { spoken, start, end } of spokenTokens(text, pronunciation)) {
    while (next < pieces.length && endOf(pieces[next]) <= start) next += 1
    // What was said before may come from a later place: 5 € is "5 euros", € 5 as well.
    while (next > 0 && endOf(pieces[next - 1]) > start) next -= 1
    let last = next
    while (last + 1 < pieces.length && (pieces[last + 1]?.start ?? 0) < end) last += 1
    addToken(units, { from: next, to: last, spoken })
  }
  return units.map(({ from, to, spoken }) => {
    const words = pieces.slice(from, to + 1).map(({ word }) => word)
    const letters = words.filter((word) => !MARKS.test(word))
    return { words: letters.length === 0 ? words : letters, spoken }
  })
}

/** Marks that stand alone, as French ones do, are no words; alone they may be: 5 - 3 is "5 minus 3". */
const MARKS = /^(?:(?![%&@#§])\p{P})+$/u
const PIECE = /[^\s—]+/gu
const SAID = /[\p{L}\p{N}\p{S}%&@#§]/u

/** Words from `from` to `to`, both included. */
interface Unit {
  readonly from: number
  readonly to: number
  readonly spoken: string
}

/** Tokens that stand for some of the same words are said as one. */
function addToken(units: Unit[], token: Unit): void {
  let unit = token
  for (let last = units.at(-1); last !== undefined && last.to >= unit.from; last = units.at(-1)) {
    units.pop()
    const spoken = `${last.spoken} ${unit.spoken}`
    unit = { from: Math.min(last.from, unit.from), to: Math.max(last.to, unit.to), spoken }
  }
  units.push(unit)
}

interface SpokenToken {
  readonly spoken: string
  readonly start: number
  readonly end: number
}

function* spokenTokens(text: string, pronunciation: Pronunciation): Generator<SpokenToken> {
  for (const { start, end } of findSentences(text, pronunciation)) {
    const said = normalizeTraced(cleanTraced(TracedText.of(text.slice(start, end), start)), pronunciation)
    for (const { 0: spoken, index } of said.text.matchAll(PIECE)) {
      if (SAID.test(spoken)) yield { spoken, ...said.spanOf(index, index + spoken.length) }
    }
  }
}

function endOf(piece: { readonly word: string; readonly start: number } | undefined): number {
  return piece === undefined ? 0 : piece.start + piece.word.length
}
