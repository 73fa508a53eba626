import { weightsAt } from '../models/voices/voice-axes.ts'
import {
  dimensionsOf,
  HEARD_WIDTH,
  heardOf,
  PROSODY_SCALE,
  pointAt,
  type VoiceSpace,
} from '../models/voices/voice-space.ts'
import type { SearchTask, VoiceMixture, VoicePrint, VoiceSearch } from '../src/speech/task-protocol.ts'
import { VoiceScore } from './voice-score.ts'
import { VoiceSurrogate } from './voice-surrogate.ts'

const GENERATIONS = 40
const CHILDREN = 48
const PARENTS = 12
/** Steps at first, and what is left of them in each generation. */
const STEP = 0.35
const STEP_DECAY = 0.95
/** How much of the spreads of the last generation is kept. */
const SPREAD_MEMORY = 0.8
/** The known points that resemble the voice most, from each of which a first search starts. */
const STARTS = 4
/** Distances from the best trial, and from the second best, within which the surrogate is believed. */
const TRUST = [5, 2.5] as const
/** Steps along the pitch count less than along the axes of styles. */
const PITCH_STEP = 0.5

/**
 * Where in the voice space the next trials should be made to come near a voice, and which of the trials came nearest: an evolution
 * strategy on the surrogate, first from the points that are known to resemble the voice, then around the best trials. The same task
 * has the same answer.
 */
export function searchVoice(space: VoiceSpace, { target, trials }: SearchTask): VoiceSearch {
  const examples = trials.map(({ coordinates, print, coloured }) => ({
    coordinates,
    heard: heardLike(space, print.embedding, print.pitch, target),
    coloured: heardLike(space, coloured, print.pitch, target),
  }))
  const surrogate = new VoiceSurrogate(space, examples)
  const score = new VoiceScore(space, target)
  const search = new Search(space, surrogate, score, meanChange(examples), seededNormals(1 + trials.length))
  const scores = examples.map(({ coordinates, coloured }) => score.of(coordinates, coloured))
  const ranking = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!)
  const found =
    trials.length === 0
      ? startingPoints(space, score).map((start) => search.climb(start))
      : TRUST.slice(0, trials.length).map((trust, rank) =>
          search.climb(Float64Array.from(trials[ranking[rank]!]!.coordinates), trust),
        )
  const next = found.sort((a, b) => b.score - a.score).map(({ point }) => mixtureAt(space, Float32Array.from(point)))
  return { next, scores, best: ranking[0] ?? -1 }
}

function mixtureAt(space: VoiceSpace, coordinates: Float32Array): VoiceMixture {
  const { timbre, prosody, lnPitch } = pointAt(space, coordinates)
  return {
    coordinates,
    timbre: weightsAt(space.timbre, timbre),
    prosody: weightsAt(space.prosody, prosody),
    pitch: Math.exp(lnPitch),
  }
}

/** What colouring has done to what was heard: it does about the same to the next. */
function meanChange(examples: readonly { heard: Float32Array; coloured: Float32Array }[]): Float64Array {
  const change = new Float64Array(HEARD_WIDTH)
  for (const { heard, coloured } of examples) {
    for (let at = 0; at < HEARD_WIDTH; at++) change[at]! += (coloured[at]! - heard[at]!) / examples.length
  }
  return change
}

interface Found {
  readonly point: Float64Array
  readonly score: number
}

class Search {
  readonly #surrogate: VoiceSurrogate
  readonly #score: VoiceScore
  /** Added to all that is guessed. */
  readonly #change: Float64Array
  readonly #normal: () => number
  readonly #scales: Float64Array
  readonly #heard = new Float64Array(HEARD_WIDTH)

  constructor(
    space: VoiceSpace,
    surrogate: VoiceSurrogate,
    score: VoiceScore,
    change: Float64Array,
    normal: () => number,
  ) {
    this.#surrogate = surrogate
    this.#score = score
    this.#change = change
    this.#normal = normal
    this.#scales = stepScales(space)
  }

  /** `trust`: how far from the start it may go. */
  climb(start: Float64Array, trust = Number.POSITIVE_INFINITY): Found {
    let mean = start
    let best = this.#found(start)
    let spreads = new Float64Array(start.length).fill(1)
    let step = STEP
    for (let generation = 0; generation < GENERATIONS; generation++) {
      const children = Array.from({ length: CHILDREN }, () =>
        this.#found(this.#within(this.#child(mean, step, spreads), start, trust)),
      )
      const parents = children.sort((a, b) => b.score - a.score).slice(0, PARENTS)
      const next = mean.map((_, axis) => parents.reduce((sum, { point }) => sum + point[axis]! / PARENTS, 0))
      spreads = spreads.map((spread, axis) => {
        const squares = parents.map(({ point }) => ((point[axis]! - mean[axis]!) / this.#scales[axis]! / step) ** 2)
        const measured = squares.reduce((sum, square) => sum + Math.min(Math.max(square, 0.05), 4) / PARENTS, 0)
        return SPREAD_MEMORY * spread + (1 - SPREAD_MEMORY) * measured
      })
      mean = next
      step *= STEP_DECAY
      if (parents[0]!.score > best.score) best = parents[0]!
    }
    const last = this.#found(mean)
    return last.score > best.score ? last : best
  }

  #child(mean: Float64Array, step: number, spreads: Float64Array): Float64Array {
    return mean.map((value, axis) => value + step * this.#scales[axis]! * Math.sqrt(spreads[axis]!) * this.#normal())
  }

  #within(point: Float64Array, centre: Float64Array, trust: number): Float64Array {
    const offset = point.map((value, axis) => (value - centre[axis]!) / this.#scales[axis]!)
    const distance = Math.hypot(...offset)
    if (distance <= trust) return point
    return offset.map((value, axis) => centre[axis]! + (value * trust * this.#scales[axis]!) / distance)
  }

  #found(point: Float64Array): Found {
    this.#surrogate.predict(point, this.#heard)
    for (let at = 0; at < HEARD_WIDTH; at++) this.#heard[at]! += this.#change[at]!
    return { point, score: this.#score.of(point, this.#heard) }
  }
}

/** How large a step is along each axis. */
function stepScales({ timbre, prosody }: VoiceSpace): Float64Array {
  return Float64Array.of(...timbre.spreads, ...prosody.spreads.map((spread) => spread * PROSODY_SCALE), PITCH_STEP)
}

function startingPoints(space: VoiceSpace, score: VoiceScore): Float64Array[] {
  const dimensions = dimensionsOf(space)
  const known = Array.from({ length: space.tried.length / dimensions }, (_, index) => {
    const point = Float64Array.from(space.tried.subarray(index * dimensions, (index + 1) * dimensions))
    const heard = space.heard.subarray(index * HEARD_WIDTH, (index + 1) * HEARD_WIDTH)
    return { point, score: score.of(point, heard) }
  })
  return known
    .sort((a, b) => b.score - a.score)
    .slice(0, STARTS)
    .map(({ point }) => point)
}

/** A trial whose pitch could not be heard is not held against it. */
function heardLike(space: VoiceSpace, embedding: Float32Array, pitch: number, target: VoicePrint): Float32Array {
  return heardOf(space.embeddings, embedding, pitch > 0 ? pitch : target.pitch)
}

/** Normally distributed numbers, the same for the same seed: Mulberry32 by Tommy Ettinger, then Box and Muller's method. */
function seededNormals(seed: number): () => number {
  let state = seed >>> 0
  const uniform = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform())
}
