/** What a text is written in: Latin letters, or a script that gives its language away (a code of the catalog). */
export type Script = 'latin' | (typeof SCRIPT_LANGUAGES)[number][0]

/**
 * Scripts and the language most texts in them are in. Kana stands before Han: Japanese mixes both, Chinese has no kana.
 */
const SCRIPT_LANGUAGES = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu],
  ['zh', /\p{Script=Han}/gu],
  ['ko', /\p{Script=Hangul}/gu],
  ['hi', /\p{Script=Devanagari}/gu],
  ['ru', /\p{Script=Cyrillic}/gu],
  ['arb', /\p{Script=Arabic}/gu],
  ['el', /\p{Script=Greek}/gu],
  ['th', /\p{Script=Thai}/gu],
  ['he', /\p{Script=Hebrew}/gu],
  ['bn', /\p{Script=Bengali}/gu],
  ['ta', /\p{Script=Tamil}/gu],
  ['te', /\p{Script=Telugu}/gu],
  ['gu', /\p{Script=Gujarati}/gu],
  ['pa', /\p{Script=Gurmukhi}/gu],
  ['kn', /\p{Script=Kannada}/gu],
  ['ml', /\p{Script=Malayalam}/gu],
  ['si', /\p{Script=Sinhala}/gu],
  ['my', /\p{Script=Myanmar}/gu],
  ['km', /\p{Script=Khmer}/gu],
  ['lo', /\p{Script=Lao}/gu],
  ['bo', /\p{Script=Tibetan}/gu],
  ['ka', /\p{Script=Georgian}/gu],
  ['hy', /\p{Script=Armenian}/gu],
  ['am', /\p{Script=Ethiopic}/gu],
  ['dv', /\p{Script=Thaana}/gu],
] as const

/** Enough to tell, and bounded: twenty-odd passes over 10,000 characters would cost milliseconds. */
const SAMPLE_LENGTH_MAX = 2_000

/** The script most letters of the text belong to; undefined when there are no letters. */
export function dominantScript(text: string): Script | undefined {
  const sample = text.slice(0, SAMPLE_LENGTH_MAX)
  const latin = count(sample, /\p{Script=Latin}/gu)
  if (latin > sample.length / 2) return 'latin'
  let dominant: Script | undefined = latin > 0 ? 'latin' : undefined
  let most = latin
  for (const [script, letters] of SCRIPT_LANGUAGES) {
    const own = count(sample, letters)
    // Kanji count towards Japanese as soon as there is any kana.
    const letterCount = script === 'ja' && own > 0 ? own + count(sample, /\p{Script=Han}/gu) : own
    if (letterCount > most) {
      dominant = script
      most = letterCount
    }
  }
  return dominant
}

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0
}
