import type { SpokenPart } from '../task-protocol.ts'

/** What a text comes to once its characters are read, in order. */
export type SpokenWord =
  /** `glued`: said in one breath with the word before, as particles are. */
  | { readonly kind: 'sound'; readonly phonemes: string; readonly glued: boolean }
  | { readonly kind: 'latin'; readonly text: string }
  | { readonly kind: 'mark'; readonly mark: string }

const OPENING = '“('

/** Words in Latin letters are spoken as English, everything else as the phonemes it has; marks stand where they stood. */
export function joinWords(words: Iterable<SpokenWord>): SpokenPart[] {
  const parts: SpokenPart[] = []
  let phonemes = ''
  let latin = ''
  const closeLatin = () => {
    if (latin !== '') parts.push({ kind: 'text', text: latin, pronunciation: 'en-us' })
    latin = ''
  }
  const closePhonemes = () => {
    const settled = phonemes.trim()
    if (settled !== '') parts.push({ kind: 'phonemes', phonemes: settled })
    phonemes = ''
  }
  for (const word of words) {
    if (word.kind === 'latin') {
      closePhonemes()
      latin += latin === '' ? word.text : ` ${word.text}`
      continue
    }
    closeLatin()
    const isTight = phonemes === '' || OPENING.includes(phonemes.at(-1) ?? '')
    if (word.kind === 'sound') {
      const isGlued = word.glued && !/[.,;:!?…—”)]$/.test(phonemes)
      phonemes += isTight || isGlued ? word.phonemes : ` ${word.phonemes}`
    } else if (OPENING.includes(word.mark)) phonemes += isTight ? word.mark : ` ${word.mark}`
    else if (!/[,;:.!?…—]$/.test(phonemes) || /[”)]/.test(word.mark)) phonemes += word.mark
  }
  closeLatin()
  closePhonemes()
  return parts
}
