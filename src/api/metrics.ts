import { metricsOperation } from './documents/node.ts'
import type { Route } from './exchange.ts'
import type { Services } from './services.ts'

/** `GET /metrics`: the node's figures for Prometheus. Without a key: the proxy in front keeps it from the world (D32). */
export function metrics({ exposition }: Pick<Services, 'exposition'>): Route {
  return {
    method: 'GET',
    path: '/metrics',
    operation: metricsOperation,
    async handle(exchange) {
      const body = await exposition.text()
      exchange.reply(200, { 'Content-Type': exposition.contentType, 'Cache-Control': 'no-store' }, body)
    },
  }
}
