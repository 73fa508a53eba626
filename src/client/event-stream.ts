export interface ServerSentEvent {
  /** `message` where the stream names none. */
  readonly event: string
  readonly id: string
  readonly data: string
}

/**
 * Parses a `text/event-stream` that arrives in pieces cut anywhere (WHATWG HTML, "Interpreting an event stream"). `retry` is
 * ignored: this service's streams are not resumed.
 */
export class EventStreamParser {
  #line = ''
  #event = ''
  #id = ''
  #data: string[] = []
  #isFirst = true
  /** The last character was CR: an LF that follows belongs to it. */
  #afterReturn = false

  /** The events that this piece completes. */
  push(text: string): ServerSentEvent[] {
    const events: ServerSentEvent[] = []
    let start = 0
    if (this.#isFirst && text !== '') {
      this.#isFirst = false
      if (text.startsWith('\uFEFF')) start = 1
    }
    if (this.#afterReturn && text !== '') {
      this.#afterReturn = false
      if (text[start] === '\n') start++
    }
    for (;;) {
      const end = lineEnd(text, start)
      if (end === -1) break
      const event = this.#take(this.#line + text.slice(start, end))
      if (event !== undefined) events.push(event)
      this.#line = ''
      start = end + 1
      if (text[end] !== '\r') continue
      if (start === text.length) this.#afterReturn = true
      else if (text[start] === '\n') start++
    }
    this.#line += text.slice(start)
    return events
  }

  /** A whole line; the event it completes, if it is an empty one. */
  #take(line: string): ServerSentEvent | undefined {
    if (line === '') return this.#dispatch()
    const colon = line.indexOf(':')
    const name = colon === -1 ? line : line.slice(0, colon)
    const rest = colon === -1 ? '' : line.slice(colon + 1)
    const value = rest.startsWith(' ') ? rest.slice(1) : rest
    // A line that begins with a colon has an empty name: a comment.
    if (name === 'event') this.#event = value
    else if (name === 'data') this.#data.push(value)
    else if (name === 'id' && !value.includes('\0')) this.#id = value
    return undefined
  }

  #dispatch(): ServerSentEvent | undefined {
    const data = this.#data
    const event = this.#event || 'message'
    this.#data = []
    this.#event = ''
    return data.length === 0 ? undefined : { event, id: this.#id, data: data.join('\n') }
  }
}

/** Index of the next CR or LF; -1: none. */
function lineEnd(text: string, start: number): number {
  const feed = text.indexOf('\n', start)
  const carriage = text.indexOf('\r', start)
  return feed === -1 || (carriage !== -1 && carriage < feed) ? carriage : feed
}
