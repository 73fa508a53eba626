import { HOP_SAMPLES, MelPower } from './mel-power.ts'

const POWER_MIN = 1e-10
/** Powers of ten below the loudest value at which the picture ends. */
const RANGE = 8

/** What Whisper sees of audio: loudness by pitch and time, [bands, frames], after OpenAI's `whisper/audio.py`. */
export class LogMel {
  readonly #power: MelPower
  readonly #powers: Float64Array

  /** `bands`: 80, or 128 for the large models since the third. */
  constructor(bands: number) {
    this.#power = new MelPower(bands)
    this.#powers = new Float64Array(bands)
  }

  /** `samples` at 16 kHz are followed by silence up to `frames` frames, or cut. Returns a fresh array. */
  compute(samples: Float32Array, frames: number): Float32Array {
    const mel = new Float32Array(this.#powers.length * frames)
    let loudest = Math.log10(POWER_MIN)
    for (let frame = 0; frame < frames; frame++) {
      this.#power.write(samples, frame * HOP_SAMPLES, this.#powers)
      for (let index = 0; index < this.#powers.length; index++) {
        const level = Math.log10(Math.max(this.#powers[index]!, POWER_MIN))
        mel[index * frames + frame] = level
        if (level > loudest) loudest = level
      }
    }
    const floor = loudest - RANGE
    for (let at = 0; at < mel.length; at++) mel[at] = (Math.max(mel[at]!, floor) + 4) / 4
    return mel
  }
}
