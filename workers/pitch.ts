const SAMPLE_RATE = 16_000
const LOWEST_HZ = 60
const HIGHEST_HZ = 400
const LAG_MIN = Math.floor(SAMPLE_RATE / HIGHEST_HZ)
const LAG_MAX = Math.ceil(SAMPLE_RATE / LOWEST_HZ)
/** What is compared with itself a lag later: two periods of a low voice. */
const WINDOW_SAMPLES = 560
const HOP_SAMPLES = 320
/** Below this a frame is so like itself a period later that it is voiced. YIN takes 0.1 for clean speech; recordings hum and hiss. */
const DIFFERENCE_MAX = 0.3
/** Frames this far below the loudest are left out. */
const RANGE_DB = 30
/** With fewer voiced frames, 0.16 s, the median means little. */
const VOICED_FRAMES_MIN = 8
const RUMBLE_HZ = 75

/**
 * Median pitch of speech at 16 kHz, in hertz, by the YIN method (de Cheveigné and Kawahara, 2002). 0 where too little of it is
 * voiced.
 */
export function medianPitch(speech: Float32Array): number {
  const samples = withoutRumble(speech)
  const frames = Math.floor((samples.length - WINDOW_SAMPLES - LAG_MAX) / HOP_SAMPLES) + 1
  if (frames < VOICED_FRAMES_MIN) return 0
  const starts = Array.from({ length: frames }, (_, frame) => frame * HOP_SAMPLES)
  const levels = starts.map((start) => energy(samples, start, start + WINDOW_SAMPLES))
  const audible = quantile(levels, 0.95) * 10 ** (-RANGE_DB / 10)
  const pitches = starts.flatMap((start, frame) => {
    const pitch = levels[frame]! > audible ? pitchAt(samples, start) : 0
    return pitch > 0 ? [pitch] : []
  })
  return pitches.length < VOICED_FRAMES_MIN ? 0 : quantile(pitches, 0.5)
}

const difference = new Float64Array(LAG_MAX + 1)

/** 0 where the frame is not voiced. */
function pitchAt(samples: Float32Array, start: number): number {
  let sum = 0
  for (let lag = 1; lag <= LAG_MAX; lag++) {
    let total = 0
    for (let at = start; at < start + WINDOW_SAMPLES; at++) {
      const gap = samples[at]! - samples[at + lag]!
      total += gap * gap
    }
    sum += total
    // Compared with the mean of the shorter lags, which frees it from the level.
    difference[lag] = sum > 0 ? (total * lag) / sum : 1
  }
  let lag = LAG_MIN
  while (lag < LAG_MAX && difference[lag]! >= DIFFERENCE_MAX) lag++
  if (lag >= LAG_MAX) return 0
  while (lag + 1 < LAG_MAX && difference[lag + 1]! < difference[lag]!) lag++
  const [before, here, after] = [difference[lag - 1]!, difference[lag]!, difference[lag + 1]!]
  const bend = before - 2 * here + after
  // The bottom of the parabola through the three.
  return SAMPLE_RATE / (lag + (bend > 0 ? (0.5 * (before - after)) / bend : 0))
}

/** A Butterworth high-pass of fourth order, as two of second order. */
function withoutRumble(samples: Float32Array): Float32Array {
  return [0.541_196, 1.306_563].reduce(highPass, samples)
}

/** After Bristow-Johnson's cookbook. `quality` shapes the corner. */
function highPass(samples: Float32Array, quality: number): Float32Array {
  const angle = (2 * Math.PI * RUMBLE_HZ) / SAMPLE_RATE
  const alpha = Math.sin(angle) / (2 * quality)
  const cos = Math.cos(angle)
  const gain = (1 + cos) / 2 / (1 + alpha)
  const [a1, a2] = [(-2 * cos) / (1 + alpha), (1 - alpha) / (1 + alpha)]
  let [x1, x2, y1, y2] = [0, 0, 0, 0]
  return samples.map((x) => {
    const y = gain * (x - 2 * x1 + x2) - a1 * y1 - a2 * y2
    ;[x2, x1, y2, y1] = [x1, x, y1, y]
    return y
  })
}

function energy(samples: Float32Array, from: number, to: number): number {
  let sum = 0
  for (let at = from; at < to; at++) sum += samples[at]! * samples[at]!
  return sum
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(share * (sorted.length - 1))] ?? 0
}
