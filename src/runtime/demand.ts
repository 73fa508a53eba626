/**
 * Credits that flow from a consumer up to a producer: RxJS has no back-pressure, so everything asynchronous in a pipeline
 * sits above one of these. The producer works only while `credits` is positive, and is woken by `onCredit`.
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

  /**
   * Producer: pay for `count` items that were handed over. A producer that makes several items at a time may overdraw by
   * what one step makes, and then waits until the debt is granted back.
   */
  spend(count: number): void {
    this.#credits -= count
  }

  /** Producer: the one function to call when credit arrives. */
  onCredit(wake: () => void): void {
    this.#wake = wake
  }
}
