/**
 * Brings a stream of samples to another rate, a block at a time, without a seam between blocks.
 *
 * Band-limited interpolation after J. O. Smith, "Digital Audio Resampling": every output sample is the sum of the input samples
 * around its moment, each weighed by a windowed sinc read out of one table. Any pair of rates will do, and none of them costs
 * anything to begin with.
 *
 *   input    │  │  │  │  │  │  │       the sinc's zeros lie one input sample apart, or, going down, one output
 *   output     ▲     ▲     ▲           sample apart, which keeps what the lower rate can't hold out of it
 *
 * What comes out lags by the sinc's half width, a millisecond or two; `flush` brings the rest.
 */
export class Resampler {
  /** Input samples an output sample advances by. */
  readonly #step: number
  /** Zeros of the sinc an input sample advances by; the gain that keeps the level. */
  readonly #zerosPerSample: number
  /** Input samples on each side of an output sample that it depends on. */
  readonly #reach: number
  /** Input from `#inputFrom` on, counted from the stream's start; zeros stand before the stream. */
  #input: Float32Array
  #inputFrom: number
  #outputs = 0

  /** Rates in Hz. */
  constructor(from: number, to: number) {
    this.#step = from / to
    this.#zerosPerSample = from === to ? 1 : CUTOFF * Math.min(1, to / from)
    this.#reach = from === to ? 0 : Math.ceil(ZEROS / this.#zerosPerSample)
    this.#input = new Float32Array(this.#reach)
    this.#inputFrom = -this.#reach
  }

  /** The output that can be computed by now, in a fresh array. `samples` stays the caller's. */
  push(samples: Float32Array): Float32Array {
    if (this.#reach === 0) return samples.slice()
    this.#append(samples)
    const known = this.#inputFrom + this.#input.length - this.#reach
    const count = Math.max(0, Math.ceil(known / this.#step) - this.#outputs)
    const output = new Float32Array(count)
    for (let i = 0; i < count; i++) output[i] = this.#sampleAt((this.#outputs + i) * this.#step)
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
    const neededFrom = Math.floor(this.#outputs * this.#step) - this.#reach
    const forgotten = Math.max(0, neededFrom - this.#inputFrom)
    this.#input = this.#input.slice(forgotten)
    this.#inputFrom += forgotten
  }

  /** `at`: a moment between input samples. */
  #sampleAt(at: number): number {
    const middle = Math.floor(at)
    const first = Math.max(this.#inputFrom, middle - this.#reach + 1)
    const last = Math.min(this.#inputFrom + this.#input.length - 1, middle + this.#reach)
    const scale = this.#zerosPerSample * STEPS_PER_ZERO
    let sum = 0
    for (let i = first; i <= last; i++) {
      const place = Math.abs(at - i) * scale
      const step = Math.floor(place)
      if (step >= SINC_STEPS) continue
      const value = SINC[step]!
      sum += this.#input[i - this.#inputFrom]! * (value + (place - step) * (SINC[step + 1]! - value))
    }
    return sum * this.#zerosPerSample
  }
}

/** Zeros of the sinc on each side: more make the step from passed to stopped frequencies steeper. */
const ZEROS = 24
/** Passed share of the lower rate's band; what is between it and the whole is the step. */
const CUTOFF = 0.93
/** Entries of the table between two zeros. Interpolated linearly, they err by −100 dB. */
const STEPS_PER_ZERO = 256
const SINC_STEPS = ZEROS * STEPS_PER_ZERO
/** Kaiser's window: stops by 80 dB. */
const KAISER_BETA = 8

/** One side of the windowed sinc, and a zero behind its end. */
const SINC = Float64Array.from({ length: SINC_STEPS + 1 }, (_, step) => {
  const zeros = step / STEPS_PER_ZERO
  const sinc = step === 0 ? 1 : Math.sin(Math.PI * zeros) / (Math.PI * zeros)
  return (sinc * bessel(KAISER_BETA * Math.sqrt(1 - (zeros / ZEROS) ** 2))) / bessel(KAISER_BETA)
})

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
