import { once } from 'node:events'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/** What happens to a connection on its way. Bytes are counted from its beginning, each direction by itself. */
export interface Faults {
  /** Both ends are reset as soon as this many bytes of the request were passed on; 0: before the first. */
  readonly resetAfterRequestBytes?: number
  /** The same, of the answer. */
  readonly resetAfterAnswerBytes?: number
  /** After this many bytes of the request nothing is passed on any more, in either direction, and nobody is told. */
  readonly silentAfterRequestBytes?: number
  /**
   * Bytes travel in pieces of this size, one a turn of the event loop. The first line of a request goes whole, because
   * uWebSockets.js answers 505 where it does not.
   */
  readonly pieceBytes?: number
  /** The answer is taken from the node at one piece for each time this returns; without it, as it comes. */
  readonly beforeAnswerPiece?: () => Promise<void>
}

/** Stands between a client and a port of 127.0.0.1, and does to connections what networks do. Ends with the test. */
export class TcpProxy {
  /** Of connections that begin from now on. */
  faults: Faults = {}
  /** Connections accepted so far. */
  connections = 0
  readonly #server: Server
  readonly #sockets = new Set<Socket>()

  static async start(targetPort: number): Promise<TcpProxy> {
    const proxy = new TcpProxy(targetPort)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    onTestFinished(() => proxy.stop())
    return proxy
  }

  private constructor(targetPort: number) {
    this.#server = createServer({ allowHalfOpen: true }, (client) => {
      this.connections += 1
      const node = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true })
      for (const socket of [client, node]) this.#track(socket)
      const { faults } = this
      const line = new Line(client, node)
      const { pieceBytes = Number.POSITIVE_INFINITY, beforeAnswerPiece } = faults
      void line.carry(client, node, {
        pieceBytes,
        resetAfter: faults.resetAfterRequestBytes,
        silentAfter: faults.silentAfterRequestBytes,
      })
      void line.carry(node, client, { pieceBytes, resetAfter: faults.resetAfterAnswerBytes, before: beforeAnswerPiece })
    })
  }

  get port(): number {
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('the proxy does not listen')
    return address.port
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    if (!this.#server.listening) return
    this.#server.close()
    await once(this.#server, 'close')
  }

  #track(socket: Socket): void {
    this.#sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => this.#sockets.delete(socket))
  }
}

interface Direction {
  readonly pieceBytes: number
  readonly resetAfter?: number | undefined
  readonly silentAfter?: number | undefined
  readonly before?: (() => Promise<void>) | undefined
}

/** One connection through the proxy. */
class Line {
  readonly #ends: readonly Socket[]
  #isSilent = false

  constructor(...ends: Socket[]) {
    this.#ends = ends
    // Whoever is reset resets the other end.
    for (const [i, end] of ends.entries()) end.on('close', (hadError) => hadError && ends[1 - i]?.resetAndDestroy())
  }

  /** Passes on what `from` says until it ends or a fault does. */
  async carry(from: Socket, to: Socket, { pieceBytes, resetAfter, silentAfter, before }: Direction): Promise<void> {
    const limit = Math.min(resetAfter ?? Number.POSITIVE_INFINITY, silentAfter ?? Number.POSITIVE_INFINITY)
    let passed = 0
    const stop = () => {
      if (silentAfter !== undefined) this.#isSilent = true
      else for (const end of this.#ends) end.resetAndDestroy()
    }
    if (limit === 0) return stop()
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        for (let at = 0; at < chunk.length; ) {
          const whole = passed === 0 && from === this.#ends[0] ? chunk.indexOf('\n') + 1 : 0
          const piece = chunk.subarray(at, at + Math.min(Math.max(pieceBytes, whole), limit - passed))
          await before?.()
          if (this.#isSilent) return
          if (!to.write(piece)) await once(to, 'drain')
          at += piece.length
          passed += piece.length
          if (passed === limit) return stop()
          if (at < chunk.length) await new Promise((resolve) => setImmediate(resolve))
        }
      }
      if (!this.#isSilent) to.end()
    } catch {
      // The connection is gone at one end, and its handlers see to the other.
    }
  }
}
