/**
 * Joins windows of one signal that were rendered apart. Neighbours reach `overlap` samples into each other; there the
 * older fades out while the newer fades in, linearly, because both are estimates of the same waveform.
 *
 *   window 1  ──────────────╲╲
 *   window 2              ╱╱──────────────╲╲
 *                     seam ^ ± overlap
 */
export class SeamJoiner {
  readonly #overlap: number
  /** The last 2 × overlap samples of the newest window, around the seam that its successor will fill. */
  #held: Float32Array | undefined

  constructor(overlap: number) {
    this.#overlap = overlap
  }

  /**
   * Takes the next window and returns the samples that are final. All but the first window begin `overlap` samples before
   * their seam, all but the last end `overlap` samples after theirs.
   */
  push(window: Float32Array, isLast: boolean): Float32Array {
    const width = 2 * this.#overlap
    const held = this.#held
    const keep = isLast ? window.length : window.length - width
    if (keep < (held ? width : 0)) throw new RangeError('a window is shorter than its overlaps')
    const ready = window.slice(0, keep)
    if (held) {
      for (let i = 0; i < width; i++) {
        const gain = (i + 0.5) / width
        ready[i] = held[i]! * (1 - gain) + window[i]! * gain
      }
    }
    this.#held = isLast ? undefined : window.slice(keep)
    return ready
  }
}
