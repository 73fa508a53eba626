/** Frames [from, to). */
export interface FrameSpan {
  readonly from: number
  readonly to: number
}

/** Planned energy below which a frame comes out below -60 dB. */
const SILENT_BELOW = -1.5
/** Sounds begin before their energy and ring after it. */
const FRAMES_BEFORE = 2
const FRAMES_AFTER = 3
/** Rendering a shorter gap costs less than the context of a second span. */
const GAP_MIN = 8

/** Stretches with speech, in order, from the planned energy (two values a frame). The rest is silence. */
export function speechSpans(energy: Float32Array): FrameSpan[] {
  const frames = energy.length / 2
  const spans: { from: number; to: number }[] = []
  for (let frame = 0; frame < frames; frame++) {
    const loudest = Math.max(energy[2 * frame] ?? 0, energy[2 * frame + 1] ?? 0)
    if (loudest <= SILENT_BELOW) continue
    const from = Math.max(0, frame - FRAMES_BEFORE)
    const to = Math.min(frames, frame + FRAMES_AFTER + 1)
    const last = spans.at(-1)
    if (last !== undefined && from < last.to + GAP_MIN) last.to = to
    else spans.push({ from, to })
  }
  return spans
}
