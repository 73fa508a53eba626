import type { HttpResponse } from 'uWebSockets.js'
import { BodyTooLarge, ClientGone, type RequestHead } from '../api/exchange.ts'

/** Memory for request bodies, shared by all requests. */
export class UploadBudget {
  #free: number
  constructor(bytes: number) {
    this.#free = bytes
  }

  get freeBytes(): number {
    return this.#free
  }

  take(bytes: number): boolean {
    if (bytes > this.#free) return false
    this.#free -= bytes
    return true
  }

  give(bytes: number): void {
    this.#free += bytes
  }
}

/**
 * The body of one request. It has to be listened to from the first moment, or uWebSockets.js drops it; whether anybody wants
 * it is known only later. Until then a little is kept and the client is paused. A body that is refused is read on and thrown
 * away instead of closing the connection: a close with unread bytes makes the kernel reset the connection, and the client
 * would lose the answer that explains the refusal.
 *
 *   kept ──read, stream──▶ wanted ──last byte──▶ resolved
 *     ╰──────────────────────┴── too large, no memory, answered, client gone ──▶ dropped
 */
export class RequestBody {
  readonly #res: HttpResponse
  readonly #declaredBytes: number
  readonly #unclaimedBytesMax: number
  readonly #budget: UploadBudget
  readonly #overloaded: () => unknown
  #chunks: Uint8Array[] = []
  #receivedBytes = 0
  #heldBytes = 0
  #complete = false
  #dropped = false
  #paused = false
  #failure: { readonly reason: unknown } | undefined
  #reader: BodyReader | undefined

  constructor(res: HttpResponse, framing: BodyFraming, options: BodyOptions) {
    this.#res = res
    this.#declaredBytes = framing.declaredBytes ?? 0
    this.#unclaimedBytesMax = options.unclaimedBytesMax
    this.#budget = options.budget
    this.#overloaded = options.overloaded
    this.#complete = framing.declaredBytes === 0
    if (!this.#complete) res.onData((chunk, isLast) => this.#receive(chunk, isLast))
  }

  /** The whole body, the caller's to keep. Call once. Rejects with `BodyTooLarge`, `ClientGone`, or the edge's overload error. */
  read(limitBytes: number): Promise<Uint8Array> {
    return new Promise((resolve, reject) => {
      const received = () => {
        if (this.#complete) resolve(this.#takeWhole())
      }
      this.#claim({ limitBytes, received, reject, wantsWhole: true })
      if (this.#failure !== undefined) return
      this.#resume()
      received()
    })
  }

  /**
   * Hands the body on piece by piece, each once `write` is done with the one before; meanwhile the client is paused. Call once,
   * instead of `read`. Rejects as `read` does, and with whatever `write` rejects with.
   */
  async stream(limitBytes: number, write: (piece: Uint8Array) => Promise<void>): Promise<void> {
    let wake = () => {}
    this.#claim({ limitBytes, received: () => wake(), reject: () => wake(), wantsWhole: false })
    for (;;) {
      if (this.#failure !== undefined) throw this.#failure.reason
      const piece = this.#chunks.shift()
      if (piece !== undefined) {
        await write(piece)
        this.#forget(piece.length)
      } else if (this.#complete) return
      else {
        const arrival = new Promise<void>((resolve) => {
          wake = resolve
        })
        this.#resume()
        await arrival
      }
    }
  }

  /** The request is being answered: what has not been read is no longer wanted. */
  drop(): void {
    this.#dropped = true
    this.#chunks = []
    this.#forget(this.#heldBytes)
    this.#resume()
  }

  /** The client is gone: the response may not be touched again. */
  abandon(): void {
    this.#paused = false
    this.#fail(new ClientGone('the client left before its request was complete'))
  }

  #claim(reader: BodyReader): void {
    if (this.#reader !== undefined) throw new Error('a body can be read once')
    this.#reader = reader
    const { limitBytes } = reader
    if (this.#failure !== undefined) reader.reject(this.#failure.reason)
    else if (this.#declaredBytes > limitBytes || this.#receivedBytes > limitBytes) this.#fail(tooLarge(limitBytes))
  }

  #receive(chunk: ArrayBuffer, isLast: boolean): void {
    if (this.#dropped) return
    this.#receivedBytes += chunk.byteLength
    const limitBytes = this.#reader?.limitBytes
    if (limitBytes !== undefined && this.#receivedBytes > limitBytes) this.#fail(tooLarge(limitBytes))
    else if (!this.#budget.take(chunk.byteLength)) this.#fail(this.#overloaded())
    else this.#keep(chunk, isLast)
  }

  #keep(chunk: ArrayBuffer, isLast: boolean): void {
    this.#heldBytes += chunk.byteLength
    // The chunk is a view of the receive buffer and is emptied when this callback returns.
    this.#chunks.push(new Uint8Array(chunk.slice(0)))
    if (isLast) this.#complete = true
    if (this.#reader?.wantsWhole !== true) this.#pauseWhenAhead()
    this.#reader?.received()
  }

  #takeWhole(): Uint8Array {
    const [only, ...others] = this.#chunks
    this.#chunks = []
    return only !== undefined && others.length === 0 ? only : joined(only, others, this.#receivedBytes)
  }

  /** Nothing is held any more once the body was dropped. */
  #forget(bytes: number): void {
    const forgotten = Math.min(bytes, this.#heldBytes)
    this.#budget.give(forgotten)
    this.#heldBytes -= forgotten
  }

  #fail(reason: unknown): void {
    this.#failure ??= { reason }
    this.drop()
    this.#reader?.reject(this.#failure.reason)
  }

  #pauseWhenAhead(): void {
    if (this.#complete || this.#paused || this.#heldBytes < this.#unclaimedBytesMax) return
    this.#paused = true
    this.#res.pause()
  }

  #resume(): void {
    if (!this.#paused) return
    this.#paused = false
    this.#res.resume()
  }
}

/** Bytes a request says its body has: 0 without a body, undefined when it comes in chunks. */
export interface BodyFraming {
  readonly declaredBytes: number | undefined
}

export function bodyFraming(request: RequestHead): BodyFraming {
  if (request.header('transfer-encoding') !== undefined) return { declaredBytes: undefined }
  return { declaredBytes: Number(request.header('content-length') ?? 0) }
}

/**
 * What makes it doubtful where a request ends, or whom it is for; undefined: nothing. uWebSockets.js refuses a length that is not
 * digits, and one beside an encoding, but takes the first of two lengths and any encoding for `chunked`. A proxy in front may have
 * read it otherwise, and then the rest of the connection is somebody else's request (RFC 9112, sections 3.2, 6.1 and 6.3).
 */
export function framingFault(request: RequestHead): string | undefined {
  const encoding = request.header('transfer-encoding')
  if (encoding !== undefined && encoding.toLowerCase() !== 'chunked') return 'Transfer-Encoding must be chunked'
  const length = request.header('content-length')
  if (length !== undefined && !/^\d+$/.test(length)) return 'Content-Length must be one number'
  // Values of repeated headers are joined.
  return request.header('host')?.includes(',') ? 'Host must be sent once' : undefined
}

export interface BodyOptions {
  readonly unclaimedBytesMax: number
  readonly budget: UploadBudget
  readonly overloaded: () => unknown
}

interface BodyReader {
  readonly limitBytes: number
  /** Nothing is handed on before the last byte: the client must not be paused. */
  readonly wantsWhole: boolean
  /** More bytes, or the last of them, have come. */
  readonly received: () => void
  readonly reject: (reason: unknown) => void
}

function tooLarge(limitBytes: number): BodyTooLarge {
  return new BodyTooLarge(`body exceeds ${limitBytes} bytes`)
}

function joined(first: Uint8Array | undefined, others: readonly Uint8Array[], byteLength: number): Uint8Array {
  const whole = new Uint8Array(byteLength)
  let offset = 0
  for (const chunk of first === undefined ? others : [first, ...others]) {
    whole.set(chunk, offset)
    offset += chunk.length
  }
  return whole
}
