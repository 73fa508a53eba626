import type { HttpResponse } from 'uWebSockets.js'
import assert from 'node:assert/strict'
import { STATUS_CODES } from 'node:http'

export type Headers = Readonly<Record<string, string>>

/** Writes status and headers. Call inside a cork, after `checkHeaders`. */
export function writeHead(res: HttpResponse, status: number, headers: Headers): void {
  res.writeStatus(statusLine(status))
  for (const name in headers) res.writeHeader(name, headers[name] ?? '')
}

/**
 * A header that could end its line would let whoever chose the value write the rest of the response. Such a value is a
 * fault of the endpoint, found before a byte is sent.
 */
export function checkHeaders(headers: Headers): void {
  for (const name in headers) {
    assert(HEADER_NAME.test(name), `header name ${JSON.stringify(name)} is not a token`)
    assert(HEADER_VALUE.test(headers[name] ?? ''), `header ${name} holds a character that may not appear in a header`)
  }
}

/** RFC 9110, sections 5.1 and 5.5. Only ASCII values: uWebSockets.js would write others as UTF-8. */
const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const HEADER_VALUE = /^[\t\x20-\x7e]*$/

/** These never have a body, and saying that it has zero bytes would be wrong of a 304. */
export function isBodiless(status: number): boolean {
  return status === 204 || status === 304
}

const statusLines = new Map<number, string>()

function statusLine(status: number): string {
  let line = statusLines.get(status)
  if (line === undefined) {
    line = `${status} ${STATUS_CODES[status] ?? 'Unknown'}`
    statusLines.set(status, line)
  }
  return line
}
