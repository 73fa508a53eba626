import type { TokenText } from './token-text.ts'

/** Written without spaces: every character is a word of its own. */
const UNSPACED = new Set(['zh', 'yue', 'ja', 'th', 'lo', 'my', 'km', 'bo'])

/** A word and the tokens [from, to) that spell it; from `soundTo` on they are marks, which take no time. */
export interface WordTokens {
  readonly word: string
  readonly from: number
  readonly soundTo: number
  readonly to: number
}

/** Cuts a text into words. A word begins with a space; marks belong to the word before them. */
export function wordTokens(tokens: readonly number[], text: TokenText, language: string): readonly WordTokens[] {
  const words: WordTokens[] = []
  for (const piece of wholeCharacters(tokens, text)) {
    const sounds = /[\p{L}\p{M}\p{N}]/u.test(piece.word)
    const last = words.at(-1)
    const begins = UNSPACED.has(language) ? sounds : piece.word.startsWith(' ')
    if (last === undefined || begins) words.push({ ...piece, soundTo: sounds ? piece.to : piece.from })
    else {
      const soundTo = sounds ? piece.to : last.soundTo
      words[words.length - 1] = { ...last, word: last.word + piece.word, soundTo, to: piece.to }
    }
  }
  return words.map((word) => ({ ...word, word: word.word.trim() })).filter(({ word }) => word !== '')
}

/** The fewest tokens that end together with a character. */
function wholeCharacters(tokens: readonly number[], text: TokenText) {
  const pieces: { readonly word: string; readonly from: number; readonly to: number }[] = []
  for (let from = 0, to = 1; to <= tokens.length; to++) {
    const word = text.decode(tokens.slice(from, to))
    if (word.includes('\ufffd') && to < tokens.length) continue
    pieces.push({ word, from, to })
    from = to
  }
  return pieces
}
