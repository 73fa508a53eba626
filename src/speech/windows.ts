import { CONTEXT_FRAMES, FRAMES_PER_SECOND } from './task-protocol.ts'

/** Frames [from, to) of a plan that are rendered in one task. */
export interface WindowSpan {
  readonly from: number
  readonly to: number
}

/**
 * Window sizes in frames. The first are short, because a listener waits for them, and each is rendered in half the time that those
 * before it are heard, on a machine that takes a quarter of a second for a second. The others trade the cost of context, paid once a
 * window, against the time of a task, for which whoever is about to run dry may have to wait: larger ones take a little less work,
 * and leave listeners who start at about the same time with more and longer gaps.
 */
const OPENING_SIZES = [8, 12, 16, 24]
export const STEADY_SIZE = 32
export const STEADY_WINDOW_SECONDS = STEADY_SIZE / FRAMES_PER_SECOND
/** A remainder shorter than this joins the window before it. */
const SHORTEST = 12

/**
 * Cuts frames [from, to) into windows, in order and without gaps. `heard`: how many windows lie before them since silence;
 * `Infinity` where the listener already has speech to listen to.
 */
export function layWindows(from: number, to: number, heard: number): WindowSpan[] {
  const spans: WindowSpan[] = []
  let at = from
  while (at < to) {
    const size = OPENING_SIZES[heard + spans.length] ?? STEADY_SIZE
    const end = to - (at + size) < SHORTEST ? to : at + size
    spans.push({ from: at, to: end })
    at = end
  }
  return spans
}

/** Windows of a stretch of which only frames [from, known) are known yet, as far as their context is known. */
export function layFirstWindows(from: number, known: number): WindowSpan[] {
  const to = known - CONTEXT_FRAMES
  return to - from < SHORTEST ? [] : layWindows(from, to, 0)
}
