/** What the node is in the middle of: requests being answered and sockets open. Idle keep-alive connections are not counted. */
export class OpenConnections {
  #count = 0
  #waiting: (() => void)[] = []

  get count(): number {
    return this.#count
  }

  /** Counts one more; the returned function, called once or more, counts it off. */
  enter(): () => void {
    this.#count++
    let inside = true
    return () => {
      if (!inside) return
      inside = false
      this.#count--
      if (this.#count === 0) for (const resolve of this.#waiting.splice(0)) resolve()
    }
  }

  /** Resolves when nothing is open. */
  whenEmpty(): Promise<void> {
    if (this.#count === 0) return Promise.resolve()
    return new Promise((resolve) => {
      this.#waiting.push(resolve)
    })
  }
}
