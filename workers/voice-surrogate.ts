import { dimensionsOf, HEARD_WIDTH, type VoiceSpace } from '../models/voices/voice-space.ts'

/** Width of the kernel, the share of what is linear in it, and what examples may be off by. Chosen by cross-validation. */
const GAMMA = 0.06
const LINEAR = 0.02
const NOISE = 0.15

/** Guesses how points of the voice space sound, from the points that were tried: kernel ridge regression. */
export class VoiceSurrogate {
  readonly #dimensions: number
  readonly #count: number
  readonly #points: Float64Array
  /** Squared distances of the points from the middle. */
  readonly #squares: Float64Array
  /** [count, HEARD_WIDTH] */
  readonly #weights: Float64Array
  readonly #mean: Float64Array
  readonly #kernel: Float64Array

  /** `more`: points beside the space's own, and what was heard there. */
  constructor(
    space: VoiceSpace,
    more: readonly { readonly coordinates: Float32Array; readonly heard: Float32Array }[],
  ) {
    this.#dimensions = dimensionsOf(space)
    const own = space.tried.length / this.#dimensions
    this.#count = own + more.length
    this.#points = new Float64Array(this.#count * this.#dimensions)
    this.#points.set(space.tried)
    const heard = new Float64Array(this.#count * HEARD_WIDTH)
    heard.set(space.heard)
    for (const [index, example] of more.entries()) {
      this.#points.set(example.coordinates, (own + index) * this.#dimensions)
      heard.set(example.heard, (own + index) * HEARD_WIDTH)
    }
    this.#squares = Float64Array.from({ length: this.#count }, (_, row) =>
      squareOf(this.#points.subarray(row * this.#dimensions, (row + 1) * this.#dimensions)),
    )
    this.#kernel = new Float64Array(this.#count)
    this.#mean = columnMeans(heard, HEARD_WIDTH)
    this.#weights = heard.map((value, at) => value - this.#mean[at % HEARD_WIDTH]!)
    solveInPlace(this.#gram(), this.#count, this.#weights, HEARD_WIDTH)
  }

  /** Writes what would be heard at a point to `heard`, HEARD_WIDTH numbers. */
  predict(point: Float64Array, heard: Float64Array): void {
    this.#writeKernel(point, this.#kernel)
    heard.set(this.#mean)
    for (let row = 0; row < this.#count; row++) {
      const share = this.#kernel[row]!
      const from = row * HEARD_WIDTH
      for (let at = 0; at < HEARD_WIDTH; at++) heard[at]! += share * this.#weights[from + at]!
    }
  }

  /** Row-major, with the noise on its diagonal. */
  #gram(): Float64Array {
    const gram = new Float64Array(this.#count ** 2)
    for (let row = 0; row < this.#count; row++) {
      const point = this.#points.subarray(row * this.#dimensions, (row + 1) * this.#dimensions)
      this.#writeKernel(point, gram.subarray(row * this.#count, (row + 1) * this.#count))
      gram[row * this.#count + row]! += NOISE
    }
    return gram
  }

  #writeKernel(point: Float64Array, kernel: Float64Array): void {
    const square = squareOf(point)
    for (let row = 0; row < this.#count; row++) {
      const from = row * this.#dimensions
      let product = 0
      for (let axis = 0; axis < this.#dimensions; axis++) product += point[axis]! * this.#points[from + axis]!
      const distance = square + this.#squares[row]! - 2 * product
      kernel[row] = Math.exp(-GAMMA * distance) + LINEAR * product
    }
  }
}

function squareOf(point: Float64Array): number {
  let sum = 0
  for (const value of point) sum += value * value
  return sum
}

function columnMeans(values: Float64Array, width: number): Float64Array {
  const means = new Float64Array(width)
  for (const [at, value] of values.entries()) means[at % width]! += (value * width) / values.length
  return means
}

/** Solves A·X = B for a positive definite A [n, n], which is destroyed, and B [n, columns], which becomes X: Cholesky. */
function solveInPlace(a: Float64Array, n: number, b: Float64Array, columns: number): void {
  for (let row = 0; row < n; row++) {
    for (let column = 0; column <= row; column++) {
      let sum = a[row * n + column]!
      for (let k = 0; k < column; k++) sum -= a[row * n + k]! * a[column * n + k]!
      a[row * n + column] = row === column ? Math.sqrt(sum) : sum / a[column * n + column]!
    }
  }
  const subtract = (row: number, other: number, factor: number) => {
    for (let at = 0; at < columns; at++) b[row * columns + at]! -= factor * b[other * columns + at]!
  }
  const divide = (row: number) => {
    for (let at = 0; at < columns; at++) b[row * columns + at]! /= a[row * n + row]!
  }
  for (let row = 0; row < n; row++) {
    for (let k = 0; k < row; k++) subtract(row, k, a[row * n + k]!)
    divide(row)
  }
  for (let row = n - 1; row >= 0; row--) {
    for (let k = row + 1; k < n; k++) subtract(row, k, a[k * n + row]!)
    divide(row)
  }
}
