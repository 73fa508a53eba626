/**
 * Brings a stream of samples to another rate, a block at a time, without a seam between blocks.
 *
 * Band-limited interpolation after J. O. Smith, "Digital Audio Resampling": every output sample is the sum of the input samples
 * around its moment, each weighed by a windowed sinc read out of one table. Any pair of rates will do.
 *
 *   input    │  │  │  │  │  │  │       the sinc's zeros lie one input sample apart, or, going down, one output
 *   output     ▲     ▲     ▲           sample apart, which keeps what the lower rate can't hold out of it
 *
 * An output sample lies at one of a few phases between two input samples (48 to 16 kHz: always on one; 44.1 to 16 kHz: at one of 160),
 * whose weights are kept. What comes out lags by the sinc's half width, a millisecond or two; `flush` brings the rest.
 */
export class Resampler {
  readonly #from: number
  readonly #to: number
  /** Zeros of the sinc an input sample advances by; with it as gain the level is kept. */
  readonly #zerosPerSample: number
  /** Input samples on each side of an output sample that it depends on. */
  readonly #reach: number
  /** By phase, in parts of an input sample that `#to` of make a whole one. */
  readonly #weights = new Map<number, Float64Array>()
  readonly #keepsWeights: boolean
  /** Input from `#inputFrom` on, counted from the stream's start; zeros stand before the stream. */
  #input: Float32Array
  #inputFrom: number
  #outputs = 0

  /** Rates in Hz, whole numbers. */
  constructor(from: number, to: number) {
    this.#from = from
    this.#to = to
    this.#zerosPerSample = CUTOFF * Math.min(1, to / from)
    this.#reach = from === to ? 0 : Math.ceil(ZEROS / this.#zerosPerSample)
    this.#keepsWeights = to / greatestCommonDivisor(from, to) <= PHASES_KEPT_MAX
    this.#inputFrom = -this.#reach
    this.#input = new Float32Array(this.#reach)
  }

  /** The output that can be computed by now, in a fresh array. `samples` stays the caller's. */
  push(samples: Float32Array): Float32Array {
    if (this.#from === this.#to) return samples.slice()
    this.#append(samples)
    // The last input sample that has its whole surroundings, and the output up to it.
    const known = this.#inputFrom + this.#input.length - this.#reach
    const count = Math.max(0, Math.ceil((known * this.#to) / this.#from) - this.#outputs)
    const output = new Float32Array(count)
    for (let i = 0; i < count; i++) output[i] = this.#sampleAt((this.#outputs + i) * this.#from)
    this.#outputs += count
    this.#forget()
    return output
  }

  /** The rest, as if silence followed. Nothing may be pushed after it. */
  flush(): Float32Array {
    return this.push(new Float32Array(this.#reach))
  }

  #append(samples: Float32Array): void {
    const joined = new Float32Array(this.#input.length + samples.length)
    joined.set(this.#input)
    joined.set(samples, this.#input.length)
    this.#input = joined
  }

  /** Input that no later output depends on. */
  #forget(): void {
    const neededFrom = Math.floor((this.#outputs * this.#from) / this.#to) - this.#reach
    const forgotten = Math.max(0, neededFrom - this.#inputFrom)
    this.#input = this.#input.slice(forgotten)
    this.#inputFrom += forgotten
  }

  /** `moment`: in parts of an input sample that `#to` of make a whole one, so that it is exact. */
  #sampleAt(moment: number): number {
    const phase = moment % this.#to
    const weights = this.#weightsOf(phase)
    const first = (moment - phase) / this.#to - this.#reach + 1 - this.#inputFrom
    const input = this.#input
    let sum = 0
    for (let i = 0; i < weights.length; i++) sum += weights[i]! * input[first + i]!
    return sum
  }

  #weightsOf(phase: number): Float64Array {
    const kept = this.#weights.get(phase)
    if (kept !== undefined) return kept
    const weights = new Float64Array(2 * this.#reach)
    const middle = this.#reach - 1 + phase / this.#to
    for (let i = 0; i < weights.length; i++) {
      weights[i] = this.#zerosPerSample * sinc(Math.abs(i - middle) * this.#zerosPerSample)
    }
    if (this.#keepsWeights) this.#weights.set(phase, weights)
    return weights
  }
}

/** Zeros of the sinc on each side: more make the step from passed to stopped frequencies steeper. */
const ZEROS = 24
/** Passed share of the lower rate's band; what is between it and the whole is the step. */
const CUTOFF = 0.93
/** Entries of the table between two zeros. Interpolated linearly, they err by −100 dB. */
const STEPS_PER_ZERO = 256
/** Kaiser's window: stops by 80 dB. */
const KAISER_BETA = 8
/** More than any rate in use has: 11.025 kHz has 640. Weights of odder rates are computed anew for every sample. */
const PHASES_KEPT_MAX = 1_024

/** One side of the windowed sinc, and zeros behind its end. */
const SINC = Float64Array.from({ length: ZEROS * STEPS_PER_ZERO + 2 }, (_, step) => {
  const zeros = step / STEPS_PER_ZERO
  if (zeros >= ZEROS) return 0
  const value = step === 0 ? 1 : Math.sin(Math.PI * zeros) / (Math.PI * zeros)
  return (value * bessel(KAISER_BETA * Math.sqrt(1 - (zeros / ZEROS) ** 2))) / bessel(KAISER_BETA)
})

/** Between two entries of the table. */
function sinc(zeros: number): number {
  const place = Math.min(zeros, ZEROS) * STEPS_PER_ZERO
  const step = Math.floor(place)
  const value = SINC[step]!
  return value + (place - step) * (SINC[step + 1]! - value)
}

/** Modified Bessel function of the first kind and order zero, by its power series. */
function bessel(x: number): number {
  let term = 1
  let sum = 1
  for (let k = 1; term > 1e-12 * sum; k++) {
    term *= (x / (2 * k)) ** 2
    sum += term
  }
  return sum
}

function greatestCommonDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestCommonDivisor(b, a % b)
}
