/** Time as a parameter: product code never reads the wall clock or sets a timer except through this interface. */
export interface Clock {
  /** Wall time in milliseconds since the Unix epoch, UTC. */
  now(): number
  /** Milliseconds from an arbitrary start; never goes backwards, whatever happens to the wall clock. */
  monotonic(): number
  /**
   * Calls `callback` once after `delayMs`, or for 0 when everybody has been told what has happened so far; the returned function
   * cancels it. Timers never keep the process alive.
   */
  after(delayMs: number, callback: () => void): () => void
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  after(delayMs, callback) {
    if (delayMs === 0) {
      const immediate = setImmediate(callback)
      return () => clearImmediate(immediate)
    }
    const timer = setTimeout(callback, delayMs)
    timer.unref()
    return () => clearTimeout(timer)
  },
}

/** Resolves after `delayMs` of the given clock. */
export function delay(clock: Clock, delayMs: number): Promise<void> {
  return new Promise((resolve) => {
    clock.after(delayMs, resolve)
  })
}
