import { join } from 'node:path'
import { type VoiceFeatureStore, VoiceFeaturesLost } from '../speech/voice-fitting.ts'
import { decodeVoiceSound } from './voice-sound.ts'
import type { VoiceSound, VoiceSource } from './voice-styles.ts'

/** Voices that were fitted to recordings. What was measured of them lies in their own folders, and goes when they go. */
export class EnrolledVoices implements VoiceSource {
  readonly #store: VoiceFeatureStore
  readonly #folder: string
  readonly #graphs: string

  /** `folder`: where each voice has a folder of its own. `graphs`: names the installed graphs, since measurements belong to them. */
  constructor(store: VoiceFeatureStore, folder: string, graphs: string) {
    this.#store = store
    this.#folder = folder
    this.#graphs = graphs
  }

  /** Rejects with `VoiceFeaturesLost`. */
  async read(voiceId: string): Promise<VoiceSound> {
    const features = await this.#store.load(voiceId)
    const sound = features && decodeVoiceSound(features)
    if (sound === undefined) throw new VoiceFeaturesLost(`the features of ${voiceId} are lost or of another version`)
    return sound
  }

  conditioningPath(voiceId: string, row: number): string {
    return join(this.#folder, voiceId, `conditioning-${this.#graphs}-${row}.f32`)
  }

  /** The voice's own folder. Where it is gone, the voice is. */
  async makeRoom(): Promise<void> {}
}
