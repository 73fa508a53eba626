import { createHash } from 'node:crypto'
import type { VoiceFeatures, VoiceFitter } from '../src/speech/voice-fitting.ts'

/** "Learns" the hash of a clip, so that the same clip gives the same features. */
export class ScriptedFitter implements VoiceFitter {
  readonly sampleRate = 24_000
  /** Rejects with this instead. */
  failure: Error | undefined
  /** Resolves when fitting may go on. */
  gate: Promise<void> = Promise.resolve()
  /** Of the clip it was given last. */
  signal: AbortSignal | undefined
  /** Lengths of the clips it was given, in seconds. */
  readonly heard: number[] = []

  async fit(reference: Float32Array, signal: AbortSignal): Promise<VoiceFeatures> {
    this.heard.push(reference.length / this.sampleRate)
    this.signal = signal
    await this.gate
    signal.throwIfAborted()
    if (this.failure !== undefined) throw this.failure
    return new Uint8Array(createHash('sha256').update(new Uint8Array(reference.buffer)).digest())
  }
}
