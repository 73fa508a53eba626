import { createReadStream } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { BodyTooLarge, type Exchange, type FrameSink, type RequestHead, type Route } from '../src/api/exchange.ts'
import { loggedUrl } from '../src/http/logged-url.ts'
import { remoteAddress } from '../src/http/remote-address.ts'
import { Router } from '../src/http/router.ts'
import type { Log } from '../src/runtime/log.ts'
import { base32Id, systemRandom } from '../src/runtime/random.ts'

/**
 * The endpoints' `Exchange` over node:http: what the node would look like without uWebSockets.js. It does the same work a
 * request (id, routing, a log line, errors rendered in one place) and nothing more, so that the comparison is of networks.
 */
export function createNodeHttpServer(
  routes: readonly Route[],
  log: Log,
  renderError: (error: unknown, exchange: Exchange) => void,
): Server {
  const router = new Router(routes)
  return createServer({ keepAlive: true, noDelay: true }, async (request, response) => {
    const startedAt = performance.now()
    const head = new NodeRequestHead(request)
    const routing = router.find(head.method, head.path.split('/').map(decodeURIComponent))
    const params = routing.status === 'found' ? routing.params : {}
    const exchange = new NodeExchange(request, response, head, params)
    response.on('close', () => {
      const ms = performance.now() - startedAt
      const path = loggedUrl(request.url ?? '')
      log.info({ id: exchange.id, method: head.method, path, status: response.statusCode, ms }, 'request')
    })
    try {
      if (routing.status !== 'found') throw new Error(routing.status)
      await routing.route.handle(exchange)
    } catch (error) {
      renderError(error, exchange)
    }
  })
}

class NodeRequestHead implements RequestHead {
  readonly method: string
  readonly path: string
  readonly remoteAddress: string
  readonly #request: IncomingMessage
  readonly #search: string
  #query: URLSearchParams | undefined

  constructor(request: IncomingMessage) {
    const target = request.url ?? '/'
    const separator = target.indexOf('?')
    this.method = request.method ?? ''
    this.path = separator < 0 ? target : target.slice(0, separator)
    this.#search = separator < 0 ? '' : target.slice(separator + 1)
    const octets = (request.socket.remoteAddress ?? '').split('.').map(Number)
    this.remoteAddress = remoteAddress(new Uint8Array(octets).buffer, this.#forwardedFor(request))
    this.#request = request
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.#search)
    return this.#query
  }

  header(name: string): string | undefined {
    const value = this.#request.headers[name]
    return Array.isArray(value) ? value.join(', ') : value
  }

  #forwardedFor(request: IncomingMessage): string | undefined {
    return request.headers['x-forwarded-for']?.toString()
  }
}

class NodeExchange implements Exchange {
  readonly id = `req_${base32Id(systemRandom, 20)}`
  readonly request: RequestHead
  readonly params: Readonly<Record<string, string>>
  readonly #incoming: IncomingMessage
  readonly #response: ServerResponse
  #closing: AbortController | undefined

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse,
    request: RequestHead,
    params: Readonly<Record<string, string>>,
  ) {
    this.#incoming = incoming
    this.#response = response
    this.request = request
    this.params = params
  }

  get closed(): AbortSignal {
    if (this.#closing === undefined) {
      const closing = new AbortController()
      this.#response.once('close', () => closing.abort())
      this.#closing = closing
    }
    return this.#closing.signal
  }

  async body(limitBytes: number): Promise<Uint8Array> {
    const chunks: Buffer[] = []
    let byteLength = 0
    for await (const chunk of this.#incoming) {
      byteLength += chunk.length
      if (byteLength > limitBytes) throw new BodyTooLarge(`body exceeds ${limitBytes} bytes`)
      chunks.push(chunk)
    }
    return Buffer.concat(chunks)
  }

  async form(): Promise<never> {
    throw new Error('uploads are not compared')
  }

  reply(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void {
    this.#writeHead(status, { ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
    this.#response.end(body)
  }

  open(status: number, headers: Readonly<Record<string, string>>): FrameSink {
    const response = this.#response
    this.#writeHead(status, headers)
    return {
      closed: this.closed,
      get bufferedBytes() {
        return response.writableLength
      },
      write: (bytes) => void response.write(bytes),
      onDrain: (callback) => void response.on('drain', callback),
      end: () => void response.end(),
    }
  }

  async file(
    status: number,
    headers: Readonly<Record<string, string>>,
    path: string,
    start: number,
    end: number,
  ): Promise<void> {
    this.#writeHead(status, { ...headers, 'Content-Length': String(end - start) })
    await pipeline(createReadStream(path, { start, end: end - 1 }), this.#response)
  }

  #writeHead(status: number, headers: Readonly<Record<string, string>>): void {
    this.#response.writeHead(status, { ...headers, 'X-Request-Id': this.id })
  }
}
