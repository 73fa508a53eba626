/** Frames a token at a rate of speech: at least one each, rounded as the shipped graph does (halves to even). */
export function paceDurations(durations: Float32Array, speed: number): Int32Array {
  return Int32Array.from(durations, (duration) => Math.max(1, roundHalfEven(duration / speed)))
}

/**
 * Frames a token that add up to `frames`: all durations scaled alike, rounded along their running sum so that no error builds up.
 * Every token keeps at least one frame; when `frames` holds fewer than there are tokens, the sum is the number of tokens.
 */
export function fitDurations(durations: Float32Array, frames: number): Int32Array {
  const target = Math.max(frames, durations.length)
  const scaled = scaleAboveOne(durations, target)
  const fitted = new Int32Array(durations.length)
  let sum = 0
  let given = 0
  for (let index = 0; index < scaled.length; index++) {
    sum += scaled[index] ?? 0
    const tokensLeft = scaled.length - 1 - index
    const share = Math.min(Math.round(sum) - given, target - given - tokensLeft)
    fitted[index] = index === scaled.length - 1 ? target - given : Math.max(1, share)
    given += fitted[index] ?? 0
  }
  return fitted
}

/** For every frame, the token it belongs to. */
export function alignment(durations: Int32Array): BigInt64Array {
  const tokens = new BigInt64Array(durations.reduce((sum, duration) => sum + duration, 0))
  let at = 0
  durations.forEach((duration, token) => {
    tokens.fill(BigInt(token), at, at + duration)
    at += duration
  })
  return tokens
}

/** Scales values so that they add up to `target` with none below 1: what is lifted to 1 is taken from the others. */
function scaleAboveOne(values: Float32Array, target: number): Float64Array {
  const scaled = Float64Array.from(values, (value) => Math.max(value, Number.MIN_VALUE))
  const lifted = new Uint8Array(scaled.length)
  for (;;) {
    let free = 0
    let room = target
    scaled.forEach((value, index) => {
      if (lifted[index]) room -= 1
      else free += value
    })
    const factor = free > 0 ? room / free : 1
    let lifts = 0
    scaled.forEach((value, index) => {
      if (!lifted[index] && value * factor < 1) {
        lifted[index] = 1
        lifts++
      }
    })
    if (lifts === 0) return scaled.map((value, index) => (lifted[index] ? 1 : value * factor))
  }
}

function roundHalfEven(value: number): number {
  const floor = Math.floor(value)
  const rest = value - floor
  if (rest !== 0.5) return Math.round(value)
  return floor % 2 === 0 ? floor : floor + 1
}
