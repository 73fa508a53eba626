import assert from 'node:assert/strict'

/**
 * The directions in which voices differ most, as weights of known voices: a point is a mixture of them, or lies beyond them.
 * Weights sum to one everywhere.
 */
export interface VoiceAxes {
  readonly dimensions: number
  /** Weights in the middle, one a voice. */
  readonly middle: Float32Array
  /** Change of the weights along each axis: [dimensions, voices], row-major. */
  readonly directions: Float32Array
  /** Coordinates of the known voices: [voices, dimensions]. */
  readonly places: Float32Array
  /** How far from the middle the voices lie along each axis, as the root of the mean square. */
  readonly spreads: Float32Array
}

/** Axes without what follows from the rest. */
export function voiceAxes(middle: Float32Array, directions: Float32Array, places: Float32Array): VoiceAxes {
  assert.equal(places.length, directions.length)
  const dimensions = directions.length / middle.length
  const members = middle.filter((weight) => weight > 0).length
  const spreads = Float32Array.from({ length: dimensions }, (_, axis) => {
    const direction = directions.subarray(axis * middle.length, (axis + 1) * middle.length)
    return 1 / Math.sqrt(members) / Math.hypot(...direction)
  })
  return { dimensions, middle, directions, places, spreads }
}

/** Weights of the known voices at these coordinates. */
export function weightsAt(axes: VoiceAxes, coordinates: Float32Array): Float32Array {
  assert.equal(coordinates.length, axes.dimensions)
  const voices = axes.middle.length
  return axes.middle.map((weight, voice) => {
    let sum = weight
    for (const [axis, coordinate] of coordinates.entries()) sum += coordinate * axes.directions[axis * voices + voice]!
    return sum
  })
}

/** Coordinates of a mixture; what of it lies beside all axes is lost. */
export function coordinatesOf(axes: VoiceAxes, weights: Float32Array): Float32Array {
  const { dimensions, places } = axes
  return Float32Array.from({ length: dimensions }, (_, axis) => {
    let sum = 0
    for (const [voice, weight] of weights.entries()) sum += weight * places[voice * dimensions + axis]!
    return sum
  })
}
