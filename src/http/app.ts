import uWS, { type us_listen_socket } from 'uWebSockets.js'
import { setImmediate } from 'node:timers/promises'
import type { Exchange, Route, SocketRoute } from '../api/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Spool } from '../runtime/spool.ts'
import { OpenConnections } from './connections.ts'
import { corsHeaders, preflightHeaders } from './cors.ts'
import { HttpExchange } from './exchange.ts'
import { HTTP_LIMITS, type HttpLimits } from './limits.ts'
import { errorFields } from './log-fields.ts'
import { loggedUrl } from './logged-url.ts'
import { bodyFraming, framingFault, RequestBody, UploadBudget } from './request-body.ts'
import { CopiedRequestHead } from './request-head.ts'
import { requestIds } from './request-ids.ts'
import type { RequestObserver } from './request-observer.ts'
import type { Headers } from './response-head.ts'
import { Router } from './router.ts'
import { socketBehavior } from './socket-edge.ts'

export interface HttpServerOptions {
  readonly routes: readonly Route[]
  readonly sockets: readonly SocketRoute[]
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Answers `exchange` for whatever an endpoint, or this edge, threw, and logs it if it is a fault of the node. */
  readonly renderError: (error: unknown, exchange: Exchange) => void
  readonly errors: EdgeErrors
  readonly observer?: RequestObserver
  /** Where uploads lie while their request lasts. */
  readonly spool: Spool
  /** For tests; the node runs with `HTTP_LIMITS`. */
  readonly limits?: Partial<HttpLimits>
}

/** What this edge refuses by itself. Each returns an error for `renderError`. */
export interface EdgeErrors {
  notFound(): unknown
  /** The edge adds `Allow`. */
  methodNotAllowed(): unknown
  badRequest(message: string): unknown
  /** Too many connections, or no room left for bodies: 503 with `Retry-After`. `path`: what was asked for. */
  overloaded(path: string): unknown
  /** The event a socket at `path` gets before it is closed with 1013. */
  overloadedEvent(path: string): string
}

export interface HttpServer {
  /** Port 0: any free one. Rejects when the address is taken. */
  listen(host: string, port: number): Promise<{ readonly port: number }>
  /** Stops accepting connections. Open ones go on. */
  close(): void
  /** Waits until nothing is open or the deadline passes, then closes what is left; returns how many that were. */
  drain(deadlineMs: number): Promise<number>
  /** Requests being answered and sockets open. */
  readonly openCount: number
}

/** The network side of the node: the endpoints' `Exchange` and `SocketSession` over uWebSockets.js. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const { clock, random, log, errors, observer } = options
  const limits = { ...HTTP_LIMITS, ...options.limits }
  const router = new Router(options.routes)
  const socketPaths = new Set(options.sockets.map((socket) => socket.path))
  const connections = new OpenConnections()
  const budget = new UploadBudget(limits.uploadBytesMax)
  const bodyOptions = { unclaimedBytesMax: limits.unclaimedBodyBytesMax, budget }
  const newId = requestIds(random)
  let listening: us_listen_socket | undefined

  const app = uWS.App()
  for (const route of options.sockets) {
    const { overloadedEvent } = errors
    app.ws(route.path, socketBehavior(route, { clock, log, limits, connections, newId, overloadedEvent, observer }))
  }
  app.any('/*', (res, req) => {
    const startedAt = clock.monotonic()
    const request = new CopiedRequestHead(req, res)
    const overloaded = () => errors.overloaded(request.path)
    const isOverloaded = connections.count >= limits.connectionsMax
    const doubt = framingFault(request)
    const { route, handle, params, headers } = isOverloaded ? refuse(overloaded()) : endpointFor(request, doubt)
    const leave = connections.enter()
    const id = newId()
    const exchange = new HttpExchange(
      res,
      request,
      new RequestBody(res, bodyFraming(request), { ...bodyOptions, overloaded }),
      {
        id,
        params,
        isLast: doubt !== undefined,
        standingHeaders: { 'X-Request-Id': id, ...corsHeaders(request), ...headers },
        clock,
        readerStallMsMax: limits.readerStallMsMax,
        spool: options.spool,
        overloaded,
        onOver(over) {
          leave()
          observer?.answered(route, METHODS.has(request.method) ? request.method : 'other', over.outcome.status)
          logRequest(log, over, request, clock.monotonic() - startedAt)
        },
      },
    )
    void serve(exchange, handle)
  })

  function endpointFor(request: CopiedRequestHead, doubt: string | undefined): Endpoint {
    if (doubt !== undefined) return refuseLater(errors.badRequest(doubt))
    if (request.segments === undefined) return refuse(errors.badRequest('the path holds a malformed percent-escape'))
    const routing = router.find(request.method, request.segments)
    if (routing.status === 'found') {
      const { route, params } = routing
      return { route: route.path, handle: route.handle, params, headers: {} }
    }
    if (routing.status === 'wrong_method') {
      const { allow } = routing
      if (request.method !== 'OPTIONS') return refuse(errors.methodNotAllowed(), { Allow: allow })
      const handle: Route['handle'] = (exchange) => exchange.reply(204, preflightHeaders(allow), '')
      return { route: NO_ROUTE, handle, params: {}, headers: {} }
    }
    if (!socketPaths.has(request.path)) return refuse(errors.notFound())
    return refuse(errors.badRequest('this path is a WebSocket: connect to it with an upgrade'), {
      Upgrade: 'websocket',
    })
  }

  async function serve(exchange: HttpExchange, handle: Route['handle']): Promise<void> {
    try {
      await handle(exchange)
      if (exchange.outcome.state === 'waiting') throw new Error('the endpoint returned without an answer')
    } catch (error) {
      if (exchange.outcome.state === 'waiting') renderFailure(exchange, error)
      else if (exchange.outcome.state !== 'gone') {
        log.error({ id: exchange.id, ...errorFields(error) }, 'failed after the response began')
        exchange.destroy()
      }
    }
  }

  function renderFailure(exchange: HttpExchange, error: unknown): void {
    try {
      options.renderError(error, exchange)
    } catch (fault) {
      log.error({ id: exchange.id, ...errorFields(fault) }, 'failed to render an error')
    }
    exchange.reply(500, {}, '')
  }

  function close(): void {
    if (listening !== undefined) uWS.us_listen_socket_close(listening)
    listening = undefined
  }

  return {
    async listen(host, port) {
      listening = await new Promise<us_listen_socket>((resolve, reject) => {
        listenExclusively(app, host, port, (socket) => {
          if (socket === false) reject(new Error(`can't listen on ${host}:${port}: no such address, or it is taken`))
          else resolve(socket)
        })
      })
      return { port: uWS.us_socket_local_port(listening) }
    },
    close,
    async drain(deadlineMs) {
      let cancel = () => {}
      const deadline = new Promise<void>((resolve) => {
        cancel = clock.after(deadlineMs, resolve)
      })
      await Promise.race([connections.whenEmpty(), deadline])
      cancel()
      // The last answer may still lie in its cork: let the callback that wrote it return first.
      await setImmediate()
      const cut = connections.count
      close()
      app.close()
      return cut
    },
    get openCount() {
      return connections.count
    },
  }
}

const NO_ROUTE = 'none'
/** Methods that are counted by name. A client may send any word. */
const METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** How one request will be answered. */
interface Endpoint {
  readonly route: string
  readonly handle: Route['handle']
  readonly params: Readonly<Record<string, string>>
  /** Sent with the answer, whatever it is. */
  readonly headers: Headers
}

function refuse(error: unknown, headers: Headers = {}): Endpoint {
  const handle = () => {
    throw error
  }
  return { route: NO_ROUTE, handle, params: {}, headers }
}

/**
 * Refuses once the bytes that came with the request have been looked at: uWebSockets.js goes on to what it takes for the next request
 * when it has an answer to this one, and ends the connection when it has none.
 */
function refuseLater(error: unknown): Endpoint {
  const handle = async () => {
    await setImmediate()
    throw error
  }
  return { route: NO_ROUTE, handle, params: {}, headers: {} }
}

function logRequest(log: Log, exchange: HttpExchange, request: CopiedRequestHead, elapsedMs: number): void {
  const { state, status, bytes } = exchange.outcome
  const fields = {
    id: exchange.id,
    remote: request.remoteAddress,
    method: request.method,
    path: loggedUrl(request.target),
    status,
    ms: Math.round(elapsedMs * 10) / 10,
    bytes,
  }
  if (state === 'gone') log.info({ ...fields, aborted: true }, 'request')
  else log.info(fields, 'request')
}

/**
 * uWebSockets.js sets SO_REUSEPORT by default: a second node on the same port would start without complaint and take half of
 * the connections. Its declarations lack the overload with a host and options.
 */
function listenExclusively(
  app: object,
  host: string,
  port: number,
  callback: (socket: us_listen_socket | false) => void,
): void {
  const LIBUS_LISTEN_EXCLUSIVE_PORT = 1
  const { listen } = app as { listen(host: string, port: number, options: number, callback: unknown): void }
  listen.call(app, host, port, LIBUS_LISTEN_EXCLUSIVE_PORT, callback)
}
