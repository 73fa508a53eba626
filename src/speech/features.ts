import { CONTEXT_FRAMES, type Features, type FrameTrack } from './task-protocol.ts'
import type { WindowSpan } from './windows.ts'

/** A window's part of the features with the context it needs, in fresh arrays that can be handed to a worker. */
export function sliceFeatures(features: Features, span: WindowSpan): { features: Features; before: number } {
  const start = Math.max(0, span.from - CONTEXT_FRAMES)
  const end = Math.min(features.frames, span.to + CONTEXT_FRAMES)
  const tracks: Record<string, FrameTrack> = {}
  for (const [name, track] of Object.entries(features.tracks)) {
    tracks[name] = { data: track.data.slice(start * track.width, end * track.width), width: track.width }
  }
  return { features: { frames: end - start, tracks }, before: span.from - start }
}
