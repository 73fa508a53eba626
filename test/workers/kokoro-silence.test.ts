import { describe, expect, it } from 'vitest'
import { speechSpans } from '../../workers/kokoro-silence.ts'

const LOUD = 1
const QUIET = -5

/** One letter a frame: `s` speech, `.` silence. */
function energyOf(frames: string): Float32Array {
  return Float32Array.from([...frames].flatMap((frame) => [QUIET, frame === 's' ? LOUD : QUIET]))
}

describe('spans of speech', () => {
  it('are widened by two frames before and three after', () => {
    expect(speechSpans(energyOf('.....s......'))).toEqual([{ from: 3, to: 9 }])
  })

  it('stay within the stretch', () => {
    expect(speechSpans(energyOf('s..s'))).toEqual([{ from: 0, to: 4 }])
  })

  it('join across a gap that is shorter than the context of another span', () => {
    const pause = (frames: number) => energyOf(`..s${'.'.repeat(frames)}s...`)
    expect(speechSpans(pause(12))).toHaveLength(1)
    expect(speechSpans(pause(13))).toHaveLength(2)
  })

  it('are none in silence', () => {
    expect(speechSpans(energyOf('........'))).toEqual([])
    expect(speechSpans(new Float32Array())).toEqual([])
  })
})
