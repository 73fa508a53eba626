import type { Clock } from '../runtime/clock.ts'
import { STEADY_WINDOW_SECONDS } from '../speech/windows.ts'
import type { CostModel } from './cost-model.ts'

/** Whoever has less to hear than this is short. As long as it lasts, an opening costs more than what follows. */
const OPENING_MS = 900
/**
 * Work of the opening, as a multiple of what as much speech costs later: while it is heard, the rest of the sentence is planned, and
 * the first window that is longer than those before it is made.
 */
const OPENING_EFFORT = 1.8
/** Nobody is let in who would have to wait for more than this to be made before a word is heard. */
const HEAD_START_MS_MAX = 500
/** Nobody who is in waits for more. */
const HELD_MS_MAX = 1_000

/**
 * Knows how much each listener has in hand. Streams run dry in their openings: each wants more than its share of the workers then, and
 * where more streams are short than there are workers, all of them get less. So somebody who comes at such a moment hears nothing
 * until enough is made to outlast it, and somebody who would have to wait for too much is not let in.
 */
export class Openings {
  readonly #costs: CostModel
  readonly #workers: number
  readonly #clock: Clock
  readonly #dryTimes = new Set<() => number | undefined>()

  constructor(costs: CostModel, workers: number, clock: Clock) {
    this.#costs = costs
    this.#workers = workers
    this.#clock = clock
  }

  /** Counts a stream until the returned function is called. `runsDryAt`: on the monotonic clock; undefined before the first sound. */
  enter(runsDryAt: () => number | undefined): () => void {
    const stream = () => runsDryAt()
    this.#dryTimes.add(stream)
    return () => {
      this.#dryTimes.delete(stream)
    }
  }

  /** Streams that are short. */
  get short(): number {
    const until = this.#clock.monotonic() + OPENING_MS
    return [...this.#dryTimes].filter((runsDryAt) => (runsDryAt() ?? 0) < until).length
  }

  /** How many more may be short. */
  get room(): number {
    const spareMs = HEAD_START_MS_MAX - this.#windowMs
    const shortMax = Math.floor(((1 + spareMs / OPENING_MS) * this.#workers) / this.#effort)
    return Math.max(0, Math.max(this.#workers, shortMax) - this.short)
  }

  /**
   * Milliseconds of audio that must be made before somebody hears the first of it: what is heard of an opening while its work, at
   * the share of a worker that is left for it, goes on for longer than the opening itself, and while a task that can't be interrupted
   * keeps a worker from it. None while there is a worker for everybody that keeps up.
   */
  get headStartMs(): number {
    const { short } = this
    const hasIdleWorker = short < this.#workers
    const load = hasIdleWorker
      ? OPENING_EFFORT * this.#costs.realTimeFactorAlone
      : (this.#effort * short) / this.#workers
    if (short <= this.#workers && load <= 1) return 0
    const missingMs = OPENING_MS * (load - 1)
    return Math.min(Math.max(0, missingMs + this.#windowMs), HELD_MS_MAX)
  }

  /** Share of one worker that an opening needs. */
  get #effort(): number {
    return OPENING_EFFORT * this.#costs.realTimeFactor
  }

  get #windowMs(): number {
    return this.#costs.speechMs(STEADY_WINDOW_SECONDS)
  }
}
