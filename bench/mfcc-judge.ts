import { PowerSpectrum } from '../workers/fourier.ts'
import { loudSpeech } from '../workers/loud-speech.ts'

/**
 * How a voice's spectra are distributed, without any network: a Gaussian over cepstral coefficients. It knows nothing of the encoder
 * that voices are fitted with, and so tells whether the fit is more than flattery of that encoder.
 */
export interface CepstralVoice {
  readonly mean: Float64Array
  /** [COEFFICIENTS, COEFFICIENTS] */
  readonly covariance: Float64Array
  readonly inverse: Float64Array
}

const SAMPLE_RATE = 16_000
const FRAME_SAMPLES = 400
const HOP_SAMPLES = 160
const BANDS = 40
const LOWEST_HZ = 80
const HIGHEST_HZ = 7_000
const COEFFICIENTS = 16
const EMPHASIS = 0.97
const QUIET_SHARE = 0.3
/** Keeps few frames from making the distribution narrower than it is. */
const VARIANCE_MIN = 0.5

/** `samples`: speech at 16 kHz. */
export function cepstralVoice(samples: Float32Array): CepstralVoice {
  const speech = loudSpeech(samples)
  const frames = cepstra(speech.map((sample, at) => sample - EMPHASIS * (speech[at - 1] ?? 0)))
  const mean = Float64Array.from({ length: COEFFICIENTS }, (_, at) => average(frames.map((frame) => frame[at]!)))
  const covariance = new Float64Array(COEFFICIENTS ** 2)
  for (let row = 0; row < COEFFICIENTS; row++) {
    for (let column = 0; column < COEFFICIENTS; column++) {
      const products = frames.map((frame) => (frame[row]! - mean[row]!) * (frame[column]! - mean[column]!))
      covariance[row * COEFFICIENTS + column] = average(products) + (row === column ? VARIANCE_MIN : 0)
    }
  }
  return { mean, covariance, inverse: inverted(covariance, COEFFICIENTS) }
}

/** Symmetric Kullback-Leibler divergence: 0 for the same distribution. */
export function divergence(a: CepstralVoice, b: CepstralVoice): number {
  let sum = -2 * COEFFICIENTS
  for (let row = 0; row < COEFFICIENTS; row++) {
    for (let column = 0; column < COEFFICIENTS; column++) {
      const at = row * COEFFICIENTS + column
      const gaps = (a.mean[row]! - b.mean[row]!) * (a.mean[column]! - b.mean[column]!)
      sum += a.inverse[at]! * (b.covariance[at]! + gaps) + b.inverse[at]! * (a.covariance[at]! + gaps)
    }
  }
  return sum / 4
}

/** The louder frames' coefficients 1 to 16. */
function cepstra(samples: Float32Array): Float64Array[] {
  const spectrum = new PowerSpectrum(FRAME_SAMPLES)
  const frame = new Float64Array(FRAME_SAMPLES)
  const power = new Float64Array(FRAME_SAMPLES / 2 + 1)
  const pictures: { levels: number[]; total: number }[] = []
  for (let from = 0; from + FRAME_SAMPLES <= samples.length; from += HOP_SAMPLES) {
    for (let at = 0; at < FRAME_SAMPLES; at++) {
      frame[at] = samples[from + at]! * (0.5 - 0.5 * Math.cos((2 * Math.PI * at) / FRAME_SAMPLES))
    }
    spectrum.write(frame, power)
    const bands = BAND_WEIGHTS.map((weights) => weights.reduce((sum, weight, bin) => sum + weight * power[bin]!, 0))
    const levels = bands.map((band) => Math.log(band + 1e-9))
    pictures.push({ levels, total: average(levels) })
  }
  const loud = pictures.sort((a, b) => b.total - a.total).slice(0, Math.ceil((1 - QUIET_SHARE) * pictures.length))
  return loud.map(({ levels }) =>
    Float64Array.from({ length: COEFFICIENTS }, (_, index) => {
      const term = index + 1
      const sum = levels.reduce(
        (total, level, band) => total + level * Math.cos((Math.PI * term * (band + 0.5)) / BANDS),
        0,
      )
      return sum * Math.sqrt(2 / BANDS)
    }),
  )
}

const BAND_WEIGHTS = Array.from({ length: BANDS }, (_, band) => {
  const mel = (hertz: number) => 2_595 * Math.log10(1 + hertz / 700)
  const hertz = (value: number) => 700 * (10 ** (value / 2_595) - 1)
  const corner = (index: number) => hertz(mel(LOWEST_HZ) + ((mel(HIGHEST_HZ) - mel(LOWEST_HZ)) * index) / (BANDS + 1))
  const [low, middle, high] = [corner(band), corner(band + 1), corner(band + 2)]
  return Float64Array.from({ length: FRAME_SAMPLES / 2 + 1 }, (_, bin) => {
    const at = (bin * SAMPLE_RATE) / FRAME_SAMPLES
    return Math.max(0, Math.min((at - low) / (middle - low), (high - at) / (high - middle))) / (high - low)
  })
})

function average(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

/** Of a positive definite matrix, by Gauss and Jordan's method. */
function inverted(matrix: Float64Array, n: number): Float64Array {
  const left = matrix.slice()
  const right = Float64Array.from({ length: n * n }, (_, at) => (at % (n + 1) === 0 ? 1 : 0))
  for (let pivot = 0; pivot < n; pivot++) {
    const scale = left[pivot * n + pivot]!
    for (let at = 0; at < n; at++) {
      left[pivot * n + at]! /= scale
      right[pivot * n + at]! /= scale
    }
    for (let row = 0; row < n; row++) {
      const factor = row === pivot ? 0 : left[row * n + pivot]!
      for (let at = 0; at < n; at++) {
        left[row * n + at]! -= factor * left[pivot * n + at]!
        right[row * n + at]! -= factor * right[pivot * n + at]!
      }
    }
  }
  return right
}
