import type { HttpResponse } from 'uWebSockets.js'

const CORK_BYTES = 16 * 1024

/**
 * The part of a uWebSockets.js response that a chunked body uses, over a kernel that takes what a test allows. It keeps
 * the habits that matter: a write that fits the cork buffer returns true whatever becomes of it, one that finds bytes left
 * over is added to them and returns false, nothing says how many are left, and with `onWritable` set they go on only with
 * the next write or cork.
 */
export class ScriptedResponse {
  /** Bytes the kernel will take before it refuses. */
  room = 0
  /** Payload the kernel took. */
  readonly taken: Uint8Array[] = []
  /** Payload kept in user space. */
  kept: Uint8Array[] = []
  ended = false
  pauses = 0
  resumes = 0
  closed = false
  #corked: Uint8Array[] | undefined
  #onWritable: (() => boolean) | undefined
  #onData: ((chunk: ArrayBuffer, isLast: boolean) => void) | undefined

  asResponse(): HttpResponse {
    return this as unknown as HttpResponse
  }

  get keptBytes(): number {
    return byteLength(this.kept)
  }

  cork(callback: () => void): this {
    this.#corked = []
    callback()
    const corked = this.#corked
    this.#corked = undefined
    this.kept.push(...corked)
    this.#flush()
    return this
  }

  write(chunk: Uint8Array): boolean {
    if (this.#corked === undefined) throw new Error('write outside a cork')
    if (this.ended) throw new Error('write after the end')
    this.#flush()
    if (this.keptBytes > 0) {
      this.kept.push(chunk.slice())
      return false
    }
    if (byteLength(this.#corked) + chunk.length > CORK_BYTES) throw new Error('the cork buffer would lose bytes')
    this.#corked.push(chunk.slice())
    return true
  }

  end(): this {
    this.ended = true
    return this
  }

  onWritable(callback: () => boolean): this {
    this.#onWritable = callback
    return this
  }

  onData(callback: (chunk: ArrayBuffer, isLast: boolean) => void): this {
    this.#onData = callback
    return this
  }

  pause(): this {
    this.pauses++
    return this
  }

  resume(): this {
    this.resumes++
    return this
  }

  close(): this {
    this.closed = true
    return this
  }

  /** The reader took something: the kernel has room again, and says so if it refused before. */
  drain(byteLength: number): void {
    this.room += byteLength
    if (this.keptBytes > 0) this.#onWritable?.()
  }

  receive(chunk: Uint8Array, isLast: boolean): void {
    this.#onData?.(new Uint8Array(chunk).buffer, isLast)
  }

  #flush(): void {
    while (this.room > 0 && this.kept[0] !== undefined) {
      const head = this.kept[0]
      const piece = head.subarray(0, this.room)
      this.taken.push(piece)
      this.room -= piece.length
      if (piece.length === head.length) this.kept.shift()
      else this.kept[0] = head.subarray(piece.length)
    }
  }
}

function byteLength(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}
