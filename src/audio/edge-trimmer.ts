/**
 * Trims the silence at both edges of a stream and pads each edge with the same short silence instead. Works while the
 * signal arrives: leading silence is dropped, and silence inside is held back until sound follows it, so that silence at
 * the very end can still be dropped. Sample-exact: how the stream is cut into blocks doesn't change the result.
 */
export class EdgeTrimmer {
  readonly #padSamples: number
  readonly #threshold: number
  #started = false
  #held: Float32Array[] = []
  #shift = 0

  /** `threshold`: the largest magnitude that counts as silence; `padSamples`: silence put at each edge. */
  constructor(padSamples: number, threshold: number) {
    this.#padSamples = padSamples
    this.#threshold = threshold
  }

  /** How much later than in the stream itself a sound is heard; negative: earlier. Known once a sound has come. */
  get shift(): number {
    return this.#shift + this.#padSamples
  }

  push(block: Float32Array): Float32Array[] {
    const first = block.findIndex((sample) => Math.abs(sample) > this.#threshold)
    if (!this.#started) this.#shift -= first === -1 ? block.length : first
    if (first === -1) {
      if (this.#started) this.#held.push(block)
      return []
    }
    const last = block.findLastIndex((sample) => Math.abs(sample) > this.#threshold)
    const released = this.#started ? this.#held : [new Float32Array(this.#padSamples)]
    released.push(block.subarray(this.#started ? 0 : first, last + 1))
    this.#started = true
    this.#held = last + 1 < block.length ? [block.subarray(last + 1)] : []
    return released
  }

  /** The padding at the end; a stream without any sound is both paddings. */
  flush(): Float32Array {
    const edges = this.#started ? 1 : 2
    this.#held = []
    return new Float32Array(edges * this.#padSamples)
  }
}
