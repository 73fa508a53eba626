/** Cuts a stream of samples into frames of equal length; only those that are flushed may be shorter. */
export class Framer {
  readonly #frameSamples: number
  #frame: Int16Array
  #filled = 0

  constructor(frameSamples: number) {
    this.#frameSamples = frameSamples
    this.#frame = new Int16Array(frameSamples)
  }

  /** Samples that wait for their frame to be full. */
  get waiting(): number {
    return this.#filled
  }

  /** Frames completed by `samples`; the receiver owns them. */
  push(samples: Int16Array): Int16Array[] {
    const frames: Int16Array[] = []
    let at = 0
    while (at < samples.length) {
      const taken = Math.min(this.#frameSamples - this.#filled, samples.length - at)
      this.#frame.set(samples.subarray(at, at + taken), this.#filled)
      this.#filled += taken
      at += taken
      if (this.#filled === this.#frameSamples) {
        frames.push(this.#frame)
        this.#frame = new Int16Array(this.#frameSamples)
        this.#filled = 0
      }
    }
    return frames
  }

  /** What waits, if anything, as a frame of its own. */
  flush(): Int16Array | undefined {
    const rest = this.#filled > 0 ? this.#frame.slice(0, this.#filled) : undefined
    this.#filled = 0
    return rest
  }
}
