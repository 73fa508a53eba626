/**
 * What an engine learnt from a reference clip, in its own format, with a version and a checksum: at most 64 KiB. Nobody but the
 * engine that made it reads it.
 */
export type VoiceFeatures = Uint8Array

/** Makes a voice that resembles the one in a reference clip. */
export interface VoiceFitter {
  /** Rate that the reference must have, in Hz. */
  readonly sampleRate: number
  /**
   * `reference`: mono, in [-1, 1]. Rejects with `UnfitReference` where nothing can be learnt from the clip, and stops at its next step
   * once the order's signal is aborted.
   */
  fit(reference: Float32Array, order: FittingOrder): Promise<VoiceFitting>
}

export interface FittingOrder {
  readonly signal: AbortSignal
  /** Nobody waits for it: whatever somebody waits for goes first. */
  readonly isAhead?: boolean
}

/** A voice that is being made. The same clip gives the same features, at first and in the end. */
export interface VoiceFitting {
  /** How it resembles the clip after a first look: it can speak. */
  readonly sketch: VoiceFeatures
  /** How it resembles the clip in the end. Nobody waits for it, and it stops at its next step once `signal` is aborted. Once. */
  refine(signal: AbortSignal): Promise<VoiceFeatures>
}

/** What features are worth: `lost` are those that the engine can't read. */
export type FeatureState = 'lost' | 'sketch' | 'refined'

/** Where the features of enrolled voices lie. */
export interface VoiceFeatureStore {
  /** undefined: lost or corrupt. */
  load(voiceId: string): Promise<VoiceFeatures | undefined>
}

/** The clip is too short, too quiet, clipped, silent, or more noise than speech. */
export class UnfitReference extends Error {
  /** For programs, such as `min_duration`. */
  readonly rule: string

  constructor(rule: string, message: string) {
    super(message)
    this.rule = rule
  }
}

/** What was learnt of a voice can't be read any more: it has to be enrolled again. */
export class VoiceFeaturesLost extends Error {}
