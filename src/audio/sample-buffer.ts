import assert from 'node:assert/strict'

/**
 * The last part of a stream of samples. Positions count from the start of the stream.
 *
 *   forgotten │ kept                     │ free
 *   ──────────┼──────────────────────────┼──────
 *           start                       end
 */
export class SampleBuffer {
  #samples = new Float32Array(INITIAL_SAMPLES)
  #start = 0
  #end = 0

  get end(): number {
    return this.#end
  }

  append(samples: Float32Array): void {
    const kept = this.#end - this.#start
    if (kept + samples.length > this.#samples.length) this.#grow(kept + samples.length)
    this.#samples.set(samples, kept)
    this.#end += samples.length
  }

  /** Samples [from, to), in a fresh array. */
  slice(from: number, to: number): Float32Array {
    assert.ok(this.#start <= from && from <= to && to <= this.#end, 'only what is kept can be read')
    return this.#samples.slice(from - this.#start, to - this.#start)
  }

  /** Forgets what comes before `position`. */
  forgetBefore(position: number): void {
    const forgotten = Math.min(position, this.#end) - this.#start
    if (forgotten <= 0) return
    this.#samples.copyWithin(0, forgotten, this.#end - this.#start)
    this.#start += forgotten
  }

  #grow(length: number): void {
    const grown = new Float32Array(2 * length)
    grown.set(this.#samples.subarray(0, this.#end - this.#start))
    this.#samples = grown
  }
}

/** Two seconds at 16 kHz: somebody who is silent needs no more. */
const INITIAL_SAMPLES = 32_000
