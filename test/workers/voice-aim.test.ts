import { describe, expect, it } from 'vitest'
import { EMBEDDING_WIDTH, loadVoiceSpace } from '../../models/voices/voice-space.ts'
import type { VoicePrint } from '../../src/speech/task-protocol.ts'
import { caricature } from '../../workers/voice-aim.ts'

const space = await loadVoiceSpace()
const flat = new Float32Array(40)
const dot = (a: Float32Array, b: Float32Array) => a.reduce((sum, value, at) => sum + value * b[at]!, 0)
const unit = (vector: Float32Array) => {
  const length = Math.hypot(...vector)
  return vector.map((value) => value / length)
}
/** Somebody like most people of a kind, but for something of their own. */
const personOf = (kind: number, own: number): VoicePrint => {
  const odd = Float32Array.from({ length: EMBEDDING_WIDTH }, (_, at) => Math.sin(own * at))
  const scale = 0.6 / Math.hypot(...odd)
  return {
    embedding: unit(space.people[kind]!.map((value, at) => value + scale * odd[at]!)),
    pitch: 120,
    spectrum: flat,
    bands: flat,
  }
}

describe('a caricature', () => {
  it('has less of what is usual in its kind, and is still most like the person', () => {
    for (const kind of [0, 1]) {
      const person = personOf(kind, 1)
      const aim = caricature(space, person)
      expect(Math.hypot(...aim.embedding)).toBeCloseTo(1, 5)
      expect(dot(aim.embedding, space.people[kind]!)).toBeLessThan(dot(person.embedding, space.people[kind]!) - 0.1)
      expect(dot(aim.embedding, person.embedding)).toBeGreaterThan(0.8)
      expect(aim).toMatchObject({ pitch: person.pitch, spectrum: person.spectrum, bands: person.bands })
    }
  })

  it('of two people are less alike than the people', () => {
    const [one, other] = [personOf(1, 1), personOf(1, 2)]
    const [first, second] = [one, other].map((person) => caricature(space, person).embedding)
    expect(dot(first!, second!)).toBeLessThan(dot(one.embedding, other.embedding) - 0.1)
  })

  it('leaves the print as it was', () => {
    const person = personOf(0, 3)
    const before = person.embedding.slice()
    caricature(space, person)
    expect(person.embedding).toEqual(before)
  })
})
