import { divide, type PlacedWord } from './placed-words.ts'

/**
 * Words of a text written without spaces, cut by Unicode's segmentation. They share the symbols of their clause by what a
 * character usually sounds like: a Chinese one is a syllable, a figure a word. Where text and speech have different
 * numbers of clauses, all words share all symbols.
 */
export function unspacedWords(text: string, language: string, phonemes: string): PlacedWord[] {
  const segmenter = new Intl.Segmenter(language, { granularity: 'word' })
  const clauses = text
    .split(TEXT_MARKS)
    .map((clause) =>
      Array.from(segmenter.segment(clause))
        .filter(({ isWordLike }) => isWordLike)
        .map(({ segment }) => ({ word: segment, weight: weightOf(segment) })),
    )
    .filter((words) => words.length > 0)
  const spans = Array.from(phonemes.matchAll(SPOKEN), ({ 0: symbols, index }) => ({
    from: index,
    to: index + symbols.length,
  }))
  if (spans.length === 0 || clauses.length === 0) return []
  if (clauses.length !== spans.length)
    return divide(clauses.flat(), { from: spans[0]?.from ?? 0, to: spans.at(-1)?.to ?? 0 })
  return clauses.flatMap((words, index) => divide(words, spans[index] ?? { from: 0, to: 0 }))
}

const TEXT_MARKS = /[，。、！？；：…—,;:!?()（）「」『』“”"\n]+|\.(?=\s|$)/u
/** A stretch of phonemes without marks. */
const SPOKEN = /[^\s.,;:!?…—"“”()][^.,;:!?…—"“”()]*(?<=\S)/g

function weightOf(word: string): number {
  return Array.from(word).reduce((sum, character) => {
    if (/\p{Script=Han}|\p{N}/u.test(character)) return sum + 3
    return sum + (/[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character) ? 2 : 1)
  }, 0)
}
