import { describe, expect, it } from 'vitest'
import { weightsAt } from '../../models/voices/voice-axes.ts'
import {
  dimensionsOf,
  EMBEDDING_AXES,
  EMBEDDING_WIDTH,
  HEARD_WIDTH,
  loadVoiceSpace,
  pointAt,
} from '../../models/voices/voice-space.ts'
import type { VoicePrint, VoiceTrial } from '../../src/speech/task-protocol.ts'
import { caricature } from '../../workers/voice-aim.ts'
import { VoiceScore } from '../../workers/voice-score.ts'
import { rankTrials, searchVoice } from '../../workers/voice-search.ts'
import { VoiceSurrogate } from '../../workers/voice-surrogate.ts'

const space = await loadVoiceSpace()
const dimensions = dimensionsOf(space)

const triedAt = (index: number) => space.tried.slice(index * dimensions, (index + 1) * dimensions)
const heardAt = (index: number) => space.heard.slice(index * HEARD_WIDTH, (index + 1) * HEARD_WIDTH)

/** A voice that sounds as one of the points that were tried. */
function printOf(heard: Float32Array | Float64Array): VoicePrint {
  const { mean, basis } = space.embeddings
  const embedding = mean.map((value, at) => {
    let sum = value
    for (let axis = 0; axis < EMBEDDING_AXES; axis++) sum += heard[axis]! * basis[axis * EMBEDDING_WIDTH + at]!
    return sum
  })
  const length = Math.hypot(...embedding)
  const flat = new Float32Array(40)
  const unit = embedding.map((value) => value / length)
  return { embedding: unit, pitch: Math.exp(heard[EMBEDDING_AXES]!), spectrum: flat, bands: flat }
}

/** A point where one of those that were tried was heard, and another when it was coloured. */
function trialOf(index: number, colouredLike: number): VoiceTrial {
  const coloured = printOf(heardAt(colouredLike)).embedding
  return { coordinates: triedAt(index), print: printOf(heardAt(index)), coloured }
}

/** How fast `of` changes along one axis. */
function slopeOf(of: (point: Float64Array) => number, point: Float64Array, axis: number): number {
  const step = 1e-5
  const [before, after] = [-step, step].map((by) => of(point.with(axis, point[axis]! + by)))
  return (after! - before!) / (2 * step)
}

describe('the surrogate', () => {
  it('says which way what is heard changes', () => {
    const surrogate = new VoiceSurrogate(space, [])
    const weights = Float64Array.from({ length: HEARD_WIDTH }, (_, at) => Math.cos(at))
    const sumAt = (point: Float64Array) => {
      const heard = new Float64Array(HEARD_WIDTH)
      surrogate.predict(point, heard)
      return heard.reduce((sum, value, at) => sum + weights[at]! * value, 0)
    }
    const point = Float64Array.from(triedAt(100))
    const slope = new Float64Array(dimensions)
    surrogate.addSlope(point, weights, slope)
    for (const axis of slope.keys()) expect(slope[axis]).toBeCloseTo(slopeOf(sumAt, point, axis), 6)
  })

  it('knows roughly what was heard where something was tried', () => {
    const surrogate = new VoiceSurrogate(space, [])
    const guess = new Float64Array(HEARD_WIDTH)
    for (const index of [0, 10, 100]) {
      surrogate.predict(Float64Array.from(triedAt(index)), guess)
      const heard = heardAt(index)
      const distance = (other: ArrayLike<number>) =>
        Math.sqrt(heard.reduce((sum, value, at) => sum + (value - other[at]!) ** 2, 0))
      expect(distance(guess)).toBeLessThan(0.5 * distance(new Float64Array(HEARD_WIDTH)))
    }
  })

  it('learns from what is tried beside', () => {
    const coordinates = triedAt(7).map((value) => value + 0.3)
    const heard = heardAt(20)
    const error = (surrogate: VoiceSurrogate) => {
      const guess = new Float64Array(HEARD_WIDTH)
      surrogate.predict(Float64Array.from(coordinates), guess)
      return Math.hypot(...heard.map((value, at) => value - guess[at]!))
    }
    expect(error(new VoiceSurrogate(space, [{ coordinates, heard }]))).toBeLessThan(
      0.5 * error(new VoiceSurrogate(space, [])),
    )
  })
})

describe('the score of a voice', () => {
  it('is highest where what is heard is the voice itself', () => {
    const score = new VoiceScore(space, printOf(heardAt(5)))
    const [own, other] = [score.of(triedAt(5), heardAt(5)), score.of(triedAt(5), heardAt(40))]
    expect(own).toBeGreaterThan(0.9)
    expect(own).toBeGreaterThan(other + 0.1)
  })

  it('falls with the difference in pitch, and with weights that stop sounding like speech', () => {
    const score = new VoiceScore(space, printOf(heardAt(5)))
    const higher = heardAt(5)
    higher[EMBEDDING_AXES]! += 0.3
    expect(score.of(triedAt(5), higher)).toBeLessThan(score.of(triedAt(5), heardAt(5)) - 0.05)
    const far = triedAt(5).map((value, axis) => (axis < space.timbre.dimensions ? 4 * value : value))
    expect(score.of(far, heardAt(5))).toBeLessThan(score.of(triedAt(5), heardAt(5)) - 0.3)
  })
})

describe('the slope of the score', () => {
  it.each([
    ['a usual voice', 1, 0.05],
    ['a voice far out', 4, 0.05],
    ['a much higher voice', 1, 0.4],
  ])('is right at %s', (_, stretched, lnPitch) => {
    const score = new VoiceScore(space, printOf(heardAt(5)))
    const point = Float64Array.from(triedAt(30), (value) => stretched * value)
    const heard = Float64Array.from(heardAt(30))
    heard[EMBEDDING_AXES] = heardAt(5)[EMBEDDING_AXES]! + lnPitch
    const slope = { point: new Float64Array(dimensions), heard: new Float64Array(HEARD_WIDTH) }
    score.addSlope(point, heard, slope)
    for (const axis of point.keys()) {
      expect(slope.point[axis]).toBeCloseTo(
        slopeOf((moved) => score.of(moved, heard), point, axis),
        5,
      )
    }
    for (const at of heard.keys()) {
      expect(slope.heard[at]).toBeCloseTo(
        slopeOf((moved) => score.of(point, moved), heard, at),
        5,
      )
    }
  })
})

describe('the search', () => {
  const target = printOf(heardAt(60))

  it('proposes the same to the same clip, and something that should resemble it', () => {
    const first = searchVoice(space, { kind: 'search', target, trials: [] })
    expect(searchVoice(space, { kind: 'search', target, trials: [] })).toEqual(first)
    const guess = new Float64Array(HEARD_WIDTH)
    new VoiceSurrogate(space, []).predict(Float64Array.from(first.coordinates), guess)
    expect(new VoiceScore(space, target).of(first.coordinates, guess)).toBeGreaterThan(0.8)
    expect(Math.exp(guess[EMBEDDING_AXES]!) / target.pitch).toBeCloseTo(1, 1)
  })

  it('says which weights and pitch its point stands for', () => {
    const next = searchVoice(space, { kind: 'search', target, trials: [] })
    const { timbre, prosody, lnPitch } = pointAt(space, next.coordinates)
    expect(next.timbre).toEqual(weightsAt(space.timbre, timbre))
    expect(next.prosody).toEqual(weightsAt(space.prosody, prosody))
    expect(next.pitch).toBeCloseTo(Math.exp(lnPitch), 6)
    expect(Math.min(...next.timbre)).toBeGreaterThan(-0.3)
  })

  it('goes on near the best of the trials', () => {
    const trials = [30, 60, 90].map((index) => trialOf(index, index))
    const next = searchVoice(space, { kind: 'search', target, trials })
    const distance = (index: number) =>
      Math.hypot(...next.coordinates.map((value, axis) => value - triedAt(index)[axis]!))
    expect(distance(60)).toBeLessThan(Math.min(distance(30), distance(90)))
  })

  it('expects of the next trial what colouring did to those before', () => {
    const expected = (trials: readonly VoiceTrial[]) =>
      searchVoice(space, { kind: 'search', target, trials }).coordinates
    expect(expected([trialOf(60, 60)])).not.toEqual(expected([trialOf(60, 20)]))
  })
})

describe('the ranking of trials', () => {
  const target = printOf(heardAt(60))

  it('names the one that came nearest', () => {
    const trials = [30, 60, 90].map((index) => trialOf(index, index))
    const { best, scores } = rankTrials(space, { kind: 'rank', target, trials })
    expect(best).toBe(1)
    expect(scores[1]).toBe(Math.max(...scores))
  })

  it('judges a trial in the colour that it will be heard in', () => {
    const trials = [trialOf(60, 30), trialOf(90, 60)]
    expect(rankTrials(space, { kind: 'rank', target, trials }).best).toBe(1)
  })

  it('prefers what exaggerates the voice to the voice itself', () => {
    const own = trialOf(60, 60)
    const trials = [own, { ...own, coloured: caricature(space, target).embedding }]
    const { best, scores } = rankTrials(space, { kind: 'rank', target, trials })
    expect(best).toBe(1)
    expect(scores[1]).toBeGreaterThan(scores[0]! + 0.01)
  })

  it('does not hold a pitch that could not be heard against a trial', () => {
    const trials = [target.pitch, 0].map((pitch) => {
      return { ...trialOf(60, 60), print: { ...printOf(heardAt(60)), pitch } }
    })
    const { scores } = rankTrials(space, { kind: 'rank', target, trials })
    expect(scores[1]).toBe(scores[0])
  })
})
