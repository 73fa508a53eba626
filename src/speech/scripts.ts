/** What a text is written in: Latin letters, or a script that gives its language away (a code of the catalog). */
export type Script = 'latin' | (typeof SCRIPT_LANGUAGES)[number][0] | (typeof CYRILLIC_LANGUAGES)[number][0]

/**
 * Scripts, the language most texts in them are in, and how many Latin letters one character stands for. Kana stands before
 * Han: Japanese mixes both, Chinese has no kana.
 */
const SCRIPT_LANGUAGES = [
  ['ja', /[\p{Script=Hiragana}\p{Script=Katakana}]/gu, 2],
  ['zh', /\p{Script=Han}/gu, 3],
  ['ko', /\p{Script=Hangul}/gu, 3],
  ['hi', /\p{Script=Devanagari}/gu, 1],
  ['ru', /\p{Script=Cyrillic}/gu, 1],
  ['arb', /\p{Script=Arabic}/gu, 1],
  ['el', /\p{Script=Greek}/gu, 1],
  ['th', /\p{Script=Thai}/gu, 1],
  ['he', /\p{Script=Hebrew}/gu, 1],
  ['bn', /\p{Script=Bengali}/gu, 1],
  ['ta', /\p{Script=Tamil}/gu, 1],
  ['te', /\p{Script=Telugu}/gu, 1],
  ['gu', /\p{Script=Gujarati}/gu, 1],
  ['pa', /\p{Script=Gurmukhi}/gu, 1],
  ['kn', /\p{Script=Kannada}/gu, 1],
  ['ml', /\p{Script=Malayalam}/gu, 1],
  ['si', /\p{Script=Sinhala}/gu, 1],
  ['my', /\p{Script=Myanmar}/gu, 1],
  ['km', /\p{Script=Khmer}/gu, 1],
  ['lo', /\p{Script=Lao}/gu, 1],
  ['bo', /\p{Script=Tibetan}/gu, 1],
  ['ka', /\p{Script=Georgian}/gu, 1],
  ['hy', /\p{Script=Armenian}/gu, 1],
  ['am', /\p{Script=Ethiopic}/gu, 1],
  ['dv', /\p{Script=Thaana}/gu, 1],
] as const

/** Languages in Cyrillic that have letters Russian lacks. */
const CYRILLIC_LANGUAGES = [
  ['uk', /[іїєґ]/gi],
  ['be', /ў/gi],
  ['sr', /[ђјљњћџ]/gi],
  ['mk', /[ѓќѕ]/gi],
  ['kk', /[әғқңұһ]/gi],
] as const

/** Enough to tell, and bounded: twenty-odd passes over 10,000 characters would cost milliseconds. */
const SAMPLE_LENGTH_MAX = 2_000
/** The share of Latin letters from which no other script can have more, whatever a character of it counts. */
const LATIN_SHARE = 0.75

/** The script most of the text is in, as far as it is letters; undefined when there are none. */
export function dominantScript(text: string): Script | undefined {
  const sample = text.slice(0, SAMPLE_LENGTH_MAX)
  const latin = count(sample, /\p{Script=Latin}/gu)
  if (latin > sample.length * LATIN_SHARE) return 'latin'
  let dominant: Script | undefined = latin > 0 ? 'latin' : undefined
  let most = latin
  for (const [script, letters, weight] of SCRIPT_LANGUAGES) {
    const own = count(sample, letters) * weight
    // Kanji count towards Japanese as soon as there is any kana.
    const share = script === 'ja' && own > 0 ? own + count(sample, /\p{Script=Han}/gu) * 3 : own
    if (share > most) {
      dominant = script
      most = share
    }
  }
  return dominant === 'ru' ? cyrillicLanguage(sample) : dominant
}

/** Two letters that Russian lacks may be a name; of an alphabet's own letters there are more in any text. */
function cyrillicLanguage(text: string): Script {
  let language: Script = 'ru'
  let most = count(text, /[ыэё]/gi)
  for (const [own, letters] of CYRILLIC_LANGUAGES) {
    const letterCount = count(text, letters)
    if (letterCount > most) {
      language = own
      most = letterCount
    }
  }
  return language
}

/** Letters that no language written in Latin letters has but Vietnamese: horns, and tones on top of other accents. */
const VIETNAMESE = /[ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ]/gi
const VIETNAMESE_LETTERS_MIN = 2

export function isVietnamese(text: string): boolean {
  return count(text.slice(0, SAMPLE_LENGTH_MAX).normalize('NFC'), VIETNAMESE) >= VIETNAMESE_LETTERS_MIN
}

/** Chinese characters in a text; Japanese uses them, too. */
export function hanCount(text: string): number {
  return count(text.slice(0, SAMPLE_LENGTH_MAX), /\p{Script=Han}/gu)
}

function count(text: string, letters: RegExp): number {
  return text.match(letters)?.length ?? 0
}
