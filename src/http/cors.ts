import type { RequestHead } from '../api/exchange.ts'

/**
 * Any page may call the service. That gives nothing away: a request counts only with a bearer key in its `Authorization`
 * header, which a page must already hold, and cookies play no part, so there is no ambient authority to borrow. The star
 * never comes with `Access-Control-Allow-Credentials`.
 */
export function corsHeaders(request: RequestHead): Readonly<Record<string, string>> {
  return request.header('origin') === undefined ? NONE : FOR_PAGES
}

/**
 * Answer to `OPTIONS`: what a browser asks before it lets a page send a key. The star is for what client libraries add of their
 * own; it does not cover `Authorization`, and old browsers don't know it.
 */
export function preflightHeaders(allow: string): Readonly<Record<string, string>> {
  return {
    Allow: allow,
    'Access-Control-Allow-Methods': allow,
    'Access-Control-Allow-Headers':
      'Authorization, Content-Type, Accept, Idempotency-Key, Range, If-None-Match, If-Range, *',
    'Access-Control-Max-Age': '86400',
  }
}

const NONE: Readonly<Record<string, string>> = Object.freeze({})
const FOR_PAGES: Readonly<Record<string, string>> = Object.freeze({
  'Access-Control-Allow-Origin': '*',
  'Access-Control-Expose-Headers':
    'X-Request-Id, X-Service-Format, X-Service-Sample-Rate, X-Service-Chars-Deducted, Retry-After, X-Should-Retry, Content-Disposition, Content-Range, ETag',
})
