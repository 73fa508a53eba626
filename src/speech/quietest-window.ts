/**
 * The window of [from, to) with the least speech in it and beside it: where to cut speech that goes on for too long. Of several as
 * quiet, the one nearest to `best`. `from` is at least 1, and `to` less than the number of windows.
 */
export function quietestWindow(probabilities: ArrayLike<number>, from: number, to: number, best: number): number {
  let found = from
  let least = Number.POSITIVE_INFINITY
  for (let at = from; at < to; at++) {
    const around = probabilities[at - 1]! + 2 * probabilities[at]! + probabilities[at + 1]!
    const likelihood = around + PER_WINDOW_OFF * Math.abs(at - best)
    if (likelihood < least) [found, least] = [at, likelihood]
  }
  return found
}

/** Adds 0.02 over ten seconds: enough to choose between windows that are about equally quiet. */
const PER_WINDOW_OFF = 0.02 / 312
