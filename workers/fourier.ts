/**
 * Power spectra of real frames of one length: an even number whose half has no prime factors but 2 and 5. Whisper's frames are 400
 * samples long, which libraries for powers of two do not take.
 *
 * The frame's even and odd samples are the real and imaginary parts of a signal of half the length. That is transformed by Stockham's
 * method, one factor at a time, and the two spectra are taken apart again.
 */
export class PowerSpectrum {
  readonly #half: number
  readonly #stages: readonly Stage[]
  /** Complex values, real and imaginary part in turn; the stages write from one into the other. */
  #from: Float64Array
  #to: Float64Array
  readonly #cosines: Float64Array
  readonly #sines: Float64Array

  constructor(length: number) {
    this.#half = length / 2
    this.#stages = stagesOf(this.#half)
    this.#from = new Float64Array(length)
    this.#to = new Float64Array(length)
    const angles = Float64Array.from({ length: this.#half }, (_, bin) => (2 * Math.PI * bin) / length)
    this.#cosines = angles.map(Math.cos)
    this.#sines = angles.map(Math.sin)
  }

  /** Writes |X[k]|² of `frame`, of the given length, to `power`, for k = 0 … length / 2. */
  write(frame: Float64Array, power: Float64Array): void {
    const half = this.#half
    const z = this.#transform(frame)
    power[0] = (z[0]! + z[1]!) ** 2
    power[half] = (z[0]! - z[1]!) ** 2
    for (let bin = 1; bin < half; bin++) {
      const re = z[2 * bin]!
      const im = z[2 * bin + 1]!
      const mirrorRe = z[2 * (half - bin)]!
      const mirrorIm = z[2 * (half - bin) + 1]!
      const oddRe = (im + mirrorIm) / 2
      const oddIm = (mirrorRe - re) / 2
      const cos = this.#cosines[bin]!
      const sin = this.#sines[bin]!
      power[bin] =
        ((re + mirrorRe) / 2 + cos * oddRe + sin * oddIm) ** 2 + ((im - mirrorIm) / 2 + cos * oddIm - sin * oddRe) ** 2
    }
  }

  #transform(frame: Float64Array): Float64Array {
    this.#from.set(frame)
    for (const stage of this.#stages) {
      runStage(stage, this.#from, this.#to)
      const written = this.#to
      this.#to = this.#from
      this.#from = written
    }
    return this.#from
  }
}

/** Takes transforms of `groups` × `radix` values apart into `radix` times as many; `stride` of them lie side by side. */
interface Stage {
  readonly radix: Radix
  readonly groups: number
  readonly stride: number
  /** Real and imaginary parts of [group, output]. */
  readonly twiddles: Float64Array
}

const RADICES = [2, 5] as const
type Radix = (typeof RADICES)[number]

function stagesOf(length: number): readonly Stage[] {
  const stages: Stage[] = []
  let left = length
  while (left > 1) {
    const radix = RADICES.find((candidate) => left % candidate === 0)
    if (radix === undefined) throw new Error(`no transform of ${2 * length} samples`)
    stages.push({ radix, groups: left / radix, stride: length / left, twiddles: twiddlesOf(radix, left) })
    left /= radix
  }
  return stages
}

function twiddlesOf(radix: Radix, span: number): Float64Array {
  const twiddles = new Float64Array(2 * span)
  for (let at = 0; at < span; at++) {
    const angle = (-2 * Math.PI * Math.floor(at / radix) * (at % radix)) / span
    twiddles[2 * at] = Math.cos(angle)
    twiddles[2 * at + 1] = Math.sin(angle)
  }
  return twiddles
}

function runStage(stage: Stage, x: Float64Array, y: Float64Array): void {
  if (stage.radix === 2) runPairs(stage, x, y)
  else runFives(stage, x, y)
}

function runPairs({ groups, stride, twiddles }: Stage, x: Float64Array, y: Float64Array): void {
  const apart = 2 * stride * groups
  for (let group = 0; group < groups; group++) {
    const cos = twiddles[4 * group + 2]!
    const sin = twiddles[4 * group + 3]!
    for (let lane = 0; lane < 2 * stride; lane += 2) {
      const source = 2 * stride * group + lane
      const target = 4 * stride * group + lane
      const second = source + apart
      const re = x[source]! - x[second]!
      const im = x[source + 1]! - x[second + 1]!
      y[target] = x[source]! + x[second]!
      y[target + 1] = x[source + 1]! + x[second + 1]!
      y[target + 2 * stride] = re * cos - im * sin
      y[target + 2 * stride + 1] = re * sin + im * cos
    }
  }
}

const COS_1 = Math.cos((2 * Math.PI) / 5)
const COS_2 = Math.cos((4 * Math.PI) / 5)
const SIN_1 = Math.sin((2 * Math.PI) / 5)
const SIN_2 = Math.sin((4 * Math.PI) / 5)

/** Inputs 1 and 4 and inputs 2 and 3 meet conjugate factors: their sums and differences are all that is needed. */
function runFives({ groups, stride, twiddles }: Stage, x: Float64Array, y: Float64Array): void {
  const apart = 2 * stride * groups
  for (let group = 0; group < groups; group++) {
    for (let lane = 0; lane < 2 * stride; lane += 2) {
      const a = 2 * stride * group + lane
      const b = a + apart
      const c = b + apart
      const d = c + apart
      const e = d + apart
      const outerRe = x[b]! + x[e]!
      const outerIm = x[b + 1]! + x[e + 1]!
      const innerRe = x[c]! + x[d]!
      const innerIm = x[c + 1]! + x[d + 1]!
      const outerGapRe = x[b]! - x[e]!
      const outerGapIm = x[b + 1]! - x[e + 1]!
      const innerGapRe = x[c]! - x[d]!
      const innerGapIm = x[c + 1]! - x[d + 1]!
      const evenRe1 = x[a]! + COS_1 * outerRe + COS_2 * innerRe
      const evenIm1 = x[a + 1]! + COS_1 * outerIm + COS_2 * innerIm
      const evenRe2 = x[a]! + COS_2 * outerRe + COS_1 * innerRe
      const evenIm2 = x[a + 1]! + COS_2 * outerIm + COS_1 * innerIm
      const oddRe1 = SIN_1 * outerGapRe + SIN_2 * innerGapRe
      const oddIm1 = SIN_1 * outerGapIm + SIN_2 * innerGapIm
      const oddRe2 = SIN_2 * outerGapRe - SIN_1 * innerGapRe
      const oddIm2 = SIN_2 * outerGapIm - SIN_1 * innerGapIm
      const target = 10 * stride * group + lane
      y[target] = x[a]! + outerRe + innerRe
      y[target + 1] = x[a + 1]! + outerIm + innerIm
      const twist = 10 * group
      writeTwisted(y, target + 2 * stride, evenRe1 + oddIm1, evenIm1 - oddRe1, twiddles, twist + 2)
      writeTwisted(y, target + 4 * stride, evenRe2 + oddIm2, evenIm2 - oddRe2, twiddles, twist + 4)
      writeTwisted(y, target + 6 * stride, evenRe2 - oddIm2, evenIm2 + oddRe2, twiddles, twist + 6)
      writeTwisted(y, target + 8 * stride, evenRe1 - oddIm1, evenIm1 + oddRe1, twiddles, twist + 8)
    }
  }
}

function writeTwisted(y: Float64Array, at: number, re: number, im: number, twiddles: Float64Array, twist: number) {
  const cos = twiddles[twist]!
  const sin = twiddles[twist + 1]!
  y[at] = re * cos - im * sin
  y[at + 1] = re * sin + im * cos
}
