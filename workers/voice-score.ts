import type { VoiceAxes } from '../models/voices/voice-axes.ts'
import {
  EMBEDDING_AXES,
  EMBEDDING_WIDTH,
  PITCH_SCALE,
  PROSODY_SCALE,
  type VoiceSpace,
} from '../models/voices/voice-space.ts'
import type { VoicePrint } from '../src/speech/task-protocol.ts'
import { dot } from './dot-product.ts'

/** A difference in pitch that nobody notices, in semitones, and what each semitone beyond it costs. */
const PITCH_TOLERANCE = 0.5
const PITCH_COST = 0.015
const SEMITONES = 12 / Math.LN2
/** Beyond this, mean square of what a coordinate usually is, voices are bought with clarity. */
const SPREAD_MAX = 1
const TIMBRE_COST = 0.04
const PROSODY_COST = 0.04
const LN_PITCH_MAX = 0.3
const LN_PITCH_COST = 2
/** Voices of which less than this is mixed in stop sounding like speech. */
const WEIGHT_MIN = -0.25
const WEIGHT_COST = 1

/** How well what is heard at a point of the voice space resembles a voice, and what it costs in clarity: more is better, 1 the most. */
export class VoiceScore {
  readonly #space: VoiceSpace
  readonly #target: VoicePrint
  /** In the axes of what is heard: products of the basis with what embeddings are compared with. */
  readonly #inMean: Float64Array
  readonly #inTarget: Float64Array
  readonly #meanSquare: number
  readonly #meanTarget: number

  constructor(space: VoiceSpace, target: VoicePrint) {
    this.#space = space
    this.#target = target
    const { mean, basis } = space.embeddings
    const inBasis = (vector: Float32Array) =>
      Float64Array.from({ length: EMBEDDING_AXES }, (_, axis) =>
        dot(basis.subarray(axis * EMBEDDING_WIDTH, (axis + 1) * EMBEDDING_WIDTH), vector),
      )
    this.#inMean = inBasis(mean)
    this.#inTarget = inBasis(target.embedding)
    this.#meanSquare = dot(mean, mean)
    this.#meanTarget = dot(mean, target.embedding)
  }

  /** `heard`: as `heardOf` has it. */
  of(point: ArrayLike<number>, heard: ArrayLike<number>): number {
    return this.#likeness(heard) - this.#cost(point)
  }

  /** Adds to `slope` how the score changes with the point, and with what is heard there. */
  addSlope(point: ArrayLike<number>, heard: ArrayLike<number>, slope: { point: Float64Array; heard: Float64Array }) {
    this.#addLikenessSlope(heard, slope.heard)
    this.#subtractCostSlope(point, slope.point)
  }

  #likeness(heard: ArrayLike<number>): number {
    const { length, product } = this.#compared(heard)
    return product / length - PITCH_COST * Math.max(0, Math.abs(this.#semitones(heard)) - PITCH_TOLERANCE)
  }

  #addLikenessSlope(heard: ArrayLike<number>, slope: Float64Array): void {
    const { length, product } = this.#compared(heard)
    for (let axis = 0; axis < EMBEDDING_AXES; axis++) {
      const longer = (heard[axis]! + this.#inMean[axis]!) / length
      slope[axis]! += (this.#inTarget[axis]! - (product / length) * longer) / length
    }
    const semitones = this.#semitones(heard)
    if (Math.abs(semitones) > PITCH_TOLERANCE) slope[EMBEDDING_AXES]! -= PITCH_COST * SEMITONES * Math.sign(semitones)
  }

  /** The length of the embedding that is heard, and its product with the one it is compared with. */
  #compared(heard: ArrayLike<number>): { length: number; product: number } {
    let square = this.#meanSquare
    let product = this.#meanTarget
    for (let axis = 0; axis < EMBEDDING_AXES; axis++) {
      const value = heard[axis]!
      square += value * (value + 2 * this.#inMean[axis]!)
      product += value * this.#inTarget[axis]!
    }
    return { length: Math.sqrt(square), product }
  }

  #semitones(heard: ArrayLike<number>): number {
    return (heard[EMBEDDING_AXES]! - Math.log(this.#target.pitch)) * SEMITONES
  }

  #cost(point: ArrayLike<number>): number {
    const { timbre, prosody } = this.#space
    const lnPitch = Math.abs(point[timbre.dimensions + prosody.dimensions]! / PITCH_SCALE)
    return (
      TIMBRE_COST * Math.max(0, meanSquare(timbre, point, 0, 1) - SPREAD_MAX) +
      PROSODY_COST * Math.max(0, meanSquare(prosody, point, timbre.dimensions, PROSODY_SCALE) - SPREAD_MAX) +
      LN_PITCH_COST * Math.max(0, lnPitch - LN_PITCH_MAX) +
      WEIGHT_COST * Math.max(0, WEIGHT_MIN - smallestWeight(timbre, point).weight)
    )
  }

  #subtractCostSlope(point: ArrayLike<number>, slope: Float64Array): void {
    const { timbre, prosody } = this.#space
    const spread = (axes: VoiceAxes, from: number, scale: number, cost: number) => {
      if (meanSquare(axes, point, from, scale) <= SPREAD_MAX) return
      for (const [axis, usual] of axes.spreads.entries()) {
        slope[from + axis]! -= (2 * cost * point[from + axis]!) / (scale * usual) ** 2 / axes.dimensions
      }
    }
    spread(timbre, 0, 1, TIMBRE_COST)
    spread(prosody, timbre.dimensions, PROSODY_SCALE, PROSODY_COST)
    const last = timbre.dimensions + prosody.dimensions
    const lnPitch = point[last]! / PITCH_SCALE
    if (Math.abs(lnPitch) > LN_PITCH_MAX) slope[last]! -= (LN_PITCH_COST / PITCH_SCALE) * Math.sign(lnPitch)
    const { weight, voice } = smallestWeight(timbre, point)
    if (weight >= WEIGHT_MIN) return
    const voices = timbre.middle.length
    for (let axis = 0; axis < timbre.dimensions; axis++) {
      slope[axis]! += WEIGHT_COST * timbre.directions[axis * voices + voice]!
    }
  }
}

/** Of the coordinates from `from` on, in units of what each usually is. */
function meanSquare({ dimensions, spreads }: VoiceAxes, point: ArrayLike<number>, from: number, scale: number): number {
  return spreads.reduce((sum, usual, axis) => sum + (point[from + axis]! / scale / usual) ** 2 / dimensions, 0)
}

function smallestWeight({ dimensions, middle, directions }: VoiceAxes, point: ArrayLike<number>) {
  const voices = middle.length
  let smallest = { weight: Number.POSITIVE_INFINITY, voice: -1 }
  for (let voice = 0; voice < voices; voice++) {
    let weight = middle[voice]!
    for (let axis = 0; axis < dimensions; axis++) weight += point[axis]! * directions[axis * voices + voice]!
    if (weight < smallest.weight) smallest = { weight, voice }
  }
  return smallest
}
