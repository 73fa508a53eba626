import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { EdgeTrimmer } from '../../src/audio/edge-trimmer.ts'

const PAD = 3
const THRESHOLD = 0.1

function trimmed(blocks: readonly (readonly number[])[]): number[] {
  const trimmer = new EdgeTrimmer(PAD, THRESHOLD)
  const inside = blocks.flatMap((block) => trimmer.push(Float32Array.from(block)).flatMap((part) => [...part]))
  return [...inside, ...trimmer.flush()]
}

describe('EdgeTrimmer', () => {
  it('replaces silence at both edges by the padding and keeps silence inside', () => {
    expect(trimmed([[0, 0, 0.5, 0, 0], [0, 0.25, 0], [0]])).toEqual([0, 0, 0, 0.5, 0, 0, 0, 0.25, 0, 0, 0])
  })

  it('makes both paddings of a signal without sound', () => {
    expect(trimmed([[0, 0.05], [0]])).toEqual([0, 0, 0, 0, 0, 0])
    expect(trimmed([])).toEqual([0, 0, 0, 0, 0, 0])
  })

  it('gives the same samples however the signal is cut into blocks', () => {
    const sample = fc.constantFrom(0, 0, 0.05, 0.5, -0.75)
    fc.assert(
      fc.property(fc.array(fc.array(sample, { maxLength: 9 }), { maxLength: 9 }), (blocks) => {
        expect(trimmed(blocks)).toEqual(trimmed([blocks.flat()]))
      }),
    )
  })

  it('says how far the sound has moved', () => {
    const trimmer = new EdgeTrimmer(PAD, THRESHOLD)
    for (const block of [[0, 0], [0, 0, 0, 0.5, 0], [0.5]]) trimmer.push(Float32Array.from(block))
    expect(trimmer.shift).toBe(PAD - 5)
  })

  it('hands over sound at once and holds back only the silence behind it', () => {
    const trimmer = new EdgeTrimmer(PAD, THRESHOLD)
    const first = trimmer.push(Float32Array.from([0.5, 0.5, 0, 0]))
    expect(first.reduce((total, part) => total + part.length, 0)).toBe(PAD + 2)
    expect(trimmer.push(Float32Array.from([0, 0]))).toEqual([])
  })
})
