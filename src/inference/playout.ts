import type { Clock } from '../runtime/clock.ts'
import { SAMPLE_RATE } from '../speech/task-protocol.ts'

/** The first sound is due so long after it was asked for: whoever has less than this in hand goes first. */
const FIRST_SOUND_MS = 400

/** When a listener hears what, who plays from the first sample, and then on with what comes. Times are of the monotonic clock. */
export class Playout {
  readonly #clock: Clock
  readonly #firstSoundAt: number
  /** When the first sample was handed over, and all silence after it. */
  #startedAt: number | undefined
  #samples = 0

  constructor(clock: Clock) {
    this.#clock = clock
    this.#firstSoundAt = clock.monotonic() + FIRST_SOUND_MS
  }

  /** Something was handed over. */
  get hasBegun(): boolean {
    return this.#startedAt !== undefined
  }

  /** Samples handed over so far. */
  get samples(): number {
    return this.#samples
  }

  /** When the listener will have heard everything handed over. */
  get runsDryAt(): number {
    return this.heardAt(this.#samples)
  }

  /** `samples` more are handed over now: a listener who had run dry goes on with them. */
  add(samples: number): void {
    const now = this.#clock.monotonic()
    this.#startedAt = this.#startedAt === undefined ? now : Math.max(this.#startedAt, now - durationMs(this.#samples))
    this.#samples += samples
  }

  /** When the first `samples` will have been heard. A gap moves it. */
  heardAt(samples: number): number {
    return (this.#startedAt ?? this.#firstSoundAt) + durationMs(samples)
  }
}

function durationMs(samples: number): number {
  return (samples / SAMPLE_RATE) * 1_000
}
