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
   * `reference`: mono, in [-1, 1]. The same clip gives the same features. Rejects with `UnfitReference` where nothing can be
   * learnt from the clip, and stops at its next step once `signal` is aborted.
   */
  fit(reference: Float32Array, signal: AbortSignal): Promise<VoiceFeatures>
}

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
