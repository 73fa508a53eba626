import { isWrittenWithSpaces } from './growing-transcript.ts'

/**
 * What is shown of speech that is still going on. The model hears it anew every time, and the end of what it heard changes; so words
 * on which two hearings in a row agree are settled, and stay as they are while words are added behind them.
 *
 * This is the local agreement of Liu, Spanakis and Niehues, "Low-Latency Sequence-to-Sequence Speech Recognition" (2020).
 */
export class SettlingText {
  #settled: string[] = []
  #last: readonly string[] = []

  /** The text to show after the next hearing. */
  update(text: string, language: string): string {
    const glue = isWrittenWithSpaces(language) ? ' ' : ''
    const units = unitsOf(text, glue)
    const agreed = agreement(units, this.#last)
    this.#last = units
    // The last word may be half a word, however often it is heard so.
    const count = Math.min(agreed, units.length - 1)
    this.#settled.push(...units.slice(this.#settled.length, Math.max(this.#settled.length, count)))
    return [...this.#settled, ...units.slice(this.#settled.length)].join(glue)
  }
}

/** Words; single characters where there is no space between words. */
function unitsOf(text: string, glue: string): string[] {
  if (glue === '') return [...text]
  return text.split(/\s+/).filter((word) => word !== '')
}

/** How many words the two begin with alike; their case and punctuation depend on what follows. */
function agreement(a: readonly string[], b: readonly string[]): number {
  const differs = a.findIndex((word, at) => b[at] === undefined || bare(word) !== bare(b[at]))
  return differs < 0 ? a.length : differs
}

function bare(word: string): string {
  return word.toLowerCase().replaceAll(/[^\p{L}\p{N}\p{M}]/gu, '')
}
