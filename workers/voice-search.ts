import { weightsAt } from '../models/voices/voice-axes.ts'
import {
  dimensionsOf,
  HEARD_WIDTH,
  heardOf,
  PROSODY_SCALE,
  pointAt,
  type VoiceSpace,
} from '../models/voices/voice-space.ts'
import type {
  RankTask,
  SearchTask,
  VoiceMixture,
  VoicePrint,
  VoiceRanking,
  VoiceTrial,
} from '../src/speech/task-protocol.ts'
import { caricature } from './voice-aim.ts'
import { VoiceScore } from './voice-score.ts'
import { VoiceSurrogate } from './voice-surrogate.ts'

const STEPS = 100
/** Of the first step along each axis; steps become shorter until there are none. */
const STEP = 0.2
/** Adam's memories of slopes and of their squares (Kingma and Ba, 2015). */
const SLOPE_MEMORY = 0.9
const SQUARE_MEMORY = 0.99
const SQUARE_MIN = 1e-8
/** The known points that resemble the voice most, from each of which a first search starts. */
const STARTS = 2
/** Distances from the best trial, and from the second best, within which the surrogate is believed. */
const TRUST = [5, 2.5] as const
/** Steps along the pitch count less than along the axes of styles. */
const PITCH_STEP = 0.5

/**
 * Where in the voice space the next trial should be made to come near a voice: up the slope of what the surrogate expects, first from
 * the points that are known to resemble the voice, then from the best trials. The same task has the same answer.
 */
export function searchVoice(space: VoiceSpace, { target, trials }: SearchTask): VoiceMixture {
  const examples = examplesOf(space, target, trials)
  const surrogate = new VoiceSurrogate(space, examples)
  const score = new VoiceScore(space, caricature(space, target))
  const search = new Search(space, surrogate, score, meanChange(examples))
  const scores = scoresOf(score, examples)
  const ranking = [...scores.keys()].sort((a, b) => scores[b]! - scores[a]!)
  const found =
    trials.length === 0
      ? startingPoints(space, score).map((start) => search.climb(start))
      : TRUST.slice(0, trials.length).map((trust, rank) =>
          search.climb(Float64Array.from(trials[ranking[rank]!]!.coordinates), trust),
        )
  const highest = found.reduce((a, b) => (b.score > a.score ? b : a))
  return mixtureAt(space, Float32Array.from(highest.point))
}

/** Which of the trials came nearest to a voice. */
export function rankTrials(space: VoiceSpace, { target, trials }: RankTask): VoiceRanking {
  const score = new VoiceScore(space, caricature(space, target))
  const scores = scoresOf(score, examplesOf(space, target, trials))
  return { scores, best: scores.indexOf(Math.max(...scores)) }
}

/** A trial, by what the space keeps of what is heard. */
interface Example {
  readonly coordinates: Float32Array
  readonly heard: Float32Array
  readonly coloured: Float32Array
}

function examplesOf(space: VoiceSpace, target: VoicePrint, trials: readonly VoiceTrial[]): Example[] {
  return trials.map(({ coordinates, print, coloured }) => ({
    coordinates,
    heard: heardLike(space, print.embedding, print.pitch, target),
    coloured: heardLike(space, coloured, print.pitch, target),
  }))
}

function scoresOf(score: VoiceScore, examples: readonly Example[]): number[] {
  return examples.map(({ coordinates, coloured }) => score.of(coordinates, coloured))
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
function meanChange(examples: readonly Example[]): Float64Array {
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
  readonly #scales: Float64Array

  constructor(space: VoiceSpace, surrogate: VoiceSurrogate, score: VoiceScore, change: Float64Array) {
    this.#surrogate = surrogate
    this.#score = score
    this.#change = change
    this.#scales = stepScales(space)
  }

  /** `trust`: how far from the start it may go, in steps. */
  climb(start: Float64Array, trust = Number.POSITIVE_INFINITY): Found {
    const offset = new Float64Array(start.length)
    const slopes = new Float64Array(start.length)
    const squares = new Float64Array(start.length)
    let best: Found | undefined
    for (let step = 0; step <= STEPS; step++) {
      const point = start.map((value, axis) => value + offset[axis]! * this.#scales[axis]!)
      const { score, slope } = this.#look(point)
      if (best === undefined || score > best.score) best = { point, score }
      const length = STEP * (1 - step / STEPS)
      for (const [axis, steepness] of slope.entries()) {
        const scaled = steepness * this.#scales[axis]!
        slopes[axis] = SLOPE_MEMORY * slopes[axis]! + (1 - SLOPE_MEMORY) * scaled
        squares[axis] = SQUARE_MEMORY * squares[axis]! + (1 - SQUARE_MEMORY) * scaled ** 2
        const mean = slopes[axis]! / (1 - SLOPE_MEMORY ** (step + 1))
        const square = squares[axis]! / (1 - SQUARE_MEMORY ** (step + 1))
        offset[axis]! += (length * mean) / (Math.sqrt(square) + SQUARE_MIN)
      }
      const distance = Math.hypot(...offset)
      if (distance > trust) for (const axis of offset.keys()) offset[axis]! *= trust / distance
    }
    return best!
  }

  /** The score that a point should have, and how it changes along each axis. */
  #look(point: Float64Array): { score: number; slope: Float64Array } {
    const heard = new Float64Array(HEARD_WIDTH)
    this.#surrogate.predict(point, heard)
    for (let at = 0; at < HEARD_WIDTH; at++) heard[at]! += this.#change[at]!
    const slope = new Float64Array(point.length)
    const heardSlope = new Float64Array(HEARD_WIDTH)
    const score = this.#score.of(point, heard)
    this.#score.addSlope(point, heard, { point: slope, heard: heardSlope })
    this.#surrogate.addSlope(point, heardSlope, slope)
    return { score, slope }
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
