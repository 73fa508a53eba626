import { healthzOperation, readyzOperation } from './documents/node.ts'
import { replyOk } from './envelope.ts'
import { ApiError } from './errors.ts'
import type { Route } from './exchange.ts'
import type { Services } from './services.ts'

/** `GET /healthz`: the process answers. */
export function healthz(): Route {
  return {
    method: 'GET',
    path: '/healthz',
    operation: healthzOperation,
    handle: (exchange) => replyOk(exchange, { status: 'ok' }),
  }
}

/** `GET /readyz`: models warm, ledger open, not shutting down; 503 otherwise, so that a balancer sends work elsewhere. */
export function readyz({ lifecycle }: Pick<Services, 'lifecycle'>): Route {
  return {
    method: 'GET',
    path: '/readyz',
    operation: readyzOperation,
    handle(exchange) {
      if (lifecycle.ready && !lifecycle.draining) return replyOk(exchange, { status: 'ready' })
      const message = lifecycle.draining ? 'the node is shutting down' : 'the models are still loading'
      throw new ApiError('BACKEND_ERROR', message, { status: 503 })
    },
  }
}
