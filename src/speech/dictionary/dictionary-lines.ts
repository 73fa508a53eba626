import { PHONEME_TABLES } from '../pronunciation/phoneme-tables.ts'
import { type PhonemeTable, phonemesOf } from '../pronunciation/phonemes.ts'
import type { Pronunciation } from '../task-protocol.ts'

/** What is said for a term: other words, or phonemes in the model's symbols. */
export type SaidInstead =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'phonemes'; readonly phonemes: string }

export interface DictionaryLine {
  readonly term: string
  /** IPA is written in the model's symbols, which differ between pronunciations. */
  saidIn(pronunciation: Pronunciation): SaidInstead
}

/** A file or line that can't be used; the message says where and why. */
export class DictionaryError extends Error {}

/**
 * Lines of a dictionary: a term, a tab, and what is said for it: a respelling, or IPA between slashes. Empty lines and
 * lines that begin with `#` say nothing. Throws `DictionaryError` naming the file and the line.
 */
export function parseDictionary(fileName: string, content: string): DictionaryLine[] {
  const lines = content.replace(/^\ufeff/, '').split(/\r?\n/)
  return lines.flatMap((line, index): DictionaryLine[] => {
    if (line.trim() === '' || line.startsWith('#')) return []
    const fault = (message: string) => new DictionaryError(`${fileName}, line ${index + 1}: ${message}`)
    const [term = '', said = '', ...rest] = line.split('\t').map((cell) => cell.trim().normalize('NFC'))
    if (term === '' || said === '' || rest.some((cell) => cell !== ''))
      throw fault('a line is a term, a tab, and what is said for it')
    if (!said.startsWith('/')) return [{ term, saidIn: () => ({ kind: 'text', text: said }) }]
    const ipa = parseIpa(said, fault)
    return [
      { term, saidIn: (pronunciation) => ({ kind: 'phonemes', phonemes: phonemesOf(ipa, tableOf(pronunciation)) }) },
    ]
  })
}

const PLAIN: PhonemeTable = { espeakVoice: '', sounds: [], symbols: [] }

function tableOf(pronunciation: Pronunciation): PhonemeTable {
  return pronunciation === 'ja' || pronunciation === 'zh' ? PLAIN : PHONEME_TABLES[pronunciation]
}

/** Written in IPA, and without a meaning to the model: syllable breaks, ties. */
const SILENT = /\.|\u0361|\u035c/g

function parseIpa(said: string, fault: (message: string) => Error): string {
  if (said.length < 3 || !said.endsWith('/')) throw fault('IPA stands between two slashes')
  const ipa = said.slice(1, -1).normalize('NFD').replaceAll('c\u0327', 'ç').replaceAll("'", 'ˈ').replace(SILENT, '')
  const unknown = Array.from(ipa).find((symbol) => symbol !== ' ' && phonemesOf(symbol, PLAIN) === '')
  if (unknown !== undefined) throw fault(`the model has no sound for ${unknown}`)
  if (!/[\p{Ll}\p{Lu}\p{Lo}]/u.test(ipa)) throw fault('there is no sound in it')
  return ipa
}
