import type { HttpResponse } from 'uWebSockets.js'
import type { Clock } from '../runtime/clock.ts'

/** uWebSockets.js cuts a blocked response after 10 s of its coarse clock; a nudge this often keeps it from doing so. */
const NUDGE_MS = 4_000

/**
 * Decides how long a reader may be slow. Left alone, uWebSockets.js cuts a response that the kernel has not asked more of
 * for 10 s. Between two such requests lies a third of the kernel's send buffer: a megabyte, or twenty seconds for a player
 * that reads speech as fast as it is spoken. Pausing and resuming a response starts those 10 s afresh, so that the limit
 * that counts is `stallMsMax`.
 */
export class SlowReader {
  readonly #clock: Clock
  readonly #res: HttpResponse
  readonly #stallMsMax: number
  #stalledSince = 0
  #cancel: (() => void) | undefined

  constructor(clock: Clock, res: HttpResponse, stallMsMax: number) {
    this.#clock = clock
    this.#res = res
    this.#stallMsMax = stallMsMax
  }

  /** A write was refused. Safe to call again. */
  blocked(): void {
    if (this.#cancel !== undefined) return
    this.#stalledSince = this.#clock.monotonic()
    this.#watch()
  }

  /** The reader took something, though there may be more for it. */
  progressed(): void {
    this.#stalledSince = this.#clock.monotonic()
  }

  /** Nothing waits for the reader any more. */
  caughtUp(): void {
    this.#cancel?.()
    this.#cancel = undefined
  }

  #watch(): void {
    this.#cancel = this.#clock.after(NUDGE_MS, () => {
      if (this.#clock.monotonic() - this.#stalledSince >= this.#stallMsMax) {
        this.#cancel = undefined
        this.#res.close()
        return
      }
      this.#res.pause()
      this.#res.resume()
      this.#watch()
    })
  }
}
