import { describe, expect, it } from 'vitest'
import { joinFeatures } from '../../src/speech/features.ts'

describe('joining stretches', () => {
  it('puts one after the other, and lets a phase go on from where it was', () => {
    const stretch = (values: number[], phase: number[]) => ({
      frames: values.length,
      tracks: {
        pitch: { data: Float32Array.from(values), width: 1 },
        phase: { data: Float32Array.from(phase), width: 1, cyclic: true },
      },
    })
    const { frames, tracks } = joinFeatures(stretch([1, 2], [0.25, 0.75]), stretch([3], [0.5]))
    expect(frames).toBe(3)
    expect([...tracks.pitch!.data]).toEqual([1, 2, 3])
    expect([...tracks.phase!.data]).toEqual([0.25, 0.75, 0.25])
  })
})
