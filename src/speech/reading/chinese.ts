import type { SpokenPart } from '../task-protocol.ts'
import { rewriteChinese } from './chinese-rules.ts'
import { cleanEastAsianText, LATIN_WORD, PAUSE_MARK } from './east-asian-text.ts'
import { pinyinPhonemes } from './pinyin-phonemes.ts'
import { joinWords, type SpokenWord } from './spoken-words.ts'

/** Syllables of Chinese characters in pinyin with tone numbers, one a character, tones changed as neighbours ask for. */
export type PinyinReader = (characters: string) => readonly string[]

const words = new Intl.Segmenter('zh', { granularity: 'word' })
const CHARACTERS = /[\p{Script=Han}〇]+/uy

/** Reads a Chinese text: numbers as Chinese says them, words apart, words in Latin letters left to English. */
export function readChinese(text: string, toPinyin: PinyinReader): SpokenPart[] {
  return joinWords(spokenWords(rewriteChinese(cleanEastAsianText(text)), toPinyin))
}

function* spokenWords(text: string, toPinyin: PinyinReader): Generator<SpokenWord> {
  let at = 0
  while (at < text.length) {
    const characters = matchAt(CHARACTERS, text, at)
    const latin = matchAt(LATIN_WORD, text, at)
    if (characters !== undefined) yield* spokenCharacters(characters, toPinyin)
    else if (latin !== undefined) yield { kind: 'latin', text: latin }
    else if (PAUSE_MARK.test(text.charAt(at))) yield { kind: 'mark', mark: text.charAt(at) }
    at += (characters ?? latin ?? text.charAt(at)).length
  }
}

/** The tones are looked up over the whole run, because they depend on the words around; then it is cut into words. */
function* spokenCharacters(characters: string, toPinyin: PinyinReader): Generator<SpokenWord> {
  const syllables = toPinyin(characters.replaceAll('〇', '零'))
  let at = 0
  for (const { segment } of words.segment(characters)) {
    const length = Array.from(segment).length
    const phonemes = syllables
      .slice(at, at + length)
      .map(pinyinPhonemes)
      .join('')
    if (phonemes !== '') yield { kind: 'sound', phonemes, glued: false }
    at += length
  }
}

function matchAt(pattern: RegExp, text: string, index: number): string | undefined {
  pattern.lastIndex = index
  return pattern.exec(text)?.[0]
}
