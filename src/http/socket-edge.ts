import uWS, {
  type HttpRequest,
  type HttpResponse,
  type us_socket_context_t,
  type WebSocketBehavior,
} from 'uWebSockets.js'
import type { SocketRoute } from '../api/exchange.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { OpenConnections } from './connections.ts'
import type { HttpLimits } from './limits.ts'
import { errorFields } from './log-fields.ts'
import { loggedUrl } from './logged-url.ts'
import { CopiedRequestHead } from './request-head.ts'
import type { RequestObserver } from './request-observer.ts'
import { UwsSocketSession } from './socket.ts'

export interface SocketEdgeOptions {
  readonly clock: Clock
  readonly log: Log
  readonly limits: HttpLimits
  readonly connections: OpenConnections
  readonly newId: () => string
  /** The event a socket gets before it is closed with 1013. */
  readonly overloadedEvent: (path: string) => string
  readonly observer: RequestObserver | undefined
}

/** What uWebSockets.js carries from the upgrade request to the events of the socket. */
interface SocketData {
  readonly id: string
  readonly request: CopiedRequestHead
  readonly openedAt: number
  /** Absent on a socket that was refused. */
  session?: UwsSocketSession
  leave?: () => void
}

/**
 * Every upgrade to a known path is accepted, and whatever is wrong with it is said through the socket: browsers don't show a
 * page why an upgrade failed.
 */
export function socketBehavior(route: SocketRoute, options: SocketEdgeOptions): WebSocketBehavior<SocketData> {
  const { clock, log, connections, observer } = options
  const { messageBytesMax = options.limits.socketMessageBytesMax } = route
  const limits = { ...options.limits, socketMessageBytesMax: messageBytesMax }

  return {
    // uWebSockets.js cuts what exceeds its limit without a close frame, so its limit is wider and 1009 is sent from here.
    maxPayloadLength: 2 * limits.socketMessageBytesMax,
    maxBackpressure: 2 * limits.socketBufferBytesMax,
    closeOnBackpressureLimit: 0,
    idleTimeout: limits.socketIdleSecondsMax,
    maxLifetime: 0,
    sendPingsAutomatically: true,
    // PCM hardly compresses, and a compressor a socket costs more than the frames it would shorten.
    compression: uWS.DISABLED,

    upgrade(res: HttpResponse, req: HttpRequest, context: us_socket_context_t) {
      const request = new CopiedRequestHead(req, res)
      const data: SocketData = { id: options.newId(), request, openedAt: clock.monotonic() }
      res.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', data.id)
      res.upgrade(
        data,
        req.getHeader('sec-websocket-key'),
        req.getHeader('sec-websocket-protocol'),
        req.getHeader('sec-websocket-extensions'),
        context,
      )
    },

    open(ws) {
      const data = ws.getUserData()
      if (connections.count >= limits.connectionsMax) {
        ws.send(options.overloadedEvent(route.path))
        ws.end(1013, 'overloaded')
        return
      }
      data.leave = connections.enter()
      const session = new UwsSocketSession(ws, data, limits, (error) => {
        log.error({ id: data.id, ...errorFields(error) }, 'socket fault')
      })
      data.session = session
      session.guarded(() => route.open(session))
    },

    message: (ws, message, isBinary) => ws.getUserData().session?.receive(message, isBinary),
    drain: (ws) => ws.getUserData().session?.drained(),

    close(ws, code) {
      const { id, request, openedAt, session, leave } = ws.getUserData()
      session?.gone()
      leave?.()
      observer?.answered(route.path, 'GET', session === undefined ? 503 : 101)
      const traffic = { bytes: session?.sentBytes ?? 0, receivedBytes: session?.receivedBytes ?? 0 }
      const ms = Math.round(clock.monotonic() - openedAt)
      log.info({ id, remote: request.remoteAddress, path: loggedUrl(request.target), code, ms, ...traffic }, 'socket')
    },
  }
}
