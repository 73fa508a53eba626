import type { HttpResponse } from 'uWebSockets.js'
import type { FrameSink } from '../api/exchange.ts'
import type { SlowReader } from './slow-reader.ts'

/**
 * One write with its chunk header must fit the 16 KiB cork buffer: if flushing that buffer fails, uWebSockets.js loses
 * what did not fit into it.
 */
const PIECE_BYTES = 15 * 1024
/** Bytes at the end of a write that wait for the rest to be taken. */
const TAIL_BYTES = 64

/**
 * A response of unknown length.
 *
 *   write ──▶ queue (ours) ──▶ backpressure buffer (uWebSockets.js) ──▶ kernel ──▶ reader
 *             ╰──────────────── bufferedBytes ────────────────────╯
 *
 * uWebSockets.js accepts every write, returns false when there were bytes it had to keep, and never says how many those
 * are or when they have gone; and a write into the cork buffer returns true whatever becomes of it. Only the next write
 * tells whether everything before it has left. So each piece begins with one byte that finds out, and the tail of each
 * write is held back until that byte was taken: as long as something waits, there is a byte left to ask with.
 * uWebSockets.js thus keeps about one piece, the rest waits here where it can be counted, and `bufferedBytes` is not too low
 * by more than a tail.
 */
export class ChunkedSink implements FrameSink {
  readonly #res: HttpResponse
  readonly #slowReader: SlowReader
  readonly #finished: () => void
  readonly closed: AbortSignal
  /** Not yet given to uWebSockets.js: what it refused to take at once. */
  readonly #queue: Uint8Array[] = []
  #queuedBytes = 0
  /** Given to uWebSockets.js when it last said it had nothing left: not known to have gone. */
  #unconfirmedBytes = 0
  /** Given to uWebSockets.js and known not to have gone altogether: it keeps at most this. */
  #heldBytes = 0
  #state: 'open' | 'ending' | 'closed' = 'open'
  readonly #drainCallbacks: (() => void)[] = []
  /** Bytes of payload accepted so far. */
  acceptedBytes = 0

  /** The head of the response has been written. `finished` is called once, when the last byte has been handed over. */
  constructor(res: HttpResponse, closed: AbortSignal, slowReader: SlowReader, finished: () => void) {
    this.#res = res
    this.closed = closed
    this.#slowReader = slowReader
    this.#finished = finished
    res.onWritable(() => {
      this.#resume()
      return true
    })
  }

  get bufferedBytes(): number {
    return this.#queuedBytes + this.#heldBytes
  }

  write(chunk: string | Uint8Array): void {
    // An empty chunk would end a chunked body.
    if (this.#state !== 'open' || chunk.length === 0) return
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    this.acceptedBytes += bytes.length
    this.#enqueue(bytes)
    if (this.#queue.length === 1) this.#offer()
  }

  onDrain(callback: () => void): void {
    this.#drainCallbacks.push(callback)
  }

  end(): void {
    if (this.#state !== 'open') return
    this.#state = 'ending'
    if (this.#queue.length === 0) this.#finish()
  }

  /** The client is gone: the response may not be touched again. */
  abandon(): void {
    this.#state = 'closed'
    this.#queue.length = 0
    this.#queuedBytes = 0
    this.#heldBytes = 0
    this.#slowReader.caughtUp()
  }

  #resume(): void {
    if (this.#state === 'closed') return
    this.#slowReader.progressed()
    const before = this.bufferedBytes
    if (this.#queue.length === 0) {
      // A tail was kept after all. An empty cork sends it on; with `onWritable` set nothing else would.
      this.#res.cork(() => {})
      this.#heldBytes = 0
      this.#slowReader.caughtUp()
    } else this.#offer()
    if (this.#state === 'ending' && this.#queue.length === 0) this.#finish()
    else if (this.bufferedBytes < before) for (const callback of this.#drainCallbacks) callback()
  }

  /** Hands over what the queue holds until a write is refused. */
  #offer(): void {
    for (let head = this.#queue[0]; head !== undefined; head = this.#queue[0]) {
      const pieceBytes = head.length <= TAIL_BYTES ? head.length : Math.min(PIECE_BYTES, head.length - TAIL_BYTES)
      if (!this.#give(pieceBytes)) {
        this.#slowReader.blocked()
        return
      }
    }
    this.#slowReader.caughtUp()
  }

  /** Writes the first bytes of the queue, or only the very first if bytes before it are still there. */
  #give(byteLength: number): boolean {
    let taken = true
    this.#res.cork(() => {
      taken = this.#res.write(this.#dequeue(1))
      if (taken && byteLength > 1) this.#res.write(this.#dequeue(byteLength - 1))
    })
    this.#heldBytes = taken ? 0 : this.#heldBytes + this.#unconfirmedBytes + 1
    this.#unconfirmedBytes = taken ? byteLength : 0
    return taken
  }

  #enqueue(bytes: Uint8Array): void {
    this.#queue.push(bytes)
    this.#queuedBytes += bytes.length
  }

  #dequeue(byteLength: number): Uint8Array {
    const head = this.#queue[0] ?? new Uint8Array(0)
    const piece = head.subarray(0, byteLength)
    if (byteLength < head.length) this.#queue[0] = head.subarray(byteLength)
    else this.#queue.shift()
    this.#queuedBytes -= piece.length
    return piece
  }

  #finish(): void {
    this.#state = 'closed'
    this.#slowReader.caughtUp()
    this.#res.cork(() => {
      this.#res.end()
    })
    this.#finished()
  }
}
