import type { SpokenPart } from '../task-protocol.ts'
import { cleanEastAsianText, LATIN_WORD, PAUSE_MARK } from './east-asian-text.ts'
import { readCounted } from './japanese-counters.ts'
import { digitByDigit, JAPANESE_NUMBER, readJapaneseNumber } from './japanese-numbers.ts'
import { rewriteJapanese } from './japanese-rules.ts'
import { kanaPhonemes, toKatakana } from './kana.ts'
import { joinWords, type SpokenWord } from './spoken-words.ts'

/** A word as the dictionary knows it. */
export interface JapaneseWord {
  readonly surface: string
  /** Sound in katakana, particles as they are said (は is ワ); undefined for words that are not in the dictionary. */
  readonly pronunciation: string | undefined
  /** In the dictionary's terms: 名詞, 助詞 … and its first subdivision. */
  readonly partOfSpeech: string
  readonly subcategory: string
}

/** Cuts a text into the words of a dictionary, in order; only white space is left out. */
export type JapaneseAnalyzer = (text: string) => readonly JapaneseWord[]

/**
 * Reads a Japanese text: words get the sounds of the dictionary, numbers those their counters call for, particles and
 * endings are said with the word before them, and words in Latin letters are left to English.
 */
export function readJapanese(text: string, analyze: JapaneseAnalyzer): SpokenPart[] {
  const clean = rewriteJapanese(cleanEastAsianText(text))
  return joinWords(spokenWords(clean, placeWords(clean, analyze(clean))))
}

interface PlacedWord extends JapaneseWord {
  readonly start: number
  readonly end: number
}

function placeWords(text: string, words: readonly JapaneseWord[]): PlacedWord[] {
  let from = 0
  return words.flatMap((word) => {
    const start = text.indexOf(word.surface, from)
    if (start === -1) return []
    from = start + word.surface.length
    return [{ ...word, start, end: from }]
  })
}

function* spokenWords(text: string, words: readonly PlacedWord[]): Generator<SpokenWord> {
  const ends = new Set(words.map(({ end }) => end))
  let from = 0
  let kanaBefore = ''
  for (const word of words) {
    if (word.start < from) continue
    const latin = matchAt(LATIN_WORD, text, word.start)
    const number = latin === undefined ? numberAt(text, word, ends) : undefined
    from = word.end
    if (latin !== undefined) {
      from = word.start + latin.length
      yield { kind: 'latin', text: latin }
      kanaBefore = ''
    } else if (number !== undefined) {
      from = number.end
      yield { kind: 'sound', phonemes: kanaPhonemes(number.kana), glued: false }
      kanaBefore = number.kana
    } else if (PAUSE_MARK.test(word.surface)) {
      yield { kind: 'mark', mark: word.surface }
      kanaBefore = ''
    } else {
      const kana = soundOf(word, kanaBefore)
      const phonemes = kanaPhonemes(kana)
      if (phonemes !== '') yield { kind: 'sound', phonemes, glued: isGlued(word) || kana === 'ー' }
      kanaBefore = kana
    }
  }
}

/** A number that begins with this word. Single figures in kanji are often part of a name: they need a counter. */
function numberAt(text: string, word: PlacedWord, ends: ReadonlySet<number>) {
  const isKanji = word.partOfSpeech === '名詞' && word.subcategory === '数' && !/^\d/.test(word.surface)
  if (!isKanji && !/^\d/.test(word.surface)) return undefined
  let written = matchAt(JAPANESE_NUMBER, text, word.start)
  while (written !== undefined && !ends.has(word.start + written.length)) written = written.slice(0, -1) || undefined
  if (written === undefined) return undefined
  const end = word.start + written.length
  const counted = readCounted(text, written, end, (index) => ends.has(index))
  if (counted !== undefined) return counted
  if (isKanji && written.length === 1) return undefined
  // A telephone number, or one that was cut out of a longer word.
  return {
    end,
    kana: /^\d{8,}$/.test(written) && written.startsWith('0') ? digitByDigit(written) : readJapaneseNumber(written),
  }
}

function soundOf(word: PlacedWord, kanaBefore: string): string {
  const kana = word.pronunciation ?? toKatakana(word.surface)
  if (/^ー+$/.test(kana)) return kanaBefore === '' ? '' : 'ー'
  // The う of a will or an offer draws the vowel before it out: 行こう, しましょう.
  return kana === 'ウ' && /[オコソトノホモヨロゴゾドボポョ]$/.test(kanaBefore) ? 'ー' : kana
}

function isGlued({ partOfSpeech, subcategory }: PlacedWord): boolean {
  return partOfSpeech === '助詞' || partOfSpeech === '助動詞' || (partOfSpeech === '動詞' && subcategory === '接尾')
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0]
}
