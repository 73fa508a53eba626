import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Framer } from '../../src/audio/framer.ts'

describe('Framer', () => {
  it('cuts any blocks into frames of one length, only the last shorter, and loses nothing', () => {
    const block = fc.int16Array({ maxLength: 50 })
    fc.assert(
      fc.property(fc.array(block, { maxLength: 10 }), fc.integer({ min: 1, max: 20 }), (blocks, frameSamples) => {
        const framer = new Framer(frameSamples)
        const frames = blocks.flatMap((samples) => framer.push(samples))
        expect(frames.every((frame) => frame.length === frameSamples)).toBe(true)
        const rest = framer.flush()
        expect(rest?.length ?? 1).toBeLessThanOrEqual(frameSamples)
        const all = [...frames, ...(rest ? [rest] : [])].flatMap((frame) => [...frame])
        expect(all).toEqual(blocks.flatMap((samples) => [...samples]))
      }),
    )
  })

  it('has nothing left to flush when the samples fill their frames', () => {
    const framer = new Framer(2)
    framer.push(Int16Array.of(1, 2, 3, 4))
    expect(framer.flush()).toBeUndefined()
  })
})
