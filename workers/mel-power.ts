import { PowerSpectrum } from './fourier.ts'

/** Samples between two frames, 10 ms, and under one frame, 25 ms. */
export const HOP_SAMPLES = 160
const FRAME_SAMPLES = 400
const SAMPLE_RATE = 16_000
const BINS = FRAME_SAMPLES / 2 + 1

/** Power in bands of pitch, of one frame at a time, as the speech models of 16 kHz want it. */
export class MelPower {
  readonly bands: number
  readonly #bands: readonly Band[]
  readonly #spectrum = new PowerSpectrum(FRAME_SAMPLES)
  readonly #window = Float64Array.from({ length: FRAME_SAMPLES }, (_, at) => {
    return 0.5 - 0.5 * Math.cos((2 * Math.PI * at) / FRAME_SAMPLES)
  })
  readonly #frame = new Float64Array(FRAME_SAMPLES)
  readonly #power = new Float64Array(BINS)

  constructor(bands: number) {
    this.bands = bands
    this.#bands = melBands(bands)
  }

  /** Writes the powers of the frame around sample `middle`. The start is mirrored into the time before it. */
  write(samples: Float32Array, middle: number, powers: Float64Array): void {
    const from = middle - FRAME_SAMPLES / 2
    for (let at = 0; at < FRAME_SAMPLES; at++) {
      this.#frame[at] = (samples[Math.abs(from + at)] ?? 0) * this.#window[at]!
    }
    this.#spectrum.write(this.#frame, this.#power)
    for (let index = 0; index < this.#bands.length; index++) {
      const { from: bin, weights } = this.#bands[index]!
      let power = 0
      for (let at = 0; at < weights.length; at++) power += weights[at]! * this.#power[bin + at]!
      powers[index] = power
    }
  }
}

/** Middles of the bands, in hertz. */
export function melMiddles(count: number): number[] {
  return melCorners(count).slice(1, -1)
}

/** A triangle over neighbouring bins of the spectrum, of area one. */
interface Band {
  /** First bin. */
  readonly from: number
  readonly weights: Float64Array
}

function melBands(count: number): readonly Band[] {
  const corners = melCorners(count)
  return Array.from({ length: count }, (_, index) => {
    const [low = 0, middle = 0, high = 0] = corners.slice(index, index + 3)
    const heights = Array.from({ length: BINS }, (_, bin) => {
      const hertz = (bin * SAMPLE_RATE) / FRAME_SAMPLES
      return Math.max(0, Math.min((hertz - low) / (middle - low), (high - hertz) / (high - middle)))
    })
    const from = Math.max(
      0,
      heights.findIndex((height) => height > 0),
    )
    const to = heights.findLastIndex((height) => height > 0) + 1
    return { from, weights: Float64Array.from(heights.slice(from, to), (height) => (2 * height) / (high - low)) }
  })
}

/** Where the triangles begin, peak and end. */
function melCorners(count: number): number[] {
  const highest = hertzToMel(SAMPLE_RATE / 2)
  return Array.from({ length: count + 2 }, (_, index) => melToHertz((highest * index) / (count + 1)))
}

/** Slaney's scale: even steps up to 1 kHz, even ratios above. */
const BREAK_HERTZ = 1_000
const BREAK_MEL = 15
const HERTZ_A_MEL = BREAK_HERTZ / BREAK_MEL
const LOG_STEP = Math.log(6.4) / 27

function hertzToMel(hertz: number): number {
  return hertz < BREAK_HERTZ ? hertz / HERTZ_A_MEL : BREAK_MEL + Math.log(hertz / BREAK_HERTZ) / LOG_STEP
}

function melToHertz(mel: number): number {
  return mel < BREAK_MEL ? mel * HERTZ_A_MEL : BREAK_HERTZ * Math.exp(LOG_STEP * (mel - BREAK_MEL))
}
