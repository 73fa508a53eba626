import type { Exchange } from './exchange.ts'

/** The contract's success envelope. */
export function replyOk(exchange: Exchange, data: object, headers: Readonly<Record<string, string>> = {}): void {
  replyJson(exchange, 200, { ok: true, data }, headers)
}

/** Nothing the API says in JSON may be kept by a cache: it holds balances, tokens and signed addresses. */
export function replyJson(
  exchange: Exchange,
  status: number,
  body: object,
  headers: Readonly<Record<string, string>> = {},
): void {
  exchange.reply(
    status,
    { 'Content-Type': 'application/json; charset=utf-8', 'Cache-Control': 'no-store', ...headers },
    JSON.stringify(body),
  )
}
