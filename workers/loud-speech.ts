const SAMPLE_RATE = 16_000
const WINDOW_SAMPLES = (30 * SAMPLE_RATE) / 1_000
/** Quiet speech is made this loud, in dB of full scale; loud speech stays as it is. */
const LEVEL_DB = -30
/** Windows this far below the loudest hold pauses. */
const RANGE_DB = 30
/** Windows that are judged together, and how far beyond speech is kept: a pause of up to 0.2 s stays. */
const SMOOTHING = 8
const MARGIN = 3

/** Speech at 16 kHz at an even level and without its pauses, so that only how it sounds is left, in a fresh array. */
export function loudSpeech(samples: Float32Array): Float32Array {
  const windows = Math.floor(samples.length / WINDOW_SAMPLES)
  const gain = gainOf(samples)
  const levels = Array.from({ length: windows }, (_, index) => {
    const from = index * WINDOW_SAMPLES
    return 10 * Math.log10(gain ** 2 * power(samples.subarray(from, from + WINDOW_SAMPLES)) + 1e-10)
  })
  const sorted = [...levels].sort((a, b) => a - b)
  const threshold = (sorted[Math.floor(0.95 * (windows - 1))] ?? 0) - RANGE_DB
  const loud = levels.map((level) => (level > threshold ? 1 : 0))
  const speech = loud.map((_, index) => 2 * sumAround(loud, index - SMOOTHING / 2, SMOOTHING) >= SMOOTHING)
  const kept = speech.flatMap((_, index) => {
    const near = speech.slice(Math.max(0, index - MARGIN), index + MARGIN + 1)
    return near.includes(true) ? [index] : []
  })
  const output = new Float32Array(kept.length * WINDOW_SAMPLES)
  for (const [to, window] of kept.entries()) {
    const from = window * WINDOW_SAMPLES
    output.set(samples.subarray(from, from + WINDOW_SAMPLES), to * WINDOW_SAMPLES)
  }
  return output.map((sample) => gain * sample)
}

function gainOf(samples: Float32Array): number {
  return Math.max(1, 10 ** (LEVEL_DB / 20) / (Math.sqrt(power(samples)) + 1e-9))
}

function power(samples: Float32Array): number {
  let sum = 0
  for (const sample of samples) sum += sample * sample
  return sum / Math.max(1, samples.length)
}

function sumAround(values: readonly number[], from: number, count: number): number {
  return values.slice(Math.max(0, from), Math.max(0, from + count)).reduce((sum, value) => sum + value, 0)
}
