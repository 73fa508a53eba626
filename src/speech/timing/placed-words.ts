import type { SymbolSpan } from './phoneme-alignment.ts'

/** A word and its symbols. */
export interface PlacedWord extends SymbolSpan {
  readonly word: string
}

/** Divides symbols among words in proportion to their weights. */
export function divide(
  words: readonly { readonly word: string; readonly weight: number }[],
  { from, to }: SymbolSpan,
): PlacedWord[] {
  const total = words.reduce((sum, { weight }) => sum + weight, 0)
  let sum = 0
  let start = from
  return words.map(({ word, weight }) => {
    sum += weight
    const end = from + Math.round(((to - from) * sum) / total)
    const placed = { word, from: start, to: end }
    start = end
    return placed
  })
}
