import { createHash } from 'node:crypto'
import type {
  FeatureState,
  FittingOrder,
  VoiceFeatures,
  VoiceFitter,
  VoiceFitting,
} from '../src/speech/voice-fitting.ts'

/** "Learns" the hash of a clip, so that the same clip gives the same features, a sketch and what it is refined to. */
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
  /** Resolves when refining may go on. */
  refining: Promise<void> = Promise.resolve()
  /** Refining that begins now rejects with this in the end. */
  flaw: Error | undefined
  /** How often refining has begun. */
  refined = 0

  async fit(reference: Float32Array, { signal }: FittingOrder): Promise<VoiceFitting> {
    this.heard.push(reference.length / this.sampleRate)
    this.signal = signal
    await this.gate
    signal.throwIfAborted()
    if (this.failure !== undefined) throw this.failure
    const bytes = new Uint8Array(reference.buffer)
    return { sketch: hash('sketch', bytes), refine: (stop) => this.#refine(hash('refined', bytes), stop) }
  }

  async #refine(features: VoiceFeatures, signal: AbortSignal): Promise<VoiceFeatures> {
    const { flaw } = this
    this.refined += 1
    await new Promise<void>((resolve, reject) => {
      void this.refining.then(resolve)
      signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    })
    if (flaw !== undefined) throw flaw
    return features
  }
}

/** What it takes its own features for. */
export function scriptedState(features: VoiceFeatures): FeatureState {
  const [first = ''] = Buffer.from(features).toString('latin1').split(':')
  return first === 'sketch' || first === 'refined' ? first : 'lost'
}

function hash(state: FeatureState, bytes: Uint8Array): VoiceFeatures {
  return new Uint8Array(Buffer.from(`${state}:${createHash('sha256').update(bytes).digest('hex')}`))
}
