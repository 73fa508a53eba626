import { type Abbreviations, abbreviationsOf } from './abbreviations.ts'
import type { Pronunciation } from './task-protocol.ts'

/** A sentence as text[start, end), without the white space around it, and what follows it. */
export interface Sentence {
  readonly start: number
  readonly end: number
  readonly pause: 'sentence' | 'paragraph'
}

/**
 * Finds the sentences of a text, in order; only white space lies between them. A full stop ends one unless it belongs to
 * an abbreviation, an initial, a list number, or goes on in lower case; nothing inside a number, URL or address does, for
 * no white space follows. Blank lines end paragraphs. A single line break ends a sentence where the line is too short to
 * have been wrapped, or a list item follows. Time is linear in the length of the text.
 */
export function findSentences(text: string, pronunciation: Pronunciation): Sentence[] {
  const abbreviations = abbreviationsOf(pronunciation)
  // A text without capitals can't show by them where its sentences begin.
  const isCased = /\p{Lu}/u.test(text)
  const sentences: Sentence[] = []
  let start: number | undefined
  const close = (end: number, pause: Sentence['pause']) => {
    if (start !== undefined) sentences.push({ start, end, pause })
    start = undefined
  }

  const lines = findLines(text)
  for (const [index, line] of lines.entries()) {
    start ??= line.start
    const next = lines[index + 1]
    for (const stop of findStops(text, line)) {
      const restStart = skipSpace(text, stop.end)
      const isLineEnd = restStart >= line.end
      if (isLineEnd && (!next || next.opensParagraph)) continue
      if (!endsSentence(text, stop, isLineEnd && next ? next.start : restStart, line.start, abbreviations, isCased))
        continue
      close(stop.end, 'sentence')
      if (!isLineEnd) start = restStart
    }
    if (!next || next.opensParagraph) close(line.end, 'paragraph')
    else if (start !== undefined && breakEndsSentence(text, line, next, isCased)) close(line.end, 'sentence')
  }
  return sentences
}

interface Line {
  readonly start: number
  readonly end: number
  readonly opensParagraph: boolean
}

/** Lines that hold more than white space, without the white space at their edges. */
function findLines(text: string): Line[] {
  const lines: Line[] = []
  let opensParagraph = true
  let from = 0
  const add = (to: number) => {
    const line = text.slice(from, to)
    const start = from + line.length - line.trimStart().length
    const end = start + line.trim().length
    if (end > start) lines.push({ start, end, opensParagraph })
    opensParagraph = end === start
  }
  for (const lineBreak of text.matchAll(/\r\n|[\n\r\v\f\u0085\u2028\u2029]/g)) {
    add(lineBreak.index)
    if (lineBreak[0] === '\u2029') opensParagraph = true
    from = lineBreak.index + lineBreak[0].length
  }
  add(text.length)
  return lines
}

/** Marks that may end a sentence, with whatever closes after them. */
interface Stop {
  readonly start: number
  readonly end: number
  readonly marks: string
}

const CLOSERS = '"\'”’»›)\\]}」』】》〉）］｣*_'
const STOPS = new RegExp(`[.!?…‽][.!?…‽${CLOSERS}]*|[。！？｡।॥؟۔][。！？｡।॥؟۔…${CLOSERS}]*`, 'g')
/** French sets a space before the closing guillemet. */
const SPACED_GUILLEMET = /[ \u00a0\u202f]»/y

function* findStops(text: string, line: Line): Generator<Stop> {
  const content = text.slice(line.start, line.end)
  for (const match of content.matchAll(STOPS)) {
    const start = line.start + match.index
    let end = start + match[0].length
    SPACED_GUILLEMET.lastIndex = end
    if (SPACED_GUILLEMET.test(text)) end += 2
    yield { start, end, marks: match[0] }
  }
}

/** Longest abbreviation looked for. */
const TOKEN_LENGTH_MAX = 24

function endsSentence(
  text: string,
  stop: Stop,
  restStart: number,
  lineStart: number,
  { joined, beforeNumber, openers, dotsOrdinals }: Abbreviations,
  isCased: boolean,
): boolean {
  // These scripts set no space after the mark; Japanese goes on after what was quoted with a particle.
  if (/^[。！？｡।॥]/.test(stop.marks))
    return !(/[」』”）]$/.test(stop.marks) && /^(?:と|って|、|，)/.test(text.slice(restStart, restStart + 2)))
  if (restStart === stop.end) return false
  const rest = text.slice(restStart, restStart + TOKEN_LENGTH_MAX).replace(/^["'“‘«‹([{¿¡*_\s]+/, '')
  const goesOn = isCased && /^\p{Ll}/u.test(rest)
  if (!stop.marks.startsWith('.')) return !(goesOn && /["'”’»›)…]/.test(stop.marks))
  if (goesOn) return false
  if (stop.marks.startsWith('..')) return true

  const before = text.slice(Math.max(lineStart, stop.start - TOKEN_LENGTH_MAX), stop.start)
  const token = /[^\s("'“‘«[]*$/.exec(before)?.[0] ?? ''
  const word = token.toLowerCase()
  if (joined.has(word)) return false
  if (beforeNumber.has(word)) return !/^\p{Nd}/u.test(rest)
  const isListNumber = /^(?:\p{Nd}{1,3}|\p{L})$/u.test(token) && stop.start - token.length === lineStart
  if (isListNumber) return false
  if (/^\p{Lu}$/u.test(token) && token !== 'I') return !/^\p{Lu}/u.test(rest)
  if (/^[ap]\.m$/.test(word)) return true
  const isAcronym = /^(?:\p{L}\.)+\p{L}$/u.test(token) || (dotsOrdinals && /^\p{Nd}{1,2}$/u.test(token))
  return !isAcronym || openers.has((/^\p{L}+/u.exec(rest)?.[0] ?? '').toLowerCase())
}

/** Prose is wrapped at 65 characters or more; shorter lines were ended on purpose: headings, list items, verse. */
const WRAPPED_LENGTH_MIN = 60
const LIST_ITEM = /^(?:[-*•–—·▪◦‣]|\p{Nd}{1,3}[.)])\s/u

function breakEndsSentence(text: string, line: Line, next: Line, isCased: boolean): boolean {
  const rest = text.slice(next.start, next.start + TOKEN_LENGTH_MAX)
  if (LIST_ITEM.test(rest)) return true
  if (widthOf(text.slice(line.start, line.end)) >= WRAPPED_LENGTH_MIN || /[,，、-]/.test(text.charAt(line.end - 1)))
    return false
  return !(isCased && /^\p{Ll}/u.test(rest))
}

/** In columns: Chinese characters and kana are twice as wide as letters. */
function widthOf(line: string): number {
  return line.length + (line.match(/[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/gu)?.length ?? 0)
}

function skipSpace(text: string, from: number): number {
  const space = /\s*/y
  space.lastIndex = from
  space.test(text)
  return space.lastIndex
}
