import type { Clock } from '../../src/runtime/clock.ts'
import type { FakeClock } from '../fake-clock.ts'

/**
 * One process. Whatever it waits for (a timer, the disk, a worker, the network) reaches it through here, and only while it
 * lives: ending it is `kill -9`.
 */
export class Life {
  readonly clock: Clock
  readonly #world: FakeClock
  readonly #timers = new Set<() => void>()
  #alive = true

  constructor(world: FakeClock) {
    this.#world = world
    this.clock = {
      now: () => Math.floor(world.now()),
      monotonic: () => world.monotonic(),
      after: (delayMs, callback) => this.after(delayMs, callback),
    }
  }

  get alive(): boolean {
    return this.#alive
  }

  /** Timers that are set and have not run. */
  get timers(): number {
    return this.#timers.size
  }

  after(delayMs: number, callback: () => void): () => void {
    if (!this.#alive) return () => {}
    const cancel = () => {
      this.#timers.delete(cancel)
      cancelInWorld()
    }
    const cancelInWorld = this.#world.after(delayMs, () => {
      this.#timers.delete(cancel)
      callback()
    })
    this.#timers.add(cancel)
    return cancel
  }

  /** Never resolves in a process that has ended. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => void this.after(ms, resolve))
  }

  end(): void {
    this.#alive = false
    for (const cancel of [...this.#timers]) cancel()
  }
}
