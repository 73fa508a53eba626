import { asyncApiDocument } from './documents/asyncapi.ts'
import { asyncApiOperation, openApiOperation } from './documents/node.ts'
import { type Document, openApiDocument } from './documents/openapi.ts'
import type { Exchange, RequestHead, Route, SocketRoute } from './exchange.ts'
import { publicOrigin, socketOrigin } from './public-urls.ts'
import type { Services } from './services.ts'

type Addresses = Pick<Services, 'publicUrl' | 'publicWsUrl'>

/** `GET /openapi.json` and `GET /asyncapi.json`: what these routes and sockets, and the two themselves, are (D32). */
export function documents(
  addresses: Addresses,
  requests: readonly Route[],
  sockets: readonly SocketRoute[],
): readonly Route[] {
  let openApi: Document | undefined
  let asyncApi: Document | undefined
  const routes: readonly Route[] = [
    {
      method: 'GET',
      path: '/openapi.json',
      operation: openApiOperation,
      handle(exchange) {
        openApi ??= openApiDocument([...requests, ...routes])
        replyDocument(exchange, { ...openApi, servers: [{ url: publicOrigin(addresses, exchange.request) }] })
      },
    },
    {
      method: 'GET',
      path: '/asyncapi.json',
      operation: asyncApiOperation,
      handle(exchange) {
        asyncApi ??= asyncApiDocument(requests, sockets)
        replyDocument(exchange, { ...asyncApi, servers: asyncApiServers(addresses, exchange.request) })
      },
    },
  ]
  return routes
}

function asyncApiServers(addresses: Addresses, request: RequestHead): Document {
  return {
    http: server(publicOrigin(addresses, request), 'Requests that are answered with streams.'),
    ws: server(socketOrigin(addresses, request), 'WebSockets.'),
  }
}

function server(origin: string, description: string): Document {
  const { protocol, host, pathname } = new URL(origin)
  return { host, protocol: protocol.replace(':', ''), ...(pathname !== '/' && { pathname }), description }
}

/** It changes with the node's version alone, and the addresses in it with whoever asks. */
function replyDocument(exchange: Exchange, document: Document): void {
  const headers = { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'private, max-age=300' }
  exchange.reply(200, headers, JSON.stringify(document))
}
