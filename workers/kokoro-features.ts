import assert from 'node:assert/strict'
import type { Features, FrameTrack, SpeechPlan } from '../src/speech/task-protocol.ts'
import { accumulatePhase } from './harmonic-source.ts'
import { speechSpans } from './kokoro-silence.ts'

/** Of a row of `asr`: what the text model says of a token. */
export const TEXT_WIDTH = 512

/** Where a row says that the text is over: 0 everywhere but at its last token. */
const END_MARKS = [105, 502]

/**
 * Without the marks at the end of a text. The statistics that windows are rendered with come from the middle of one, where the marks
 * never move, so that a text which is still heard at its very end, such as "and a wa", would be a thousand times too loud there.
 */
export function withoutEndMarks(features: Features): Features {
  const asr = track(features, 'asr')
  const data = asr.data.slice()
  for (let row = 0; row < data.length; row += asr.width) {
    for (const mark of END_MARKS) data[row + mark] = 0
  }
  return { ...features, tracks: { ...features.tracks, asr: { ...asr, data } } }
}

/** A plan of features, with the silence that the model put around them. */
export function speechPlan(features: Features) {
  const spans = speechSpans(track(features, 'energy').data)
  const leadFrames = spans.at(0)?.from ?? 0
  const tailFrames = features.frames - (spans.at(-1)?.to ?? features.frames)
  return { status: 'planned', features, leadFrames, tailFrames } as const
}

/** Of a text with nothing to pronounce. */
export function emptyPlan(): SpeechPlan {
  const features = { frames: 0, tracks: {} }
  return { status: 'planned', features, isComplete: true, styleClass: 0, tokens: 0, leadFrames: 0, tailFrames: 0 }
}

/** Frames [from, to) as a stretch of its own, in arrays of its own unless it is all of them. */
export function cutFeatures(features: Features, from: number, to: number): Features {
  if (from === 0 && to === features.frames) return features
  const tracks = Object.entries(features.tracks).map(([name, { data, width }]) => {
    return [name, { data: data.slice(from * width, to * width), width }] as const
  })
  return withPhase({ frames: to - from, tracks: Object.fromEntries(tracks) })
}

/** With the phase of the pitch, counted from the first frame. */
export function withPhase(features: Features): Features {
  const phase = { data: accumulatePhase(track(features, 'f0').data), width: 2, cyclic: true }
  return { ...features, tracks: { ...features.tracks, phase } }
}

/** Throws where there is no such track. */
export function track(features: Features, name: string): FrameTrack {
  const found = features.tracks[name]
  assert.ok(found, `the features have no track ${name}`)
  return found
}
