import assert from 'node:assert/strict'
import { CONTEXT_FRAMES, type Features, type FrameTrack } from './task-protocol.ts'
import type { WindowSpan } from './windows.ts'

/** One stretch after another, in fresh arrays. Both have the same tracks. */
export function joinFeatures(first: Features, second: Features): Features {
  const tracks = Object.entries(first.tracks).map(([name, track]) => {
    const next = second.tracks[name]
    assert.ok(next, `the second stretch has no track ${name}`)
    const data = new Float32Array(track.data.length + next.data.length)
    data.set(track.data)
    data.set(track.cyclic ? continuedPhase(track.data.at(-1) ?? 0, next.data) : next.data, track.data.length)
    return [name, { ...track, data }] as const
  })
  return { frames: first.frames + second.frames, tracks: Object.fromEntries(tracks) }
}

function continuedPhase(start: number, phase: Float32Array): Float32Array {
  return phase.map((cycles) => (start + cycles) % 1)
}

/** A window's part of the features with the context it needs, in fresh arrays that can be handed to a worker. */
export function sliceFeatures(features: Features, span: WindowSpan): { features: Features; before: number } {
  const start = Math.max(0, span.from - CONTEXT_FRAMES)
  const end = Math.min(features.frames, span.to + CONTEXT_FRAMES)
  const tracks: Record<string, FrameTrack> = {}
  for (const [name, track] of Object.entries(features.tracks)) {
    tracks[name] = { ...track, data: track.data.slice(start * track.width, end * track.width) }
  }
  return { features: { frames: end - start, tracks }, before: span.from - start }
}
