import assert from 'node:assert/strict'
import type { AudioDecoder } from '../audio/decoding.ts'
import { fromPcm16 } from '../audio/pcm.ts'
import { REFERENCE_SECONDS_MAX, REFERENCE_SECONDS_MIN, VOICE_FEATURES_BYTES_MAX } from '../limits.ts'
import type { Spool, SpoolFile } from '../runtime/spool.ts'
import {
  type FittingOrder,
  UnfitReference,
  type VoiceFeatures,
  type VoiceFitter,
  type VoiceFitting,
} from '../speech/voice-fitting.ts'

export interface VoiceLearnerParts {
  readonly decoder: AudioDecoder
  readonly spool: Spool
  readonly fitter: VoiceFitter
}

/** Learns a voice from a recording: file → samples → sketch → features. */
export class VoiceLearner {
  readonly #parts: VoiceLearnerParts

  constructor(parts: VoiceLearnerParts) {
    this.#parts = parts
  }

  /**
   * Resolves when there is a sketch. Rejects with `UnfitReference` when the recording is of no use, with `DecoderBusy` or `SpoolFull` for
   * want of room, and with the signal's reason when it aborts. Leaves nothing on disk.
   */
  async learn(path: string, order: FittingOrder): Promise<VoiceFitting> {
    const { fitter } = this.#parts
    const reference = await this.#read(path, order.signal)
    if (reference.length < REFERENCE_SECONDS_MIN * fitter.sampleRate) {
      throw new UnfitReference('min_duration', `must last at least ${REFERENCE_SECONDS_MIN} second`)
    }
    if (!reference.some((sample) => Math.abs(sample) > SILENCE_PEAK)) {
      throw new UnfitReference('not_silent', 'must not be silent')
    }
    order.signal.throwIfAborted()
    const { sketch, refine } = await fitter.fit(reference, order)
    return { sketch: ofBounds(sketch), refine: async (signal) => ofBounds(await refine(signal)) }
  }

  /** The beginning of the recording, mono, at the fitter's rate. */
  async #read(path: string, signal: AbortSignal): Promise<Float32Array> {
    const { spool, fitter } = this.#parts
    const file = await spool.create()
    try {
      file.claim(REFERENCE_SECONDS_MAX * fitter.sampleRate * BYTES_PER_SAMPLE)
      const samples = await this.#decode(path, file, signal)
      const bytes = await file.read(0, samples * BYTES_PER_SAMPLE)
      assert.equal(bytes.length, samples * BYTES_PER_SAMPLE, 'the audio on disk is as long as it was')
      return fromPcm16(new Int16Array(bytes.buffer))
    } finally {
      await file.remove()
    }
  }

  /** Number of samples. */
  async #decode(path: string, file: SpoolFile, signal: AbortSignal): Promise<number> {
    const { decoder, fitter } = this.#parts
    const wanted = { sampleRate: fitter.sampleRate, secondsMax: REFERENCE_SECONDS_MAX, longer: 'cut' } as const
    const result = await decoder.decode(path, file.path, signal, wanted)
    switch (result.status) {
      case 'decoded':
        return result.samples
      case 'cancelled':
        signal.throwIfAborted()
        throw new Error('decoding was cancelled by nobody')
      case 'too_long':
        throw new Error('a long recording is cut, not refused')
      case 'unsupported':
        throw new UnfitReference('audio_format', `cannot be read: ${result.message}`)
      case 'undecodable':
        throw new UnfitReference('decodable', `cannot be read: ${result.message}`)
    }
  }
}

function ofBounds(features: VoiceFeatures): VoiceFeatures {
  assert(features.length <= VOICE_FEATURES_BYTES_MAX, 'features are as small as the engine promises')
  return features
}

const BYTES_PER_SAMPLE = 2
/** -50 dB of full scale: far below the quietest speech, above the noise of a converter. */
const SILENCE_PEAK = 10 ** (-50 / 20)
