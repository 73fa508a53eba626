import type { Pronunciation, WordSpan } from '../task-protocol.ts'
import { alignPhonemes, type SymbolSpan } from './phoneme-alignment.ts'
import { divide, type PlacedWord } from './placed-words.ts'
import { unspacedWords } from './unspaced-words.ts'
import { writtenWords } from './written-words.ts'

/** Phonemes of a text by itself. */
export type SayAlone = (text: string, pronunciation: Pronunciation) => string

/** Frames of each token, with the boundaries before the first and after the last. */
export interface TokenDurations {
  /** As the model would have them. */
  readonly natural: Float32Array
  /** As they are spoken, faster or slower. */
  readonly paced: Int32Array
}

/**
 * The model sounds a token a little before the frames it counts for it, as the aligner did that it was trained with: in speech
 * as it comes out, closures begin 3 to 4 frames before the frames of their word, sounds after a silence 1 to 2. The model's
 * own pipeline takes off 3, too.
 */
const STARTS_EARLIER = 3
const ENDS_EARLIER = 2

/**
 * When each word of a text is spoken. `phonemes`: the whole text, one symbol a token of the model. Words that aren't spoken, as those in a script that
 * the language can't read, are left out. In order, none overlaps the next.
 */
export function wordFrames(
  text: string,
  pronunciation: Pronunciation,
  phonemes: string,
  { natural, paced }: TokenDurations,
  sayAlone: SayAlone,
): WordSpan[] {
  const spans = UNSPACED.has(pronunciation)
    ? unspacedWords(text, pronunciation, phonemes)
    : spacedWords(text, pronunciation, phonemes, sayAlone)
  const starts = startsOf(paced)
  const stretch = sumOf(paced) / sumOf(natural)
  // The first token is the boundary.
  const startOf = ({ from }: PlacedWord) => Math.max(0, (starts[from + 1] ?? 0) - STARTS_EARLIER * stretch)
  return spans.map((span, index) => {
    const next = spans[index + 1]
    const from = startOf(span)
    const end = (starts[span.to + 1] ?? 0) - ENDS_EARLIER * stretch
    return { word: span.word, from, to: Math.max(from, Math.min(end, next ? startOf(next) : end)) }
  })
}

/** Written without spaces, and read with a dictionary, which no word alone can be. */
const UNSPACED: ReadonlySet<string> = new Set(['ja', 'zh'])

function spacedWords(text: string, pronunciation: Pronunciation, phonemes: string, sayAlone: SayAlone): PlacedWord[] {
  const said = writtenWords(text, pronunciation)
    .map(({ words, spoken }) => ({ words, alone: sayAlone(spoken, pronunciation) }))
    .filter(({ alone }) => /\p{L}/u.test(alone))
  const spans = alignPhonemes(
    phonemes,
    said.map(({ alone }) => alone),
  )
  return shareOut(
    said.flatMap(({ words, alone }, index) =>
      words.map((word, part) => ({
        word,
        weight: alone.length / words.length,
        span: part === 0 ? spans[index] : undefined,
      })),
    ),
  )
}

/** Words of which nothing was found share the symbols of the found word before them, or else of the one behind them. */
function shareOut(
  words: readonly { readonly word: string; readonly weight: number; readonly span: SymbolSpan | undefined }[],
): PlacedWord[] {
  const groups: { words: { word: string; weight: number }[]; span?: SymbolSpan }[] = []
  for (const { word, weight, span } of words) {
    const last = groups.at(-1)
    if (last === undefined || (last.span !== undefined && span !== undefined))
      groups.push({ words: [{ word, weight }], ...(span && { span }) })
    else {
      last.words.push({ word, weight })
      if (span) last.span = span
    }
  }
  return groups.flatMap((group) => (group.span ? divide(group.words, group.span) : []))
}

function sumOf(durations: Float32Array | Int32Array): number {
  let sum = 0
  for (const duration of durations) sum += duration
  return sum
}

/** First frame of every token, and the number of all frames. */
function startsOf(durations: Int32Array): Int32Array {
  const starts = new Int32Array(durations.length + 1)
  durations.forEach((duration, token) => {
    starts[token + 1] = (starts[token] ?? 0) + duration
  })
  return starts
}
