import { seededRandom } from '../../bench/seeded-random.ts'
import type { Random } from '../../src/runtime/random.ts'

/** Every decision of one world, in the order in which they are taken: the same seed takes the same ones. */
export class Chance implements Random {
  readonly #next: () => number

  constructor(seed: number) {
    this.#next = seededRandom(seed)
  }

  bytes(length: number): Uint8Array {
    return Uint8Array.from({ length }, () => this.#next() * 256)
  }

  /** True with this probability. */
  hits(probability: number): boolean {
    return this.#next() < probability
  }

  between(low: number, high: number): number {
    return low + this.#next() * (high - low)
  }

  /** A whole number from `low` to `high`, both included. */
  whole(low: number, high: number): number {
    return Math.floor(this.between(low, high + 1))
  }

  pick<T>(choices: readonly T[]): T {
    return choices[this.whole(0, choices.length - 1)]!
  }
}
