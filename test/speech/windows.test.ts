import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CONTEXT_FRAMES } from '../../src/speech/task-protocol.ts'
import { layFirstWindows, layWindows } from '../../src/speech/windows.ts'

const frames = fc.integer({ min: 0, max: 900 })

describe('windows', () => {
  it('cover every frame once, in order', () => {
    fc.assert(
      fc.property(frames, frames, fc.integer({ min: 0, max: 5 }), (from, length, heard) => {
        let at = from
        for (const span of layWindows(from, from + length, heard)) {
          expect(span.from).toBe(at)
          expect(span.to).toBeGreaterThan(at)
          at = span.to
        }
        expect(at).toBe(from + length)
      }),
    )
  })

  it('are short where somebody waits for them and grow from there', () => {
    const sizes = layWindows(0, 400, 0).map(({ from, to }) => to - from)
    expect(sizes.slice(0, 4)).toEqual([8, 12, 16, 24])
    expect(layWindows(0, 400, Number.POSITIVE_INFINITY)[0]).toEqual({ from: 0, to: 32 })
  })

  it('of an unfinished stretch leave the frames whose context is not known yet', () => {
    expect(layFirstWindows(9, 60).at(-1)?.to).toBe(60 - CONTEXT_FRAMES)
    expect(layFirstWindows(9, 9 + CONTEXT_FRAMES + 11)).toEqual([])
  })
})
