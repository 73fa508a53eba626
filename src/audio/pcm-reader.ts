import { fromPcm16 } from './pcm.ts'

/** Samples of a stream of little-endian PCM16 that comes in frames of any size: a sample may lie half in one and half in the next. */
export class PcmReader {
  #half: number | undefined

  /** The samples that are complete by now, in [-1, 1). `bytes` stays the caller's. */
  read(bytes: Uint8Array): Float32Array {
    if (bytes.length === 0) return new Float32Array(0)
    const held = this.#half === undefined ? 0 : 1
    const whole = new Uint8Array((bytes.length + held) & ~1)
    if (this.#half !== undefined) whole[0] = this.#half
    whole.set(bytes.subarray(0, whole.length - held), held)
    this.#half = (bytes.length + held) % 2 === 0 ? undefined : bytes.at(-1)
    return fromPcm16(new Int16Array(whole.buffer))
  }
}
