/**
 * Credits that flow from a consumer up to a producer: RxJS has no back-pressure, so everything asynchronous in a pipeline
 * sits above one of these. The producer calls `take` before it makes an item and waits for `onCredit` when it gets none.
 */
export class Demand {
  #credits: number
  #wake: (() => void) | undefined

  constructor(initialCredits = 0) {
    this.#credits = initialCredits
  }

  /** A consumer that takes whatever comes. */
  static unbounded(): Demand {
    return new Demand(Number.POSITIVE_INFINITY)
  }

  get credits(): number {
    return this.#credits
  }

  /** Consumer: allow `count` more items. */
  grant(count: number): void {
    this.#credits += count
    if (this.#credits > 0) this.#wake?.()
  }

  /** Producer: spend up to `count` credits; returns how many were there. */
  take(count: number): number {
    const taken = Math.min(count, Math.max(0, this.#credits))
    this.#credits -= taken
    return taken
  }

  /** Producer: the one function to call when credit arrives. */
  onCredit(wake: () => void): void {
    this.#wake = wake
  }
}
