import { mkdtemp, rm } from 'node:fs/promises'
import { request as httpRequest, type IncomingHttpHeaders } from 'node:http'
import { connect, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { BodyTooLarge, type Exchange, type Route, type SocketRoute } from '../../src/api/exchange.ts'
import { createHttpServer, type EdgeErrors, type HttpServer, type HttpServerOptions } from '../../src/http/app.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import type { Log } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Spool } from '../../src/runtime/spool.ts'
import { waitFor } from '../wait-for.ts'

/** A server on a free port that stops with the test. */
export async function startEdge(options: Partial<HttpServerOptions>): Promise<Edge> {
  const lines: LogLine[] = []
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-edge-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const server = createHttpServer({
    routes: [],
    sockets: [],
    clock: systemClock,
    random: systemRandom,
    log: recordingLog(lines),
    renderError: (error, exchange) => renderTestError(error, exchange, lines),
    errors: TEST_ERRORS,
    spool: await Spool.open(folder, 64 * 1024 * 1024, systemRandom),
    ...options,
  })
  const { port } = await server.listen('127.0.0.1', 0)
  onTestFinished(async () => {
    await server.drain(0)
  })
  return { server, port, lines }
}

export interface Edge {
  readonly server: HttpServer
  readonly port: number
  readonly lines: LogLine[]
}

export interface LogLine {
  readonly level: string
  readonly message: string
  readonly [field: string]: unknown
}

export class TestError extends Error {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message)
    this.status = status
    this.headers = headers
  }
}

const TEST_ERRORS: EdgeErrors = {
  notFound: () => new TestError(404, 'no such path'),
  methodNotAllowed: () => new TestError(405, 'not with this method'),
  badRequest: (message) => new TestError(400, message),
  overloaded: () => new TestError(503, 'overloaded', { 'Retry-After': '2' }),
  overloadedEvent: () => '{"type":"error","message":"overloaded"}',
}

function renderTestError(error: unknown, exchange: Exchange, lines: LogLine[]): void {
  if (error instanceof TestError) exchange.reply(error.status, error.headers, error.message)
  else if (error instanceof BodyTooLarge) exchange.reply(413, {}, error.message)
  else {
    lines.push({ level: 'error', message: 'fault', error: String(error) })
    exchange.reply(500, {}, 'internal error')
  }
}

function recordingLog(lines: LogLine[]): Log {
  const record = (level: string) => (fields: object, message: string) => {
    lines.push({ level, message, ...fields })
  }
  return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') }
}

export function get(path: string, handle: Route['handle']): Route {
  return { method: 'GET', path, handle }
}

export function post(path: string, handle: Route['handle']): Route {
  return { method: 'POST', path, handle }
}

export function socket(path: string, open: SocketRoute['open']): SocketRoute {
  return { path, open }
}

export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
  readonly text: string
}

/** One request over a connection of its own. */
export function send(port: number, method: string, path: string, options: SendOptions = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const { headers = {}, body, localAddress = '127.0.0.1' } = options
    const to = { port, host: '127.0.0.1', localAddress, agent: false }
    const request = httpRequest({ ...to, method, path, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('error', reject)
      response.on('end', () => {
        const whole = Buffer.concat(chunks)
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: whole, text: whole.toString() })
      })
    })
    request.on('error', reject)
    request.end(body)
  })
}

export interface SendOptions {
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
  /** Where the request comes from: any address of 127.0.0.0/8. */
  readonly localAddress?: string
}

/** A bare TCP connection, for clients that misbehave. */
export class RawClient {
  readonly socket: Socket
  readonly #received: Buffer[] = []
  receivedBytes = 0
  isClosed = false

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1')
    this.socket.on('data', (chunk: Buffer) => {
      this.#received.push(chunk)
      this.receivedBytes += chunk.length
    })
    this.socket.on('error', () => {})
    this.socket.on('close', () => {
      this.isClosed = true
    })
    onTestFinished(() => {
      this.socket.destroy()
    })
  }

  get received(): Buffer {
    return Buffer.concat(this.#received)
  }

  get text(): string {
    return this.received.toString('latin1')
  }

  /** Whether the last bytes so far are these; looks at no more of a long answer than it must. */
  endsWith(ending: string): boolean {
    const last = Buffer.concat(this.#received.slice(-ending.length))
    return last.toString('latin1').endsWith(ending)
  }

  /** Body of an answer with a Content-Length, once all of it is there. */
  async sizedBody(): Promise<Buffer> {
    const head = /^[\s\S]*?\r\n\r\n/.exec(await this.until(/\r\n\r\n/))?.[0] ?? ''
    const contentLength = Number(/\r\ncontent-length: (\d+)\r\n/i.exec(head)?.[1])
    await waitFor(() => this.receivedBytes >= head.length + contentLength, `${contentLength} bytes of body`)
    return this.received.subarray(head.length)
  }

  write(data: string | Uint8Array): void {
    this.socket.write(data)
  }

  /** Sends a request without a body. */
  request(method: string, target: string, ...headers: string[]): void {
    this.write([`${method} ${target} HTTP/1.1`, 'Host: test', ...headers, '', ''].join('\r\n'))
  }

  /** Reads nothing more until `resume`: the kernel's buffers fill. */
  pause(): void {
    this.socket.pause()
  }

  resume(): void {
    this.socket.resume()
  }

  reset(): void {
    this.socket.resetAndDestroy()
  }

  async until(pattern: RegExp): Promise<string> {
    let seenBytes = -1
    const matches = () => {
      if (seenBytes === this.receivedBytes) return false
      seenBytes = this.receivedBytes
      return pattern.test(this.text)
    }
    await waitFor(matches, `${pattern}`)
    return this.text
  }
}

/** Payload of a chunked body, head cut off. Throws unless it is whole. */
export function dechunked(response: Buffer): Buffer {
  const pieces: Buffer[] = []
  let at = response.indexOf('\r\n\r\n') + 4
  for (;;) {
    const lineEnd = response.indexOf('\r\n', at)
    const size = response.subarray(at, lineEnd).toString('latin1')
    if (lineEnd < 0 || !/^[0-9a-f]+$/i.test(size)) throw new Error(`no chunk at byte ${at}: ${JSON.stringify(size)}`)
    const start = lineEnd + 2
    const end = start + Number.parseInt(size, 16)
    if (end === start) return Buffer.concat(pieces)
    pieces.push(response.subarray(start, end))
    at = end + 2
  }
}

/** Bytes without a short period, so that a lost or doubled stretch shows. */
export function patterned(byteLength: number, seed = 1): Buffer {
  const bytes = Buffer.alloc(byteLength)
  let state = seed
  for (let i = 0; i < byteLength; i++) {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    bytes[i] = state >>> 24
  }
  return bytes
}
