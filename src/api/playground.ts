import { isSameTag } from './entity-tag.ts'
import type { Route } from './exchange.ts'
import type { Services } from './services.ts'

/** `GET /`: the page on which a key can be tried out (D32). Without a key: it holds nothing secret, and the keys typed into it stay there. */
export function playground({ html, etag, contentSecurityPolicy }: NonNullable<Services['playground']>): Route {
  const headers = {
    ETag: etag,
    // Always asked for again, so that a page and its node are of one version.
    'Cache-Control': 'no-cache',
    'Content-Security-Policy': contentSecurityPolicy,
    'Permissions-Policy': 'microphone=(self)',
    'Referrer-Policy': 'no-referrer',
    'X-Content-Type-Options': 'nosniff',
  }
  return {
    method: 'GET',
    path: '/',
    handle(exchange) {
      if (isSameTag(exchange.request.header('if-none-match'), etag)) return exchange.reply(304, headers, '')
      exchange.reply(200, { ...headers, 'Content-Type': 'text/html; charset=utf-8' }, html)
    },
  }
}
