/**
 * Where the node stands between its start and its end:
 *
 *   starting ──warm──▶ ready ──drain──▶ draining ──stop──▶ stopped
 */
export class NodeLifecycle {
  #state: 'starting' | 'ready' | 'draining' = 'starting'
  readonly #stop = new AbortController()

  get ready(): boolean {
    return this.#state === 'ready'
  }

  get draining(): boolean {
    return this.#state === 'draining'
  }

  /** Aborted when whatever still runs must end now. */
  get stopped(): AbortSignal {
    return this.#stop.signal
  }

  warm(): void {
    if (this.#state === 'starting') this.#state = 'ready'
  }

  /** New work is refused from here on. */
  drain(): void {
    this.#state = 'draining'
  }

  stop(): void {
    this.drain()
    this.#stop.abort()
  }
}
