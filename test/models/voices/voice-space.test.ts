import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { coordinatesOf, weightsAt } from '../../../models/voices/voice-axes.ts'
import {
  coordinatesAt,
  decodeVoiceSpace,
  dimensionsOf,
  encodeVoiceSpace,
  HEARD_WIDTH,
  heardOf,
  loadVoiceSpace,
  pointAt,
} from '../../../models/voices/voice-space.ts'
import { STYLE_CLASSES, STYLE_WIDTH, TRIAL_STYLE_CLASS } from '../../../src/speech/style-classes.ts'
import { PRESET_VOICES } from '../../../src/speech/voices.ts'
import { VOICES_DIR } from '../../workers/packs.ts'

const space = await loadVoiceSpace()
const names = PRESET_VOICES.map(({ model }) => model)
const HALF = STYLE_WIDTH / 2

function timbreOf(name: string): Float32Array {
  const table = new Float32Array(new Uint8Array(readFileSync(join(VOICES_DIR, `${name}.bin`))).buffer)
  const from = STYLE_CLASSES[TRIAL_STYLE_CLASS]!.row * STYLE_WIDTH
  return table.slice(from, from + HALF)
}

function mixed(weights: Float32Array): Float32Array {
  const sum = new Float32Array(HALF)
  for (const [voice, name] of names.entries()) {
    for (const [at, value] of timbreOf(name).entries()) sum[at]! += weights[voice]! * value
  }
  return sum
}

function cosine(a: Float32Array, b: Float32Array): number {
  const dot = (x: Float32Array, y: Float32Array) => x.reduce((sum, value, at) => sum + value * y[at]!, 0)
  return dot(a, b) / Math.sqrt(dot(a, a) * dot(b, b))
}

describe('the space of voices', () => {
  it('is mixed of the voices that there are, in their order', () => {
    expect(space.voices).toEqual(names)
  })

  it('begins with the voices alone, at the pitch that each is known to have', () => {
    for (const [voice, { model, hertz }] of PRESET_VOICES.entries()) {
      const lnHertz = space.heard[(voice + 1) * HEARD_WIDTH - 1]!
      expect([model, Math.round(Math.exp(lnHertz))]).toEqual([model, hertz])
    }
  })

  it.each(['af_heart', 'am_onyx', 'bf_emma', 'jf_alpha'])('gives %s back from its coordinates', (name) => {
    const alone = Float32Array.from(names, (other) => (other === name ? 1 : 0))
    const weights = weightsAt(space.timbre, coordinatesOf(space.timbre, alone))
    expect(cosine(mixed(weights), timbreOf(name))).toBeGreaterThan(0.9)
  })

  it('has weights that sum to one at every point, and the mean of the voices in its middle', () => {
    for (const axes of [space.timbre, space.prosody]) {
      const far = Float32Array.from({ length: axes.dimensions }, (_, axis) => Math.sin(axis) * 2)
      for (const coordinates of [new Float32Array(axes.dimensions), far]) {
        expect(weightsAt(axes, coordinates).reduce((sum, weight) => sum + weight, 0)).toBeCloseTo(1, 4)
      }
      expect(weightsAt(axes, new Float32Array(axes.dimensions))).toEqual(axes.middle)
    }
  })

  it('mixes the prosody of English voices only', () => {
    const weights = weightsAt(space.prosody, new Float32Array(space.prosody.dimensions).fill(1))
    for (const [voice, name] of names.entries()) if (!/^[ab]/.test(name)) expect(weights[voice]).toBe(0)
  })

  it('finds the same coordinates for the weights of a point', () => {
    const point = Float32Array.from({ length: space.timbre.dimensions }, (_, axis) => Math.cos(axis))
    const again = coordinatesOf(space.timbre, weightsAt(space.timbre, point))
    for (const [axis, coordinate] of again.entries()) expect(coordinate).toBeCloseTo(point[axis]!, 2)
  })

  it('takes points apart and puts them together again', () => {
    const coordinates = Float32Array.from({ length: dimensionsOf(space) }, (_, axis) => axis / 8)
    expect(coordinatesAt(pointAt(space, coordinates))).toEqual(coordinates)
  })

  it('has a few hundred points that were tried, each with what was heard', () => {
    const count = space.tried.length / dimensionsOf(space)
    expect(count).toBeGreaterThan(300)
    expect(space.heard).toHaveLength(count * HEARD_WIDTH)
    const pitches = Array.from({ length: count }, (_, index) => Math.exp(space.heard[(index + 1) * HEARD_WIDTH - 1]!))
    expect(Math.min(...pitches)).toBeGreaterThan(60)
    expect(Math.max(...pitches)).toBeLessThan(400)
  })

  it('reduces an embedding to where it lies along its axes', () => {
    const { mean, basis } = space.embeddings
    const embedding = mean.map((value, at) => value + 0.5 * basis[at]!)
    const heard = heardOf(space.embeddings, embedding, 100)
    expect(heard[0]).toBeCloseTo(0.5, 4)
    expect(heard[1]).toBeCloseTo(0, 4)
    expect(heard.at(-1)).toBeCloseTo(Math.log(100), 5)
  })

  it('is the same as JSON, and refused where an array is missing or too short', () => {
    const encoded = encodeVoiceSpace(space)
    expect(encodeVoiceSpace(decodeVoiceSpace(JSON.parse(JSON.stringify(encoded))))).toEqual(encoded)
    const { tried: _, ...others } = encoded.arrays
    expect(() => decodeVoiceSpace({ ...encoded, arrays: others })).toThrow('no tried')
    expect(() => decodeVoiceSpace({ ...encoded, arrays: { ...encoded.arrays, tried: '' } })).toThrow()
  })
})
