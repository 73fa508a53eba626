import { PHONEMES } from './symbols.ts'

/** How one pronunciation's eSpeak phonemes become the model's. */
export interface PhonemeTable {
  /** eSpeak NG's name for the language. */
  readonly espeakVoice: string
  /** Replacements of whole sounds, in order, while sounds are still apart by `_`. */
  readonly sounds: readonly Replacement[]
  /** Replacements of symbols, in order, afterwards. */
  readonly symbols: readonly Replacement[]
}
export type Replacement = readonly [from: string | RegExp, to: string]

/** Affricates are one symbol where eSpeak takes them for one sound. */
const AFFRICATES: readonly Replacement[] = [
  ['tʃ', 'ʧ'],
  ['dʒ', 'ʤ'],
  ['ts', 'ʦ'],
  ['dz', 'ʣ'],
  ['tɕ', 'ʨ'],
  ['dʑ', 'ʥ'],
]

/** Sounds of foreign words that the model has no symbol for, and the nearest it has. */
const NEAREST: readonly Replacement[] = [
  ['g', 'ɡ'],
  ['ɝ', 'ɜɹ'],
  ['ʏ', 'y'],
  ['ɵ', 'ø'],
  ['ɘ', 'ə'],
  ['ɞ', 'ɜ'],
  ['ʉ', 'u'],
  ['ɫ', 'l'],
  ['ɭ', 'l'],
  ['ɬ', 'l'],
  ['ʑ', 'ʒ'],
  ['ʐ', 'ʒ'],
  ['ɦ', 'h'],
  ['ħ', 'h'],
  ['ʕ', 'ʔ'],
  ['ʀ', 'ʁ'],
  ['ɱ', 'm'],
  ['ʍ', 'w'],
  ['ʷ', 'w'],
  ['ɗ', 'd'],
  ['ɓ', 'b'],
]

/**
 * eSpeak's IPA in the model's symbols. eSpeak marks words of another language with its name in brackets, and its own
 * clauses with bars; both go. What the model has no symbol for goes too.
 */
export function phonemesOf(ipa: string, table: PhonemeTable): string {
  // Decomposed, so that a nasal vowel is the vowel and the tilde; ç alone is one symbol.
  const decomposed = ipa
    .replace(/\([a-z-]+\)/g, '')
    .normalize('NFD')
    .replaceAll('c\u0327', 'ç')
  const sounds = replaceAll(replaceAll(decomposed, AFFRICATES), table.sounds).replaceAll('_', '')
  return Array.from(replaceAll(replaceAll(sounds, table.symbols), NEAREST))
    .filter((symbol) => PHONEMES.has(symbol))
    .join('')
    .replace(/ {2,}/g, ' ')
    .trim()
}

function replaceAll(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((result, [from, to]) => result.replaceAll(from, to), text)
}
