import type { SpokenWord } from './recognition.ts'

/** What is shown at a time. Seconds from the start of the recording. */
export interface Cue {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Two lines of 42 characters, which is what viewers read at ease; of scripts without spaces half as many. */
const CHARACTERS_MAX = 84
const UNSPACED_CHARACTERS_MAX = 42
/** Longer than this nothing stays on the screen. */
const SECONDS_MAX = 7
/** Who pauses for this long begins something new. */
const PAUSE_SECONDS = 0.7

/**
 * The words of one segment as subtitles: cut behind sentences and at pauses, and what is too long for the screen into parts of about the
 * same length. `isSpaced`: whether the language puts spaces between words.
 */
export function cutCues(words: readonly SpokenWord[], isSpaced: boolean): Cue[] {
  const charactersMax = isSpaced ? CHARACTERS_MAX : UNSPACED_CHARACTERS_MAX
  const join = (part: readonly SpokenWord[]) => part.map(({ word }) => word).join(isSpaced ? ' ' : '')
  return phrasesOf(words).flatMap((phrase) => {
    const seconds = endOf(phrase) - startOf(phrase)
    const parts = Math.max(Math.ceil(join(phrase).length / charactersMax), Math.ceil(seconds / SECONDS_MAX))
    for (let count = parts; count < phrase.length; count++) {
      const cues = evenParts(phrase, count).map((part) => ({
        start: startOf(part),
        end: endOf(part),
        text: join(part),
      }))
      if (cues.every(({ start, end, text }) => text.length <= charactersMax && end - start <= SECONDS_MAX)) return cues
    }
    return phrase.map(({ word, start, end }) => ({ start, end, text: word }))
  })
}

/** Cuts behind sentences and at pauses. */
function phrasesOf(words: readonly SpokenWord[]): SpokenWord[][] {
  const phrases: SpokenWord[][] = []
  for (const word of words) {
    const phrase = phrases.at(-1)
    const last = phrase?.at(-1)
    const goesOn = last && !ENDS_SENTENCE.test(last.word) && word.start - last.end < PAUSE_SECONDS
    if (phrase !== undefined && goesOn) phrase.push(word)
    else phrases.push([word])
  }
  return phrases
}

/** `count` parts whose characters are as even as words allow; none is empty. */
function evenParts(words: readonly SpokenWord[], count: number): SpokenWord[][] {
  const total = words.reduce((sum, { word }) => sum + word.length, 0)
  const parts: SpokenWord[][] = [[]]
  let before = 0
  for (const [index, word] of words.entries()) {
    const left = count - parts.length
    const middle = before + word.word.length / 2
    const isDue = middle >= (total * parts.length) / count || words.length - index <= left
    if (left > 0 && isDue && parts.at(-1)?.length !== 0) parts.push([])
    parts.at(-1)?.push(word)
    before += word.word.length
  }
  return parts
}

function startOf(words: readonly SpokenWord[]): number {
  return words[0]?.start ?? 0
}

function endOf(words: readonly SpokenWord[]): number {
  return words.at(-1)?.end ?? 0
}

/** After an abbreviation it cuts too early, which costs a viewer nothing. */
const ENDS_SENTENCE = /[.!?。！？…][”"')\]]*$/
