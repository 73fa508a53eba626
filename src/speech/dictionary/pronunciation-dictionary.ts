import { findLanguage, pronunciationsOf } from '../languages.ts'
import type { Pronunciation } from '../task-protocol.ts'
import { DictionaryError, parseDictionary, type SaidInstead } from './dictionary-lines.ts'

interface Entry {
  /** Folded (see `fold`). */
  readonly term: string
  readonly said: SaidInstead
}

/** Entries of one pronunciation by the first character of their terms, the longest terms first. */
type Entries = ReadonlyMap<string, readonly Entry[]>

/**
 * How an operator wants names and terms to be said. A file is named after a language (`en.tsv`) or one pronunciation of it
 * (`en-gb.tsv`), whose terms win.
 */
export class PronunciationDictionary {
  readonly #entries: ReadonlyMap<Pronunciation, Entries>

  private constructor(entries: ReadonlyMap<Pronunciation, Entries>) {
    this.#entries = entries
  }

  /** Throws `DictionaryError`. */
  static parse(files: readonly { readonly name: string; readonly content: string }[]): PronunciationDictionary {
    const terms = new Map<Pronunciation, Map<string, SaidInstead>>()
    const scoped = files.map((file) => ({ ...file, ...scopeOf(file.name) }))
    // Files of languages first, so that those of single pronunciations overwrite their terms.
    for (const { name, content, pronunciations } of scoped.sort((a, b) => Number(a.isNarrow) - Number(b.isNarrow))) {
      const lines = parseDictionary(name, content)
      for (const pronunciation of pronunciations) {
        const own = terms.get(pronunciation) ?? new Map<string, SaidInstead>()
        for (const { term, saidIn } of lines) own.set(fold(term), saidIn(pronunciation))
        terms.set(pronunciation, own)
      }
    }
    return new PronunciationDictionary(new Map([...terms].map(([pronunciation, own]) => [pronunciation, indexed(own)])))
  }

  /**
   * The text in pieces, terms replaced: whole words only, without regard to case, at each place the longest term. What is
   * said for a term is not looked up again.
   */
  pronounce(text: string, pronunciation: Pronunciation): readonly SaidInstead[] {
    const entries = this.#entries.get(pronunciation)
    if (!entries) return [{ kind: 'text', text }]
    const folded = fold(text)
    const pieces: SaidInstead[] = []
    let words = ''
    for (let at = 0; at < text.length; ) {
      const found = entryAt(folded, at, entries)
      if (found === undefined) {
        words += text.charAt(at)
        at += 1
        continue
      }
      at += found.term.length
      if (found.said.kind === 'text') {
        words += found.said.text
        continue
      }
      if (words.trim() !== '') pieces.push({ kind: 'text', text: words })
      pieces.push(found.said)
      words = ''
    }
    if (words.trim() !== '' || pieces.length === 0) pieces.push({ kind: 'text', text: words })
    return pieces
  }
}

/** In lower case, with as many units as before, so that places in the folded text are places in the text. */
function fold(text: string): string {
  const lower = text.toLowerCase()
  if (lower.length === text.length) return lower
  return Array.from(text, (character) => {
    const folded = character.toLowerCase()
    return folded.length === character.length ? folded : character
  }).join('')
}

function entryAt(folded: string, at: number, entries: Entries): Entry | undefined {
  return entries
    .get(folded.charAt(at))
    ?.find(({ term }) => folded.startsWith(term, at) && isEdge(folded, at) && isEdge(folded, at + term.length))
}

const LETTER = /[\p{L}\p{N}\p{M}]/u
/** Letters of scripts that are written without spaces: any place between two of them may part words. */
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u

/** Whether no word runs over this place. */
function isEdge(text: string, index: number): boolean {
  const before = text.charAt(index - 1)
  const after = text.charAt(index)
  if (!LETTER.test(before) || !LETTER.test(after)) return true
  return UNSPACED.test(before) || UNSPACED.test(after)
}

function indexed(terms: ReadonlyMap<string, SaidInstead>): Entries {
  const entries = new Map<string, Entry[]>()
  for (const [term, said] of [...terms].sort(([a], [b]) => b.length - a.length)) {
    const first = term.charAt(0)
    const others = entries.get(first)
    if (others) others.push({ term, said })
    else entries.set(first, [{ term, said }])
  }
  return entries
}

function scopeOf(name: string): { readonly pronunciations: readonly Pronunciation[]; readonly isNarrow: boolean } {
  const key = name.replace(/\.tsv$/, '').toLowerCase()
  const language = findLanguage(key)
  const pronunciations = pronunciationsOf(language?.code ?? key)
  if (pronunciations.length > 0) return { pronunciations, isNarrow: language === undefined }
  throw new DictionaryError(`${name}: there is no language or pronunciation of this name that this server speaks`)
}
