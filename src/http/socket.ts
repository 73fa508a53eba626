import type { WebSocket } from 'uWebSockets.js'
import assert from 'node:assert/strict'
import type { RequestHead, SocketSession } from '../api/exchange.ts'
import type { HttpLimits } from './limits.ts'

/**
 * One WebSocket connection.
 *
 *   open ──end──▶ ending ──all sent──▶ closed
 *     ╰─────── peer leaves ─────────────▶
 *
 * `end` waits until what was sent has left this process: after a close frame uWebSockets.js gives a slow reader 16 s
 * without progress and then cuts it, and with it the end of what it was listening to.
 */
export class UwsSocketSession implements SocketSession {
  readonly id: string
  readonly request: RequestHead
  readonly #ws: WebSocket<unknown>
  readonly #limits: HttpLimits
  readonly #fault: (error: unknown) => void
  readonly #closing = new AbortController()
  #state: 'open' | 'ending' | 'closed' = 'open'
  #ending = { code: 1000, reason: '' }
  #listener: ((message: string | Uint8Array) => void) | undefined
  readonly #early: (string | Uint8Array)[] = []
  readonly #drainCallbacks: (() => void)[] = []
  sentBytes = 0
  receivedBytes = 0

  /** `fault` is told of broken invariants: what an endpoint threw, a producer that ignores `bufferedBytes`. */
  constructor(
    ws: WebSocket<unknown>,
    { id, request }: { readonly id: string; readonly request: RequestHead },
    limits: HttpLimits,
    fault: (error: unknown) => void,
  ) {
    this.id = id
    this.request = request
    this.#ws = ws
    this.#limits = limits
    this.#fault = fault
  }

  get closed(): AbortSignal {
    return this.#closing.signal
  }

  get bufferedBytes(): number {
    return this.#state === 'closed' ? 0 : this.#ws.getBufferedAmount()
  }

  onMessage(callback: (message: string | Uint8Array) => void): void {
    this.#listener = callback
    for (const message of this.#early.splice(0)) this.#deliver(message)
  }

  onDrain(callback: () => void): void {
    this.#drainCallbacks.push(callback)
  }

  send(message: string | Uint8Array): void {
    if (this.#state !== 'open') return
    const byteLength = Buffer.byteLength(message)
    if (this.#ws.getBufferedAmount() + byteLength > this.#limits.socketBufferBytesMax) {
      this.#fail(new Error('a producer sent on although the peer reads too slowly'))
      return
    }
    this.sentBytes += byteLength
    const status = this.#ws.send(message, typeof message !== 'string')
    if (status === DROPPED) this.#fail(new Error('a message was dropped'))
  }

  end(code: number, reason: string): void {
    if (this.#state !== 'open') return
    assert(isCloseCode(code), `${code} is not a close code an endpoint may send`)
    this.#state = 'ending'
    this.#ending = { code, reason: closeReason(reason) }
    this.#early.length = 0
    this.#closing.abort()
    this.#finishEnding()
  }

  /** From the edge: a message arrived. `bytes` is only lent. */
  receive(bytes: ArrayBuffer, isBinary: boolean): void {
    if (this.#state !== 'open') return
    this.receivedBytes += bytes.byteLength
    if (bytes.byteLength > this.#limits.socketMessageBytesMax) {
      this.end(1009, `message exceeds ${this.#limits.socketMessageBytesMax} bytes`)
      return
    }
    // uWebSockets.js has checked that text is UTF-8.
    const message = isBinary ? new Uint8Array(bytes.slice(0)) : Buffer.from(bytes).toString()
    if (this.#listener !== undefined) this.#deliver(message)
    else if (this.#early.length < this.#limits.socketEarlyMessagesMax) this.#early.push(message)
    else this.end(1008, 'messages arrive before the session listens')
  }

  /** From the edge: buffered bytes have left. */
  drained(): void {
    if (this.#state === 'ending') this.#finishEnding()
    else for (const callback of this.#drainCallbacks) this.guarded(callback)
  }

  /** From the edge: the connection is closed, the socket may not be touched again. */
  gone(): void {
    this.#state = 'closed'
    this.#early.length = 0
    this.#closing.abort()
  }

  /** Runs code of the endpoint: what it throws is a fault and closes the socket. */
  guarded(callback: () => void): void {
    try {
      callback()
    } catch (error) {
      this.#fail(error)
    }
  }

  #deliver(message: string | Uint8Array): void {
    if (this.#state === 'open') this.guarded(() => this.#listener?.(message))
  }

  #fail(error: unknown): void {
    this.#fault(error)
    this.end(1011, 'internal error')
  }

  #finishEnding(): void {
    // Never inside `ws.cork`: the close would not be followed by a FIN.
    if (this.#state === 'ending' && this.#ws.getBufferedAmount() === 0) {
      this.#ws.end(this.#ending.code, this.#ending.reason)
    }
  }
}

/** What uWebSockets.js returns from `send` beside 1 (sent) and 0 (buffered). */
const DROPPED = 2

/** RFC 6455, section 7.4. */
function isCloseCode(code: number): boolean {
  return (code >= 1000 && code <= 1003) || (code >= 1007 && code <= 1014) || (code >= 3000 && code <= 4999)
}

/** At most 123 bytes of UTF-8 fit a close frame; a character is not cut in two. */
function closeReason(reason: string): string {
  const bytes = new Uint8Array(123)
  const { read } = new TextEncoder().encodeInto(reason, bytes)
  return reason.slice(0, read)
}
