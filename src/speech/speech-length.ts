/** A figure or sign is spoken as a word: "2024" has the sounds of twenty letters. */
const WORD_WEIGHT = 5
/** Han and Hangul characters are syllables, some of them two. */
const SYLLABLE_WEIGHT = 3
/** Kana are a consonant and a vowel. */
const KANA_WEIGHT = 2

/**
 * How long a text is to speak, in letters: figures and signs count as the words they are read as, runs of white space as
 * one letter. An estimate, for cutting and reckoning; the model counts phonemes.
 */
export function speechLength(text: string, start = 0, end = text.length): number {
  let length = 0
  for (let index = start; index < end; index++) length += weightAt(text, index)
  return length
}

/** Letters that are spoken in a second, on average over languages written with an alphabet. */
const LETTERS_PER_SECOND = 15

/** About how long a text lasts at normal speed. */
export function speechSeconds(text: string): number {
  return speechLength(text) / LETTERS_PER_SECOND
}

/** The furthest index such that text[0, index) is at most `lengthMax` letters long to speak. */
export function reach(text: string, lengthMax: number): number {
  let length = 0
  for (let index = 0; index < text.length; index++) {
    length += weightAt(text, index)
    if (length > lengthMax) return index
  }
  return text.length
}

function weightAt(text: string, index: number): number {
  const code = text.charCodeAt(index)
  if (isSpace(code)) return index > 0 && isSpace(text.charCodeAt(index - 1)) ? 0 : 1
  if (code < 0x80) return ASCII_WORDS.has(code) ? WORD_WEIGHT : 1
  const character = text.charAt(index)
  if (/[\p{Nd}£€¥₹°]/u.test(character)) return WORD_WEIGHT
  if (/[\p{Script=Han}\p{Script=Hangul}]/u.test(character)) return SYLLABLE_WEIGHT
  return /[\p{Script=Hiragana}\p{Script=Katakana}]/u.test(character) ? KANA_WEIGHT : 1
}

const ASCII_WORDS = new Set(Array.from('0123456789%$+=&@#/\\_~^*|<>', (character) => character.charCodeAt(0)))

function isSpace(code: number): boolean {
  return code === 0x20 || (code >= 0x09 && code <= 0x0d) || (code >= 0x80 && /\s/.test(String.fromCharCode(code)))
}
