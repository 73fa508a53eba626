/**
 * Length of the tail that says again, and again, what was said before it; 0 while there is none. A model that has lost the thread
 * repeats itself without end, and is sure of it: its probabilities don't tell.
 *
 * `patience`: how many repeats more than usual are let pass.
 */
export function repeatedTail(tokens: readonly number[], patience = 0): number {
  for (let period = 1; period <= tokens.length / 2; period++) {
    const times = timesMax(period) + patience
    if (period * times > tokens.length) continue
    if (repeats(tokens, period, times)) return period * (times - 1)
  }
  return 0
}

/** A word may well be said four times in a row; nobody says a sentence twice. */
function timesMax(period: number): number {
  if (period === 1) return 5
  if (period === 2) return 4
  return period < 5 ? 3 : 2
}

function repeats(tokens: readonly number[], period: number, times: number): boolean {
  const last = tokens.length - 1
  for (let back = 0; back < period * (times - 1); back++) {
    if (tokens[last - back] !== tokens[last - back - period]) return false
  }
  return true
}
