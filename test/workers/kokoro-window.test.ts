import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONTEXT_FRAMES, FRAME_SAMPLES, OVERLAP_SAMPLES } from '../../src/speech/task-protocol.ts'
import { windowLayout } from '../../workers/kokoro-window.ts'

const ROW_SAMPLES = 30

describe('the layout of a window', () => {
  it('reaches into its neighbours, and not beyond the ends of the speech', () => {
    const first = windowLayout(20, 0, 16)
    expect(first).toMatchObject({ before: 0, samples: 16 * FRAME_SAMPLES + OVERLAP_SAMPLES })
    const middle = windowLayout(24, CONTEXT_FRAMES, 16)
    expect(middle).toMatchObject({ before: OVERLAP_SAMPLES, samples: 16 * FRAME_SAMPLES + 2 * OVERLAP_SAMPLES })
    const last = windowLayout(20, CONTEXT_FRAMES, 16)
    expect(last).toMatchObject({ before: OVERLAP_SAMPLES, samples: 16 * FRAME_SAMPLES + OVERLAP_SAMPLES })
  })

  it('renders nothing for speech that lies in the context alone', () => {
    expect(windowLayout(24, 4, 16).part({ from: 0, to: 4 })).toBeUndefined()
    expect(windowLayout(24, 4, 16).part({ from: 20, to: 24 })).toBeUndefined()
  })

  it('takes every sample from what is rendered, and puts it inside the window', () => {
    const window = fc.record({
      before: fc.integer({ min: 0, max: CONTEXT_FRAMES }),
      frames: fc.integer({ min: 1, max: 60 }),
      after: fc.integer({ min: 0, max: CONTEXT_FRAMES }),
      from: fc.integer({ min: 0, max: 67 }),
      length: fc.integer({ min: 1, max: 68 }),
    })
    fc.assert(
      fc.property(window, ({ before, frames, after, from, length }) => {
        const stretch = before + frames + after
        const layout = windowLayout(stretch, before, frames)
        const part = layout.part({ from: Math.min(from, stretch - 1), to: Math.min(from + length, stretch) })
        if (part === undefined) return
        const rendered = (part.secondTo - part.secondFrom) * ROW_SAMPLES
        expect(part.audioFrom).toBeGreaterThanOrEqual(0)
        expect(part.audioTo).toBeLessThanOrEqual(rendered)
        expect(part.at).toBeGreaterThanOrEqual(0)
        expect(part.at + part.audioTo - part.audioFrom).toBeLessThanOrEqual(layout.samples)
        expect(part.decoderFrom).toBeLessThanOrEqual(part.firstFrom)
        expect(part.decoderTo).toBeGreaterThanOrEqual(part.firstTo)
        expect(part.secondFrom).toBeGreaterThanOrEqual(0)
        expect(part.secondTo).toBeLessThanOrEqual(20 * (part.firstTo - part.firstFrom))
      }),
    )
  })
})
