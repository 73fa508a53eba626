import { dimensionsOf, HEARD_WIDTH, type VoiceSpace } from '../models/voices/voice-space.ts'
import { dot } from './dot-product.ts'

/** Width of the kernel, the share of what is linear in it, and what examples may be off by. Chosen by cross-validation. */
const GAMMA = 0.06
const LINEAR = 0.02
const NOISE = 0.15

/** A point and what was heard there. */
interface Example {
  readonly coordinates: ArrayLike<number>
  readonly heard: ArrayLike<number>
}

/** An example as a row of the equations for the weights, of which the matrix is factored by Cholesky as rows come. */
interface Row {
  readonly point: Float64Array
  /** Up to its diagonal. */
  readonly factor: Float64Array
  /** What was heard less the mean, after forward substitution. */
  readonly solved: Float64Array
}

/** Rows of the points that a space came with: the same for every voice. */
const ownRows = new WeakMap<VoiceSpace, { readonly mean: Float64Array; readonly rows: readonly Row[] }>()

/** Guesses how points of the voice space sound, from the points that were tried: kernel ridge regression. */
export class VoiceSurrogate {
  readonly #dimensions: number
  readonly #count: number
  /** [count, dimensions] */
  readonly #points: Float64Array
  /** Squared distances of the points from the middle. */
  readonly #squares: Float64Array
  /** [count, HEARD_WIDTH] */
  readonly #weights: Float64Array
  readonly #mean: Float64Array

  /** `more`: points beside the space's own. */
  constructor(space: VoiceSpace, more: readonly Example[]) {
    const own = ownRows.get(space) ?? factored(space)
    ownRows.set(space, own)
    const rows = [...own.rows]
    for (const example of more) rows.push(rowAfter(rows, example, own.mean))
    this.#dimensions = dimensionsOf(space)
    this.#count = rows.length
    this.#points = Float64Array.from(rows.flatMap(({ point }) => [...point]))
    this.#squares = Float64Array.from(rows, ({ point }) => dot(point, point))
    this.#weights = weightsOf(rows)
    this.#mean = own.mean
  }

  /** Writes what would be heard at a point to `heard`, HEARD_WIDTH numbers. */
  predict(point: Float64Array, heard: Float64Array): void {
    heard.set(this.#mean)
    const square = dot(point, point)
    for (let row = 0; row < this.#count; row++) {
      const product = this.#product(point, row)
      const share = Math.exp(-GAMMA * (square + this.#squares[row]! - 2 * product)) + LINEAR * product
      const from = row * HEARD_WIDTH
      for (let at = 0; at < HEARD_WIDTH; at++) heard[at]! += share * this.#weights[from + at]!
    }
  }

  /** Adds to `slope` how a sum of what is heard at a point, weighted by `heardSlope`, changes with the point. */
  addSlope(point: Float64Array, heardSlope: Float64Array, slope: Float64Array): void {
    const square = dot(point, point)
    for (let row = 0; row < this.#count; row++) {
      let share = 0
      for (let at = 0; at < HEARD_WIDTH; at++) share += heardSlope[at]! * this.#weights[row * HEARD_WIDTH + at]!
      const distance = square + this.#squares[row]! - 2 * this.#product(point, row)
      const near = 2 * GAMMA * Math.exp(-GAMMA * distance)
      const from = row * this.#dimensions
      for (let axis = 0; axis < this.#dimensions; axis++) {
        slope[axis]! += share * ((near + LINEAR) * this.#points[from + axis]! - near * point[axis]!)
      }
    }
  }

  #product(point: Float64Array, row: number): number {
    const from = row * this.#dimensions
    let product = 0
    for (let axis = 0; axis < this.#dimensions; axis++) product += point[axis]! * this.#points[from + axis]!
    return product
  }
}

function factored(space: VoiceSpace): { mean: Float64Array; rows: Row[] } {
  const dimensions = dimensionsOf(space)
  const count = space.tried.length / dimensions
  const mean = new Float64Array(HEARD_WIDTH)
  for (const [at, value] of space.heard.entries()) mean[at % HEARD_WIDTH]! += value / count
  const rows: Row[] = []
  for (let index = 0; index < count; index++) {
    const coordinates = space.tried.subarray(index * dimensions, (index + 1) * dimensions)
    const heard = space.heard.subarray(index * HEARD_WIDTH, (index + 1) * HEARD_WIDTH)
    rows.push(rowAfter(rows, { coordinates, heard }, mean))
  }
  return { mean, rows }
}

function rowAfter(rows: readonly Row[], { coordinates, heard }: Example, mean: Float64Array): Row {
  const point = Float64Array.from(coordinates)
  const factor = new Float64Array(rows.length + 1)
  const solved = mean.map((value, at) => heard[at]! - value)
  for (const [column, other] of rows.entries()) {
    const share = (kernel(point, other.point) - dot(factor, other.factor, column)) / other.factor[column]!
    factor[column] = share
    for (let at = 0; at < HEARD_WIDTH; at++) solved[at]! -= share * other.solved[at]!
  }
  const diagonal = Math.sqrt(kernel(point, point) + NOISE - dot(factor, factor, rows.length))
  factor[rows.length] = diagonal
  return { point, factor, solved: solved.map((value) => value / diagonal) }
}

/** By back substitution: [count, HEARD_WIDTH]. */
function weightsOf(rows: readonly Row[]): Float64Array {
  const weights = new Float64Array(rows.length * HEARD_WIDTH)
  for (const [row, { solved }] of rows.entries()) weights.set(solved, row * HEARD_WIDTH)
  for (let row = rows.length - 1; row >= 0; row--) {
    const { factor } = rows[row]!
    const own = weights.subarray(row * HEARD_WIDTH, (row + 1) * HEARD_WIDTH)
    for (let at = 0; at < HEARD_WIDTH; at++) own[at]! /= factor[row]!
    for (let other = 0; other < row; other++) {
      const share = factor[other]!
      const from = other * HEARD_WIDTH
      for (let at = 0; at < HEARD_WIDTH; at++) weights[from + at]! -= share * own[at]!
    }
  }
  return weights
}

function kernel(a: Float64Array, b: Float64Array): number {
  const product = dot(a, b)
  const distance = dot(a, a) + dot(b, b) - 2 * product
  return Math.exp(-GAMMA * distance) + LINEAR * product
}
