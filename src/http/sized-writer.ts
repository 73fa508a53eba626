import type { HttpResponse } from 'uWebSockets.js'
import type { SlowReader } from './slow-reader.ts'

/**
 * The body of a response whose length is known. uWebSockets.js takes what the kernel takes and keeps nothing: the rest of a
 * chunk is sent again from where the kernel stopped, so a chunk stays the caller's and must not change until `send`
 * resolves.
 */
export class SizedWriter {
  readonly #res: HttpResponse
  readonly #slowReader: SlowReader
  readonly #totalBytes: number
  readonly #finished: () => void
  #chunk: Uint8Array = new Uint8Array(0)
  #chunkStart = 0
  #sent: (() => void) | undefined
  #done = false

  /** The head of the response, without Content-Length, is written by the first `send`. */
  constructor(res: HttpResponse, totalBytes: number, slowReader: SlowReader, finished: () => void) {
    this.#res = res
    this.#totalBytes = totalBytes
    this.#slowReader = slowReader
    this.#finished = finished
    res.onWritable(() => {
      this.#slowReader.progressed()
      return this.#done || this.#chunk.length === 0 || this.#trySend()
    })
  }

  /** Whether all bytes were sent or the client is gone. */
  get done(): boolean {
    return this.#done
  }

  /** Sends the next bytes, one call at a time. Resolves when the kernel has them all or the client is gone. */
  send(chunk: Uint8Array, writeHead?: () => void): Promise<void> {
    if (this.#done) return Promise.resolve()
    return new Promise((resolve) => {
      this.#chunk = chunk
      this.#sent = resolve
      this.#res.cork(() => {
        writeHead?.()
        this.#chunkStart = this.#res.getWriteOffset()
        this.#trySend()
      })
    })
  }

  /** The client is gone: the response may not be touched again. */
  abandon(): void {
    this.#done = true
    this.#settle()
  }

  #trySend(): boolean {
    const rest = this.#chunk.subarray(this.#res.getWriteOffset() - this.#chunkStart)
    const [taken, responded] = this.#res.tryEnd(rest, this.#totalBytes)
    if (responded) {
      this.#done = true
      this.#settle()
      this.#finished()
    } else if (taken) this.#settle()
    else this.#slowReader.blocked()
    return taken
  }

  #settle(): void {
    this.#chunk = new Uint8Array(0)
    this.#slowReader.caughtUp()
    this.#sent?.()
    this.#sent = undefined
  }
}
