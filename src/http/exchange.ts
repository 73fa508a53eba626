import type { HttpResponse } from 'uWebSockets.js'
import { type FileHandle, open } from 'node:fs/promises'
import type { Exchange, FrameSink, RequestHead } from '../api/exchange.ts'
import type { Form, FormRules } from '../api/form.ts'
import type { Clock } from '../runtime/clock.ts'
import { type Spool, SpoolFull } from '../runtime/spool.ts'
import { ChunkedSink } from './chunked-sink.ts'
import { sendFileBody } from './file-body.ts'
import { readForm } from './multipart.ts'
import type { RequestBody } from './request-body.ts'
import { checkHeaders, type Headers, isBodiless, writeHead } from './response-head.ts'
import { SizedWriter } from './sized-writer.ts'
import { SlowReader } from './slow-reader.ts'

/** A reply up to this size goes out in one piece, head and all: both fit the cork buffer. */
const AT_ONCE_BYTES_MAX = 15 * 1024

/**
 * One request and its response.
 *
 *   waiting ──reply, open, file──▶ answering ──last byte──▶ ended
 *      ╰──────────────────────────────┴────client leaves──▶ gone
 */
export class HttpExchange implements Exchange {
  readonly id: string
  readonly request: RequestHead
  readonly params: Readonly<Record<string, string>>
  readonly #res: HttpResponse
  readonly #body: RequestBody
  readonly #options: ExchangeOptions
  /** Sent with every answer, whoever writes it. */
  readonly #standingHeaders: Headers
  #state: 'waiting' | 'answering' | 'ended' | 'gone' = 'waiting'
  #status = 0
  #writer: ChunkedSink | SizedWriter | undefined
  #bytes = 0
  /** Made when somebody asks: most requests are answered before anybody does. */
  #closing: AbortController | undefined

  constructor(res: HttpResponse, request: RequestHead, body: RequestBody, options: ExchangeOptions) {
    this.id = options.id
    this.params = options.params
    this.#standingHeaders = options.standingHeaders
    this.request = request
    this.#res = res
    this.#body = body
    this.#options = options
    res.onAborted(() => this.#abandon())
  }

  get closed(): AbortSignal {
    if (this.#closing === undefined) {
      this.#closing = new AbortController()
      if (this.#isOver()) this.#closing.abort()
    }
    return this.#closing.signal
  }

  /** What became of the request so far. */
  get outcome(): ExchangeOutcome {
    const bytes = this.#writer instanceof ChunkedSink ? this.#writer.acceptedBytes : this.#bytes
    return { state: this.#state, status: this.#status, bytes }
  }

  body(limitBytes: number): Promise<Uint8Array> {
    return this.#body.read(limitBytes)
  }

  async form(rules: FormRules): Promise<Form> {
    try {
      return await readForm(this.#body, this.request.header('content-type'), rules, this.#options.spool)
    } catch (error) {
      throw error instanceof SpoolFull ? this.#options.overloaded() : error
    }
  }

  reply(status: number, headers: Headers, body: string | Uint8Array): void {
    if (!this.#begin(status, headers)) return
    const byteLength = Buffer.byteLength(body)
    this.#bytes = byteLength
    const head = () => this.#writeHead(status, headers)
    if (this.request.method !== 'HEAD' && !isBodiless(status) && byteLength > AT_ONCE_BYTES_MAX) {
      const bytes = typeof body === 'string' ? Buffer.from(body) : body
      void this.#sizedWriter(byteLength).send(bytes, head)
      return
    }
    this.#res.cork(() => {
      head()
      if (isBodiless(status)) this.#res.endWithoutBody()
      else if (this.request.method === 'HEAD') endHead(this.#res, byteLength)
      else this.#res.end(body, this.#options.isLast)
    })
    this.#end()
  }

  open(status: number, headers: Headers): FrameSink {
    if (!this.#begin(status, headers)) return deafSink(this.closed)
    if (this.request.method === 'HEAD') {
      this.#res.cork(() => {
        this.#writeHead(status, headers)
        this.#res.endWithoutBody()
      })
      this.#end()
      return deafSink(this.closed)
    }
    const sink = new ChunkedSink(this.#res, this.closed, this.#slowReader(), () => this.#end())
    this.#writer = sink
    this.#res.cork(() => this.#writeHead(status, headers))
    return sink
  }

  async file(status: number, headers: Headers, path: string, start: number, end: number): Promise<void> {
    if (this.#state !== 'waiting') return
    // Opened before anything is sent: a missing file is still an ordinary error.
    const file = await open(path, 'r')
    try {
      await this.#sendFile(status, headers, file, start, end)
    } finally {
      await file.close()
    }
  }

  /** What every response carries, unless the endpoint says otherwise, and what this one adds. Call inside a cork. */
  #writeHead(status: number, headers: Headers): void {
    writeHead(this.#res, status, { ...this.#standingHeaders, ...headers })
  }

  /** Closes the connection: the response has begun and can't be finished truthfully. */
  destroy(): void {
    if (!this.#isOver()) this.#res.close()
  }

  async #sendFile(status: number, headers: Headers, file: FileHandle, start: number, end: number): Promise<void> {
    if (end <= start) return this.reply(status, headers, '')
    if (!this.#begin(status, headers)) return
    const head = () => this.#writeHead(status, headers)
    this.#bytes = end - start
    if (this.request.method !== 'HEAD') {
      return sendFileBody(file, start, end, this.#sizedWriter(end - start), head)
    }
    this.#res.cork(() => {
      head()
      endHead(this.#res, end - start)
    })
    this.#end()
  }

  /** Starts the one answer. False when there was one already or nobody is left to get it. */
  #begin(status: number, headers: Headers): boolean {
    if (this.#state !== 'waiting') return false
    checkHeaders(headers)
    this.#state = 'answering'
    this.#status = status
    this.#body.drop()
    return true
  }

  #sizedWriter(totalBytes: number): SizedWriter {
    const writer = new SizedWriter(this.#res, totalBytes, this.#slowReader(), () => this.#end())
    this.#writer = writer
    return writer
  }

  #slowReader(): SlowReader {
    return new SlowReader(this.#options.clock, this.#res, this.#options.readerStallMsMax)
  }

  #end(): void {
    this.#state = 'ended'
    this.#over()
  }

  #abandon(): void {
    if (this.#isOver()) return
    this.#state = 'gone'
    this.#writer?.abandon()
    this.#body.abandon()
    this.#over()
  }

  #over(): void {
    this.#options.onOver(this)
    this.#closing?.abort()
  }

  #isOver(): boolean {
    return this.#state === 'ended' || this.#state === 'gone'
  }
}

export interface ExchangeOptions {
  readonly id: string
  readonly params: Readonly<Record<string, string>>
  /** The connection ends with the answer: nothing that follows on it can be trusted. */
  readonly isLast: boolean
  readonly standingHeaders: Headers
  readonly clock: Clock
  readonly readerStallMsMax: number
  /** Where the files of forms go. */
  readonly spool: Spool
  /** What is thrown when the spool is full. */
  readonly overloaded: () => unknown
  /** Called once, when the response has ended or the client is gone. */
  readonly onOver: (exchange: HttpExchange) => void
}

export interface ExchangeOutcome {
  readonly state: 'waiting' | 'answering' | 'ended' | 'gone'
  /** 0: no answer yet. */
  readonly status: number
  /** Bytes of the body, as far as the endpoint has provided them. */
  readonly bytes: number
}

/** `endWithoutBody(length)` leaves the response unfinished in the version in use: the next request would be cut off. */
function endHead(res: HttpResponse, contentLength: number): void {
  res.writeHeader('Content-Length', String(contentLength)).endWithoutBody()
}

/** Takes everything and sends nothing: for HEAD, and for a client that has left. */
function deafSink(closed: AbortSignal): FrameSink {
  return { closed, bufferedBytes: 0, write() {}, onDrain() {}, end() {} }
}
