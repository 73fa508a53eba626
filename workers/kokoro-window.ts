import assert from 'node:assert/strict'
import { FRAME_SAMPLES, OVERLAP_SAMPLES } from '../src/speech/task-protocol.ts'
import type { FrameSpan } from './kokoro-silence.ts'

/** Rows of 800 a second in a frame: the rate between the generator's two stages. */
const ROWS_PER_FRAME = 20
const ROW_SAMPLES = FRAME_SAMPLES / ROWS_PER_FRAME
/**
 * Context beyond what is returned, on each side of each stage where speech goes on there. The convolutions reach further, but more
 * than this changes neither the DNSMOS of windows nor their distance to the same speech in one piece, and costs a tenth more.
 * Beyond a span of speech lies silence, which is no context: the layers' own zeros do.
 */
const DECODER_CONTEXT_FRAMES = 2
const FIRST_CONTEXT_FRAMES = 2
const SECOND_CONTEXT_ROWS = 10
/** What the second stage renders beyond the frames asked for. */
export const REACH_SAMPLES_MAX = SECOND_CONTEXT_ROWS * ROW_SAMPLES

/**
 * What of a stretch each stage renders for one part of a window.
 *
 *   stretch        |-----------------------------------------|
 *   decoder           |-----------------------------------|      frames of the stretch
 *   first stage           |---------------------------|          frames of the stretch
 *   second stage             |---------------------|             rows of 1/800 s, counted from where the first stage begins
 *   returned                   o|===============|o               o: overlap with the neighbouring window
 */
export interface WindowPart {
  readonly decoderFrom: number
  readonly decoderTo: number
  readonly firstFrom: number
  readonly firstTo: number
  readonly secondFrom: number
  readonly secondTo: number
  /** Samples of the rendered audio that are used, and where in the window they belong. */
  readonly audioFrom: number
  readonly audioTo: number
  readonly at: number
}

export interface WindowLayout {
  /** Samples in front of the first frame asked for. */
  readonly before: number
  readonly samples: number
  /** How to render one span of speech; undefined where it lies outside the window. */
  part(span: FrameSpan): WindowPart | undefined
}

/**
 * A window of `frames` behind `before` frames of context in a stretch of `stretchFrames`. `reach`: samples by which it goes over into
 * what lies on either side of it, at most `REACH_SAMPLES_MAX`.
 */
export function windowLayout(
  stretchFrames: number,
  before: number,
  frames: number,
  reach: number = OVERLAP_SAMPLES,
): WindowLayout {
  assert.ok(reach <= REACH_SAMPLES_MAX)
  const end = before + frames
  const leftOverlap = before > 0 ? reach : 0
  const rightOverlap = end < stretchFrames ? reach : 0
  const start = before * FRAME_SAMPLES - leftOverlap
  return {
    before: leftOverlap,
    samples: frames * FRAME_SAMPLES + leftOverlap + rightOverlap,
    part(span: FrameSpan): WindowPart | undefined {
      const from = Math.max(span.from, before)
      const to = Math.min(span.to, end)
      if (from >= to) return undefined
      const firstFrom = Math.max(span.from, from - FIRST_CONTEXT_FRAMES)
      const firstTo = Math.min(span.to, to + FIRST_CONTEXT_FRAMES)
      const secondFrom = Math.max(firstFrom * ROWS_PER_FRAME, from * ROWS_PER_FRAME - SECOND_CONTEXT_ROWS)
      const secondTo = Math.min(firstTo * ROWS_PER_FRAME, to * ROWS_PER_FRAME + SECOND_CONTEXT_ROWS)
      const firstSample = from * FRAME_SAMPLES - (span.from < before ? leftOverlap : 0)
      const lastSample = to * FRAME_SAMPLES + (span.to > end ? rightOverlap : 0)
      return {
        decoderFrom: Math.max(span.from, firstFrom - DECODER_CONTEXT_FRAMES),
        decoderTo: Math.min(span.to, firstTo + DECODER_CONTEXT_FRAMES),
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
