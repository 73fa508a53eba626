import { findSentences } from './sentences.ts'
import { reach, speechLength } from './speech-length.ts'
import type { Pronunciation } from './task-protocol.ts'
import { nearestCharacterCut, strongestCut, type TextCut } from './text-cuts.ts'

/** The silence that follows a chunk. `none`: the sentence goes on without a mark, or the text is over. */
export type Pause = 'none' | 'clause' | 'sentence' | 'paragraph'

/** A stretch of text that is spoken in one go, without white space at its edges. Never empty. */
export interface TextChunk {
  readonly text: string
  readonly pause: Pause
}

/**
 * Longest chunk, in letters (see `speechLength`). Speech takes 1.0 to 1.3 phonemes a letter and the model takes 510; more
 * than about 240 would make a plan too long a task for a worker that others wait for.
 */
export const CHUNK_LENGTH_MAX = 240
/** A second or two of speech: less sounds clipped, so short sentences join a neighbour in their paragraph. */
export const CHUNK_LENGTH_MIN = 30
/**
 * Cuts a text into chunks: sentences, short ones merged, long ones cut. Nothing is lost, repeated or changed but white
 * space between chunks. A text of white space has no chunks. Time is linear in the length of the text.
 */
export function chunkText(text: string, pronunciation: Pronunciation): TextChunk[] {
  const chunks = mergeShort(text, findSentences(text, pronunciation)).flatMap(({ start, end, pause }) =>
    cutLong({ text: text.slice(start, end), pause }, pronunciation),
  )
  const last = chunks.pop()
  return last ? [...chunks, { text: last.text, pause: 'none' }] : chunks
}

/** Cuts a chunk near its middle, at the best place there is. Undefined when it is a single character. */
export function halveChunk(chunk: TextChunk): readonly [TextChunk, TextChunk] | undefined {
  const { text } = chunk
  const cut =
    strongestCut(text, text.length * 0.25, text.length * 0.5, text.length * 0.75) ??
    nearestCharacterCut(text, text.length / 2)
  return cut && cutInTwo(chunk, cut)
}

interface Stretch {
  readonly start: number
  readonly end: number
  readonly pause: Pause
}

/** Joins short sentences to the next of their paragraph, or the last of one to the sentence before it. */
function mergeShort(text: string, sentences: readonly Stretch[]): Stretch[] {
  const merged: Stretch[] = []
  const isShort = ({ start, end }: Stretch) => speechLength(text, start, end) < CHUNK_LENGTH_MIN
  for (const sentence of sentences) {
    const previous = merged.at(-1)
    const isParagraphEnd = sentence.pause === 'paragraph'
    const joins =
      previous !== undefined &&
      previous.pause !== 'paragraph' &&
      (isShort(previous) || (isParagraphEnd && isShort(sentence)))
    if (joins) merged[merged.length - 1] = { start: previous.start, end: sentence.end, pause: sentence.pause }
    else merged.push(sentence)
  }
  return merged
}

/** Cuts what is longer than a chunk may be into parts of about the same length. */
function cutLong(stretch: TextChunk, pronunciation: Pronunciation): TextChunk[] {
  const chunks: TextChunk[] = []
  let rest = stretch
  let length = speechLength(rest.text)
  while (length > CHUNK_LENGTH_MAX) {
    const share = length / Math.ceil(length / CHUNK_LENGTH_MAX)
    const from = reach(rest.text, share / 2)
    const target = reach(rest.text, share)
    const to = reach(rest.text, CHUNK_LENGTH_MAX)
    const cut = strongestCut(rest.text, from, target, to, pronunciation) ?? nearestCharacterCut(rest.text, target)
    const index = Math.min(cut?.index ?? to, to)
    const [chunk, remainder] = cutInTwo(rest, { index, pause: cut?.pause ?? 'none' })
    chunks.push(chunk)
    length -= speechLength(rest.text, 0, rest.text.length - remainder.text.length)
    rest = remainder
  }
  return [...chunks, rest]
}

function cutInTwo(chunk: TextChunk, cut: TextCut): readonly [TextChunk, TextChunk] {
  return [
    { text: chunk.text.slice(0, cut.index).trimEnd(), pause: cut.pause },
    { text: chunk.text.slice(cut.index).trimStart(), pause: chunk.pause },
  ]
}
