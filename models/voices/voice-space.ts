import assert from 'node:assert/strict'
import { type VoiceAxes, voiceAxes } from './voice-axes.ts'

/**
 * The voices that mixtures of the model's own voices reach, and what a few hundred of them sounded like when they were tried: what a
 * fitter needs to guess which mixture resembles somebody. Made by `bench/train-voice-space.ts`.
 *
 * A point of the space is a list of coordinates: those of the timbre, those of the prosody, the logarithm of the factor on the
 * pitch. All are scaled so that a step of one is heard about as clearly along each of them.
 */
export interface VoiceSpace {
  /** Names of the model's own voices, in the order of all weights. */
  readonly voices: readonly string[]
  /** Mixtures of the first half of the style vectors, and of the second. */
  readonly timbre: VoiceAxes
  readonly prosody: VoiceAxes
  /** Coordinates that were tried, [count, dimensions], and what was heard, [count, EMBEDDING_AXES + 1]: see `HeardSpace`. */
  readonly tried: Float32Array
  readonly heard: Float32Array
  readonly embeddings: HeardSpace
  /** Mean embeddings of recordings of people: of those with low voices, and of those with high voices. */
  readonly people: readonly Float32Array[]
}

/** Embeddings, reduced to the directions in which those of spoken voices differ; after them comes ln(hertz). */
export interface HeardSpace {
  readonly mean: Float32Array
  /** [EMBEDDING_AXES, 256], orthonormal. */
  readonly basis: Float32Array
}

export const EMBEDDING_WIDTH = 256
export const EMBEDDING_AXES = 64
export const HEARD_WIDTH = EMBEDDING_AXES + 1

/** What one unit of a coordinate is, for those that are no principal components. */
export const PROSODY_SCALE = 0.6
export const PITCH_SCALE = 5

/** Coordinates of a point, taken apart and without their scales. */
export interface VoicePoint {
  readonly timbre: Float32Array
  readonly prosody: Float32Array
  /** Natural logarithm of the factor on the pitch. */
  readonly lnPitch: number
}

export function dimensionsOf({ timbre, prosody }: VoiceSpace): number {
  return timbre.dimensions + prosody.dimensions + 1
}

export function pointAt({ timbre, prosody }: VoiceSpace, coordinates: Float32Array): VoicePoint {
  const end = timbre.dimensions + prosody.dimensions
  return {
    timbre: coordinates.slice(0, timbre.dimensions),
    prosody: coordinates.slice(timbre.dimensions, end).map((value) => value / PROSODY_SCALE),
    lnPitch: coordinates[end]! / PITCH_SCALE,
  }
}

export function coordinatesAt({ timbre, prosody, lnPitch }: VoicePoint): Float32Array {
  return Float32Array.of(...timbre, ...prosody.map((value) => value * PROSODY_SCALE), lnPitch * PITCH_SCALE)
}

/** An embedding and a pitch as the space keeps what was heard. */
export function heardOf({ mean, basis }: HeardSpace, embedding: Float32Array, pitch: number): Float32Array {
  const heard = new Float32Array(HEARD_WIDTH)
  for (let axis = 0; axis < EMBEDDING_AXES; axis++) {
    let sum = 0
    for (let at = 0; at < EMBEDDING_WIDTH; at++)
      sum += basis[axis * EMBEDDING_WIDTH + at]! * (embedding[at]! - mean[at]!)
    heard[axis] = sum
  }
  heard[EMBEDDING_AXES] = Math.log(pitch)
  return heard
}

/** The space that is shipped. Loaded only by who fits voices: it is large. */
export async function loadVoiceSpace(): Promise<VoiceSpace> {
  const { default: data } = await import('./voice-space.json', { with: { type: 'json' } })
  return decodeVoiceSpace(data)
}

/** A space as JSON: arrays as base64 of little-endian float32. */
export interface EncodedSpace {
  readonly voices: readonly string[]
  readonly arrays: Readonly<Record<string, string>>
}

export function encodeVoiceSpace(space: VoiceSpace): EncodedSpace {
  const arrays = {
    timbreMiddle: space.timbre.middle,
    timbreDirections: space.timbre.directions,
    timbrePlaces: space.timbre.places,
    prosodyMiddle: space.prosody.middle,
    prosodyDirections: space.prosody.directions,
    prosodyPlaces: space.prosody.places,
    tried: space.tried,
    heard: space.heard,
    embeddingMean: space.embeddings.mean,
    embeddingBasis: space.embeddings.basis,
    people: Float32Array.from(space.people.flatMap((mean) => [...mean])),
  }
  const encoded = Object.entries(arrays).map(([name, values]) => [name, Buffer.from(values.buffer).toString('base64')])
  return { voices: space.voices, arrays: Object.fromEntries(encoded) }
}

/** Throws where arrays are missing or do not fit each other. */
export function decodeVoiceSpace({ voices, arrays }: EncodedSpace): VoiceSpace {
  const read = (name: string): Float32Array => {
    const text = arrays[name]
    assert.ok(text !== undefined, `the voice space has no ${name}`)
    return new Float32Array(new Uint8Array(Buffer.from(text, 'base64')).buffer)
  }
  const axes = (name: string): VoiceAxes => {
    const [middle, directions, places] = ['Middle', 'Directions', 'Places'].map((part) => read(`${name}${part}`))
    assert.ok(middle && directions && places && middle.length === voices.length)
    return voiceAxes(middle, directions, places)
  }
  const space: VoiceSpace = {
    voices,
    timbre: axes('timbre'),
    prosody: axes('prosody'),
    tried: read('tried'),
    heard: read('heard'),
    embeddings: { mean: read('embeddingMean'), basis: read('embeddingBasis') },
    people: rowsOf(read('people'), EMBEDDING_WIDTH),
  }
  assert.equal(space.tried.length / dimensionsOf(space), space.heard.length / HEARD_WIDTH)
  return space
}

function rowsOf(values: Float32Array, width: number): Float32Array[] {
  return Array.from({ length: values.length / width }, (_, row) => values.slice(row * width, (row + 1) * width))
}
