import type { Clock } from '../src/runtime/clock.ts'

/** A clock that stands still until a test turns it. */
export class FakeClock implements Clock {
  #now: number
  #monotonic = 0
  readonly #timers = new Set<{ readonly at: number; readonly callback: () => void }>()

  constructor(now = Date.UTC(2026, 4, 20, 12)) {
    this.#now = now
  }

  now(): number {
    return this.#now
  }

  monotonic(): number {
    return this.#monotonic
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { at: this.#monotonic + delayMs, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  /** Timers that are set and have not run. */
  get timers(): number {
    return this.#timers.size
  }

  /** Turns both times forward and runs each timer at its own moment, those it sets on the way included. */
  advance(ms: number): void {
    const end = this.#monotonic + ms
    for (let next = this.#earliest(); next !== undefined && next.at <= end; next = this.#earliest()) {
      this.#timers.delete(next)
      this.#turnTo(next.at)
      next.callback()
    }
    this.#turnTo(end)
  }

  /** Turns both times forward to the next timer and runs that one alone; false where none is set. */
  step(): boolean {
    const next = this.#earliest()
    if (next === undefined) return false
    this.#timers.delete(next)
    this.#turnTo(next.at)
    next.callback()
    return true
  }

  /** Moves the wall clock alone, as an administrator or a time server does. */
  jump(ms: number): void {
    this.#now += ms
  }

  #earliest() {
    return [...this.#timers].reduce<{ readonly at: number; readonly callback: () => void } | undefined>(
      (earliest, timer) => (earliest === undefined || timer.at < earliest.at ? timer : earliest),
      undefined,
    )
  }

  #turnTo(monotonic: number): void {
    const step = Math.max(0, monotonic - this.#monotonic)
    this.#monotonic += step
    this.#now += step
  }
}
