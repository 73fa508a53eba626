import { DETECTION_WINDOW_SAMPLES } from './detection.ts'
import { quietestWindow } from './quietest-window.ts'
import { LISTENING_SAMPLE_RATE } from './recognition.ts'

/** Part of a recording, in samples. */
export interface Stretch {
  readonly start: number
  readonly end: number
}

/**
 * Where to cut a recording, by the probability of speech in each of its windows: what is between the pieces is silence and nobody
 * needs to hear it. Silence alone gives no piece.
 *
 *   probability  ▁▁▇▇█▇▁▇█▇▇▁▁▁▁▁▁▁▁▁▇█▇▁▇▇▇▁▁▁
 *   utterances     ╰──╯ ╰──╯         ╰─╯ ╰─╯
 *   pieces       ╰───────────╯      ╰─────────╯
 *
 * A piece is about ten seconds long, is never longer than 28, and ends where the pause is long; inside of an utterance only
 * when that alone is too long for a piece, and then where speech is least likely.
 */
export function cutRecording(probabilities: Float32Array, sampleCount: number): Stretch[] {
  const utterances = findUtterances(probabilities).flatMap((utterance) => splitLong(utterance, probabilities))
  return padded(groupUtterances(utterances), sampleCount)
}

const WINDOW_MS = (DETECTION_WINDOW_SAMPLES / LISTENING_SAMPLE_RATE) * 1_000
const windows = (ms: number) => Math.round(ms / WINDOW_MS)

/** Speech begins at one and ends below the other, so that a weak syllable does not end it. */
const ONSET_PROBABILITY = 0.5
const OFFSET_PROBABILITY = 0.35
/** A gap below this is a stop consonant rather than a pause. */
const PAUSE_WINDOWS_MIN = windows(128)
/** Less than this is a click. */
const UTTERANCE_WINDOWS_MIN = windows(96)
/** Kept on both sides of a piece: a word begins before it is loud. */
const PAD_WINDOWS = windows(200)
/** Silence as long as this is always left out. */
const LONG_PAUSE_WINDOWS = windows(2_000)
const PIECE_WINDOWS_BEST = windows(10_000)
const PIECE_WINDOWS_MAX = windows(28_000) - 2 * PAD_WINDOWS
/** Where an utterance that is too long may be split, from its start. */
const SPLIT_WINDOWS_MIN = windows(5_000)
/** Pauses longer than this are all as good. */
const GOOD_PAUSE_WINDOWS = windows(1_000)

/** In windows, without padding. */
interface Utterance {
  readonly start: number
  readonly end: number
}

function findUtterances(probabilities: Float32Array): Utterance[] {
  const found: Utterance[] = []
  let start = -1
  let quiet = 0
  const close = (end: number) => {
    if (end - start >= UTTERANCE_WINDOWS_MIN) found.push({ start, end })
    start = -1
  }
  probabilities.forEach((probability, at) => {
    if (start < 0) {
      if (probability >= ONSET_PROBABILITY) start = at
      quiet = 0
      return
    }
    quiet = probability < OFFSET_PROBABILITY ? quiet + 1 : 0
    if (quiet >= PAUSE_WINDOWS_MIN) close(at + 1 - quiet)
  })
  if (start >= 0) close(probabilities.length - quiet)
  return found
}

/** Halves that fit, cut at the window where speech is least likely. */
function splitLong(utterance: Utterance, probabilities: Float32Array): Utterance[] {
  const parts: Utterance[] = []
  let { start } = utterance
  while (utterance.end - start > PIECE_WINDOWS_MAX) {
    const [from, to] = [start + SPLIT_WINDOWS_MIN, start + PIECE_WINDOWS_MAX]
    const cut = quietestWindow(probabilities, from, to, start + PIECE_WINDOWS_BEST)
    parts.push({ start, end: cut })
    start = cut
  }
  return [...parts, { start, end: utterance.end }]
}

function groupUtterances(utterances: readonly Utterance[]): Utterance[] {
  const groups: Utterance[] = []
  for (let first = 0; first < utterances.length; ) {
    const last = bestEnd(utterances, first)
    groups.push({ start: utterances[first]!.start, end: utterances[last]!.end })
    first = last + 1
  }
  return groups
}

/** Index of the utterance that a piece beginning with `first` had best end with. */
function bestEnd(utterances: readonly Utterance[], first: number): number {
  const { start } = utterances[first]!
  let best = first
  let bestScore = Number.NEGATIVE_INFINITY
  for (let last = first; last < utterances.length; last++) {
    const { end } = utterances[last]!
    if (end - start > PIECE_WINDOWS_MAX) break
    const next = utterances[last + 1]?.start ?? Number.POSITIVE_INFINITY
    const score = scoreOf(end - start, next - end)
    if (score > bestScore) [best, bestScore] = [last, score]
    if (next - end >= LONG_PAUSE_WINDOWS) break
  }
  return best
}

/** A good pause is worth as much as ten seconds too few, or twenty too many. */
function scoreOf(length: number, pause: number): number {
  const off = (length - PIECE_WINDOWS_BEST) / PIECE_WINDOWS_BEST
  return Math.min(pause, GOOD_PAUSE_WINDOWS) / GOOD_PAUSE_WINDOWS - (off < 0 ? -off : off / 2)
}

/** In samples. Padding stops half-way to the neighbour. */
function padded(pieces: readonly Utterance[], sampleCount: number): Stretch[] {
  return pieces.map(({ start, end }, index) => {
    const before = (pieces[index - 1]?.end ?? Number.NEGATIVE_INFINITY) + start
    const after = (pieces[index + 1]?.start ?? Number.POSITIVE_INFINITY) + end
    const from = Math.max(0, start - PAD_WINDOWS, Math.ceil(before / 2))
    const to = Math.min(end + PAD_WINDOWS, Math.ceil(after / 2))
    return {
      start: from * DETECTION_WINDOW_SAMPLES,
      end: Math.min(sampleCount, to * DETECTION_WINDOW_SAMPLES),
    }
  })
}
