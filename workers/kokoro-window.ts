import { FRAME_SAMPLES, OVERLAP_SAMPLES } from '../src/speech/task-protocol.ts'
import type { FrameSpan } from './kokoro-silence.ts'

/** Rows of 800 a second in a frame: the rate between the generator's two stages. */
const ROWS_PER_FRAME = 20
const ROW_SAMPLES = FRAME_SAMPLES / ROWS_PER_FRAME
/** Frames of context the first stage needs for clean edges; the decoder before it gets one more. */
const FIRST_CONTEXT_FRAMES = 3
/** Rows of context of the second stage: the overlap, and the 66 steps of 5 samples that its convolutions reach. */
const SECOND_CONTEXT_ROWS = 15

/**
 * What of a stretch each stage renders for one part of a window. Positions count from the start of the stretch, but those of the
 * second stage from where the first begins.
 *
 *   stretch        |-------------------------------------|
 *   first stage        |-----------------------------|        whole frames
 *   second stage           |---------------------|            rows of 1/800 s
 *   returned                 o|===============|o              o: overlap with the neighbouring window
 */
export interface WindowLayout {
  readonly firstFrom: number
  readonly firstTo: number
  readonly secondFrom: number
  readonly secondTo: number
  /** Samples of the rendered audio that are used, and where in the window they belong. */
  readonly audioFrom: number
  readonly audioTo: number
  readonly at: number
}

/** A window of `frames` behind `before` frames of context in a stretch of `stretchFrames`. */
export function windowLayout(stretchFrames: number, before: number, frames: number) {
  const end = before + frames
  const leftOverlap = before > 0 ? OVERLAP_SAMPLES : 0
  const rightOverlap = end < stretchFrames ? OVERLAP_SAMPLES : 0
  const start = before * FRAME_SAMPLES - leftOverlap
  return {
    /** Samples in front of the first frame asked for. */
    before: leftOverlap,
    samples: frames * FRAME_SAMPLES + leftOverlap + rightOverlap,
    /** How to render one span of speech; undefined where it lies outside the window. */
    part(span: FrameSpan): WindowLayout | undefined {
      const from = Math.max(span.from, before)
      const to = Math.min(span.to, end)
      if (from >= to) return undefined
      const firstFrom = Math.max(0, from - FIRST_CONTEXT_FRAMES)
      const firstTo = Math.min(stretchFrames, to + FIRST_CONTEXT_FRAMES)
      const secondFrom = Math.max(firstFrom * ROWS_PER_FRAME, from * ROWS_PER_FRAME - SECOND_CONTEXT_ROWS)
      const secondTo = Math.min(firstTo * ROWS_PER_FRAME, to * ROWS_PER_FRAME + SECOND_CONTEXT_ROWS)
      const firstSample = from * FRAME_SAMPLES - (span.from < before ? leftOverlap : 0)
      const lastSample = to * FRAME_SAMPLES + (span.to > end ? rightOverlap : 0)
      return {
        firstFrom,
        firstTo,
        secondFrom: secondFrom - firstFrom * ROWS_PER_FRAME,
        secondTo: secondTo - firstFrom * ROWS_PER_FRAME,
        audioFrom: firstSample - secondFrom * ROW_SAMPLES,
        audioTo: lastSample - secondFrom * ROW_SAMPLES,
        at: firstSample - start,
      }
    },
  }
}
