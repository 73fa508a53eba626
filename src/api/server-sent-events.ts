import assert from 'node:assert/strict'

export interface ServerSentEvent {
  /** Name of the event: one line. */
  readonly event: string
  readonly id?: string | number
  /** An object is written as JSON, which is one line. Each line of a string becomes a `data:` line of its own. */
  readonly data: object | string
}

/** One event as `text/event-stream` text, blank line included (WHATWG HTML, "Server-sent events"). */
export function encodeEvent({ event, id, data }: ServerSentEvent): string {
  assert(!LINE_BREAK.test(event) && !LINE_BREAK.test(String(id)), 'the name and the id of an event are one line each')
  const idLine = id === undefined ? '' : `id: ${id}\n`
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  return `event: ${event}\n${idLine}data: ${LINE_BREAK.test(text) ? text.split(LINE_BREAK).join('\ndata: ') : text}\n\n`
}

/** A comment: keeps proxies from closing a quiet stream, and is invisible to the reader. */
export const KEEP_ALIVE_COMMENT = ': keep-alive\n\n'

const LINE_BREAK = /\r\n|\n|\r/
