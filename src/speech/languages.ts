import { detectAll } from 'tinyld'
import { LANGUAGE_CATALOG } from './language-catalog.ts'
import { dominantScript, hanCount, isVietnamese } from './scripts.ts'
import type { Pronunciation } from './task-protocol.ts'
import type { Voice } from './voice.ts'

/** A language of the catalog. */
export interface Language {
  readonly code: string
  /** English name. */
  readonly name: string
  readonly iso639_3: string
}

/** What the built-in engine makes of a text. `language`: its code. `message` says how to have the language spoken all the same. */
export type PronunciationOutcome =
  | { readonly status: 'spoken'; readonly language: string; readonly pronunciation: Pronunciation }
  | { readonly status: 'not_spoken'; readonly language: Language; readonly message: string }

type Accent = Pick<Voice, 'language' | 'british'>

/**
 * Catalog codes of the languages the built-in engine speaks, those it was trained on first. English has a second
 * pronunciation, for British voices.
 */
const PRONUNCIATIONS: ReadonlyMap<string, Pronunciation> = new Map([
  ['en', 'en-us'],
  ['es', 'es'],
  ['fr', 'fr'],
  ['it', 'it'],
  ['pt', 'pt-br'],
  ['ja', 'ja'],
  ['zh', 'zh'],
  ['hi', 'hi'],
  ['de', 'de'],
  ['ru', 'ru'],
  ['uk', 'uk'],
  ['pl', 'pl'],
  ['tr', 'tr'],
  ['id', 'id'],
])
/** Spoken with the accent of the language the voice was made for. */
const ACCENTED: ReadonlySet<string> = new Set(['de', 'ru', 'uk', 'pl', 'tr', 'id'])
const LATIN_SCRIPT_SPOKEN = ['en', 'es', 'fr', 'it', 'pt', 'de', 'pl', 'tr', 'id']
const FALLBACK = 'en'

/**
 * Fewer words than this say too little: of the first words of 120 sentences in five languages, tinyld knew 96 % from
 * three words, 98 % from four and no more from five; "Hello" alone is Italian to it.
 */
const DETECTION_WORDS_MIN = 4
/** Fewer Chinese characters than this, without kana, may be a Japanese name or heading as well. */
const CHINESE_LENGTH_MIN = 8
/** Detection takes 6 µs a character and gains nothing from more. */
const DETECTION_LENGTH_MAX = 300

const languages: readonly Language[] = LANGUAGE_CATALOG.map(([code, name, iso639_3]) => ({ code, name, iso639_3 }))
const languagesByKey = new Map([
  ...languages.map((language) => [keyOf(language.name), language] as const),
  ...languages.map((language) => [keyOf(language.iso639_3), language] as const),
  ...languages.map((language) => [keyOf(language.code), language] as const),
])

/** Those the built-in engine speaks. */
export const SPOKEN_LANGUAGES: readonly Language[] = languages.filter(({ code }) => PRONUNCIATIONS.has(code))

/** Looks a language up by its code, ISO 639-3 code or English name, in any case. Where two could be meant, the code wins. */
export function findLanguage(text: string): Language | undefined {
  return languagesByKey.get(keyOf(text))
}

/**
 * Decides how a text is pronounced. `language` is `auto` or a code of the catalog; anything else throws. `auto` goes by
 * the script and its letters, then, in a text of enough words, by the words; a text that says too little is read in the
 * voice's own language, or in English where that is written otherwise.
 */
export function resolvePronunciation(language: string, text: string, voice: Accent): PronunciationOutcome {
  const code = language === 'auto' ? detectLanguage(text, voice) : language
  const pronunciation = PRONUNCIATIONS.get(code)
  if (pronunciation === undefined) return notSpoken(code)
  return { status: 'spoken', language: code, pronunciation: code === 'en' && voice.british ? 'en-gb' : pronunciation }
}

/** Every pronunciation of a language, by its code, or the one of that name; none for what is not spoken. */
export function pronunciationsOf(key: string): readonly Pronunciation[] {
  if (key === 'en') return ['en-us', 'en-gb']
  const pronunciation = PRONUNCIATIONS.get(key)
  if (pronunciation !== undefined) return [pronunciation]
  return (['en-us', 'en-gb', 'pt-br'] as const).filter((name) => name === key)
}

function detectLanguage(text: string, voice: Accent): string {
  const script = dominantScript(text)
  if (script === undefined) return PRONUNCIATIONS.has(voice.language) ? voice.language : FALLBACK
  if (script === 'zh' && voice.language === 'ja' && hanCount(text) < CHINESE_LENGTH_MIN) return 'ja'
  if (script !== 'latin') return script
  if (isVietnamese(text)) return 'vi'
  const own = LATIN_SCRIPT_SPOKEN.includes(voice.language) ? voice.language : FALLBACK
  const sample = text.slice(0, DETECTION_LENGTH_MAX).normalize('NFC')
  const words = sample.match(/\p{Script=Latin}[\p{Script=Latin}\p{M}'’]*/gu) ?? []
  if (words.length < DETECTION_WORDS_MIN) return own
  return detectAll(sample, { only: LATIN_SCRIPT_SPOKEN })[0]?.lang ?? own
}

function notSpoken(code: string): PronunciationOutcome {
  const language = findLanguage(code)
  if (!language) throw new Error(`language ${code} is not in the catalog`)
  return { status: 'not_spoken', language, message: adviceFor(language) }
}

function adviceFor(language: Language): string {
  const list = (accented: boolean) =>
    [...PRONUNCIATIONS.keys()]
      .filter((code) => ACCENTED.has(code) === accented)
      .map((code) => `${code} (${findLanguage(code)?.name})`)
      .join(', ')
  return (
    `${language.name} (${language.code}) can't be spoken by the engine this server runs. ` +
    `It speaks ${list(false)}, and with an accent ${list(true)}: send text in one of them, or run the server with an ` +
    `engine that speaks ${language.name}.`
  )
}

function keyOf(text: string): string {
  return text.normalize('NFC').toLowerCase()
}
