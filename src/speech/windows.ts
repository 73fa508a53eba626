/** Frames [from, to) of a plan that are rendered in one task. */
export interface WindowSpan {
  readonly from: number
  readonly to: number
}

/**
 * Window sizes in frames. The first are short, because a listener waits for them; the others trade the cost of context,
 * paid once a window, against the size of a task and the processor's cache.
 */
const OPENING_SIZES = [16, 32]
const STEADY_SIZE = 48
/** A remainder shorter than this joins the window before it. */
const SHORTEST = 12

/** Cuts frames [from, to) into windows, in order and without gaps. `opening`: nothing was heard before them. */
export function layWindows(from: number, to: number, opening: boolean): WindowSpan[] {
  const spans: WindowSpan[] = []
  let at = from
  while (at < to) {
    const size = (opening ? OPENING_SIZES[spans.length] : undefined) ?? STEADY_SIZE
    const end = to - (at + size) < SHORTEST ? to : at + size
    spans.push({ from: at, to: end })
    at = end
  }
  return spans
}
