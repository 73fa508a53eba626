import type { Alignment } from './whisper-decoder.ts'

/** Frames over which attention is smoothed. */
const MEDIAN_WIDTH = 7

/**
 * The position in the audio at which each token begins, after OpenAI's `whisper/timing.py`: attention of the heads that follow the
 * audio, each token's compared with the others', smoothed, averaged over the heads, and the way through it that goes forward
 * only and sees most of it (dynamic time warping).
 *
 * `from`, `to`: the rows to place. `positions`: those that hold audio.
 */
export function placeTokens(alignment: Alignment, from: number, to: number, positions: number): number[] {
  const tokens = to - from
  const mean = new Float64Array(tokens * positions)
  for (const rows of alignment.rows) {
    const standard = standardized(rows, positions)
    for (let token = 0; token < tokens; token++) {
      const smooth = medians(standard.subarray((from + token) * positions, (from + token + 1) * positions))
      for (let at = 0; at < positions; at++) mean[token * positions + at]! += smooth[at]! / alignment.rows.length
    }
  }
  return forwardPath(mean, tokens, positions)
}

/** Every column less its mean over all tokens, in units of its deviation. */
function standardized(rows: readonly Float32Array[], positions: number): Float64Array {
  const values = new Float64Array(rows.length * positions)
  for (let at = 0; at < positions; at++) {
    let [sum, squares] = [0, 0]
    for (const row of rows) {
      sum += row[at]!
      squares += row[at]! ** 2
    }
    const mean = sum / rows.length
    const deviation = Math.sqrt(Math.max(0, squares / rows.length - mean ** 2)) || 1
    for (let token = 0; token < rows.length; token++) {
      values[token * positions + at] = (rows[token]![at]! - mean) / deviation
    }
  }
  return values
}

/** Mirrored at both ends. */
function medians(values: Float64Array): Float64Array {
  const reach = (MEDIAN_WIDTH - 1) / 2
  const last = values.length - 1
  const near = new Float64Array(MEDIAN_WIDTH)
  return values.map((_, at) => {
    for (let step = -reach; step <= reach; step++) {
      const mirrored = last - Math.abs(last - Math.abs(at + step))
      near[step + reach] = values[Math.max(0, mirrored)]!
    }
    return near.sort()[reach]!
  })
}

const DIAGONAL = 0
const NEXT_TOKEN = 1

/** First position of every token on the best way from the first token and position to the last of both. */
function forwardPath(gains: Float64Array, tokens: number, positions: number): number[] {
  const width = positions + 1
  const cost = new Float64Array((tokens + 1) * width).fill(Number.POSITIVE_INFINITY)
  const steps = new Uint8Array((tokens + 1) * width)
  cost[0] = 0
  for (let token = 1; token <= tokens; token++) {
    for (let at = 1; at <= positions; at++) {
      const here = token * width + at
      const ways = [cost[here - width - 1]!, cost[here - width]!, cost[here - 1]!]
      const best = Math.min(...ways)
      steps[here] = ways.indexOf(best)
      cost[here] = best - gains[(token - 1) * positions + at - 1]!
    }
  }
  const starts = new Array<number>(tokens).fill(0)
  for (let token = tokens, at = positions; token > 0 && at > 0; ) {
    starts[token - 1] = at - 1
    const step = steps[token * width + at]
    if (step === DIAGONAL || step === NEXT_TOKEN) token -= 1
    if (step !== NEXT_TOKEN) at -= 1
  }
  return starts
}
