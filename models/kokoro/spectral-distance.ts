const WINDOW = 512
const HOP = 256
const BINS = WINDOW / 2 + 1
/** Added to every power, so that differences far below hearing do not count. */
const POWER_FLOOR = 1e-7
const QUIET_BELOW_DB = -30

/**
 * Log-spectral distance of two signals of the same length, in dB: root mean square over frequency, mean over the frames where the
 * first is not quiet. 0 for equal signals; infinite where the lengths differ.
 */
export function spectralDistanceDb(a: Float32Array, b: Float32Array): number {
  if (a.length !== b.length) return Number.POSITIVE_INFINITY
  let sum = 0
  let frames = 0
  for (let at = 0; at + WINDOW <= a.length; at += HOP) {
    const left = decibels(a.subarray(at, at + WINDOW))
    if (Math.max(...left) < QUIET_BELOW_DB) continue
    const right = decibels(b.subarray(at, at + WINDOW))
    sum += Math.sqrt(left.reduce((squares, value, bin) => squares + (value - (right[bin] ?? 0)) ** 2, 0) / BINS)
    frames++
  }
  return frames === 0 ? 0 : sum / frames
}

const TURNS = Array.from({ length: WINDOW }, (_, n) => (2 * Math.PI * n) / WINDOW)
const COS = Float64Array.from(TURNS, Math.cos)
const SIN = Float64Array.from(TURNS, Math.sin)

/** Power of each bin under a Hann window. A plain sum: this runs for a few seconds of audio, once an installation. */
function decibels(frame: Float32Array): Float64Array {
  const windowed = Float64Array.from(frame, (sample, n) => sample * (0.5 - 0.5 * (COS[n] ?? 0)))
  return Float64Array.from({ length: BINS }, (_, bin) => {
    let re = 0
    let im = 0
    for (let n = 0; n < WINDOW; n++) {
      const turn = (bin * n) % WINDOW
      re += (windowed[n] ?? 0) * (COS[turn] ?? 0)
      im += (windowed[n] ?? 0) * (SIN[turn] ?? 0)
    }
    return 10 * Math.log10(re * re + im * im + POWER_FLOOR)
  })
}
