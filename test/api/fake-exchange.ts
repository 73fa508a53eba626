import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  BodyTooLarge,
  ClientGone,
  type Exchange,
  type FrameSink,
  type RequestHead,
  type SocketSession,
} from '../../src/api/exchange.ts'
import { FileTooLarge, type Form, type FormRules, MalformedForm, type UploadedFile } from '../../src/api/form.ts'

export interface FakeRequest {
  readonly method: string
  /** With its query. */
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array
}

/** One request and its answer, in memory. */
export class FakeExchange implements Exchange {
  readonly id: string
  readonly request: RequestHead
  readonly params: Readonly<Record<string, string>>
  readonly #closed = new AbortController()
  readonly closed = this.#closed.signal
  readonly #body: Uint8Array
  /** The complete response, once there is one. */
  response: FakeResponse | undefined
  /** The streamed response, once there is one. */
  sink: FakeSink | undefined
  /** Forms that were read and not disposed of. */
  formsOpen = 0
  /** Given to the sink when it opens. */
  reader: Reader = 'eager'

  constructor(id: string, request: FakeRequest, params: Readonly<Record<string, string>> = {}) {
    this.id = id
    this.request = requestHead(request)
    this.params = params
    this.#body = Buffer.from(request.body ?? '')
  }

  async body(limitBytes: number): Promise<Uint8Array> {
    if (this.closed.aborted) throw new ClientGone()
    if (this.#body.byteLength > limitBytes) throw new BodyTooLarge(`body must be at most ${limitBytes} bytes`)
    return this.#body
  }

  async form({ fields: known, files: wanted, fileBytesMax, lists: listed = [] }: FormRules): Promise<Form> {
    if (this.closed.aborted) throw new ClientGone()
    const headers = { 'Content-Type': this.request.header('content-type') ?? '' }
    const parsed = await new Response(this.#body, { headers }).formData().catch(() => undefined)
    if (parsed === undefined) throw new MalformedForm('body must be whole and well-formed multipart/form-data')
    for (const [, value] of parsed) {
      const isTooLarge = typeof value !== 'string' && value.size > fileBytesMax
      if (isTooLarge) throw new FileTooLarge(`the file must be at most ${fileBytesMax} bytes`)
    }
    const folder = await mkdtemp(join(tmpdir(), 'syrinx-form-'))
    this.formsOpen += 1
    const fields: Record<string, string> = {}
    const lists: Record<string, string[]> = {}
    const files: Record<string, UploadedFile> = {}
    for (const [name, value] of parsed) {
      if (typeof value === 'string' && listed.includes(name)) lists[name] = [...(lists[name] ?? []), value]
      else if (typeof value === 'string') {
        if (known.includes(name) || wanted.includes(name)) fields[name] = value
      } else if (wanted.includes(name)) {
        const path = join(folder, name)
        await writeFile(path, new Uint8Array(await value.arrayBuffer()))
        files[name] = { name: value.name, mimeType: value.type, path, bytes: value.size }
      }
    }
    let isOpen = true
    const dispose = async () => {
      if (isOpen) this.formsOpen -= 1
      isOpen = false
      await rm(folder, { recursive: true, force: true })
    }
    return { fields, lists, files, dispose }
  }

  reply(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void {
    if (this.response !== undefined || this.sink !== undefined) return
    this.response = new FakeResponse(status, headers, Buffer.from(body))
    this.#closed.abort()
  }

  open(status: number, headers: Readonly<Record<string, string>>): FrameSink {
    this.response = new FakeResponse(status, headers, Buffer.alloc(0))
    this.sink = new FakeSink(this.#closed, this.reader)
    return this.sink
  }

  async file(status: number, headers: Readonly<Record<string, string>>, path: string, start: number, end: number) {
    const bytes = (await readFile(path)).subarray(start, end)
    const whole = { 'Content-Length': String(bytes.byteLength), ...headers }
    this.response = new FakeResponse(status, whole, this.request.method === 'HEAD' ? Buffer.alloc(0) : bytes)
    this.#closed.abort()
  }

  /** The client closes the connection. */
  leave(): void {
    this.#closed.abort()
  }
}

export class FakeResponse {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer

  constructor(status: number, headers: Readonly<Record<string, string>>, bytes: Buffer) {
    this.status = status
    this.headers = headers
    this.bytes = bytes
  }

  get json() {
    return JSON.parse(this.bytes.toString('utf8'))
  }
}

/** `eager` takes every byte at once; `stalled` takes none until `drain`. */
export type Reader = 'eager' | 'stalled'

/** What both a streamed response and a socket do with bytes that wait for a slow reader. */
class Buffered {
  reader: Reader
  bufferedBytes = 0
  bufferedBytesMost = 0
  readonly #onDrain: (() => void)[] = []

  constructor(reader: Reader) {
    this.reader = reader
  }

  onDrain(callback: () => void): void {
    this.#onDrain.push(callback)
  }

  /** The reader takes some of what waits. */
  drain(bytes: number): void {
    this.bufferedBytes = Math.max(0, this.bufferedBytes - bytes)
    for (const callback of this.#onDrain) callback()
  }

  protected take(bytes: string | Uint8Array): void {
    if (this.reader === 'eager') return
    this.bufferedBytes += Buffer.from(bytes).byteLength
    this.bufferedBytesMost = Math.max(this.bufferedBytesMost, this.bufferedBytes)
  }
}

export class FakeSink extends Buffered implements FrameSink {
  readonly #closed: AbortController
  readonly closed: AbortSignal
  text = ''
  ended = false

  constructor(closed: AbortController, reader: Reader) {
    super(reader)
    this.#closed = closed
    this.closed = closed.signal
  }

  write(bytes: string | Uint8Array): void {
    if (this.closed.aborted) return
    if (this.ended) throw new Error('written after the end')
    this.take(bytes)
    this.text += Buffer.from(bytes).toString('utf8')
  }

  end(): void {
    if (this.closed.aborted) return
    this.ended = true
    this.#closed.abort()
  }

  /** Complete lines of JSON so far. */
  get lines() {
    return this.text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line))
  }

  /** Complete events so far; comments show as `{ comment }`. */
  get events() {
    return this.text
      .split('\n\n')
      .slice(0, -1)
      .map((block) => {
        if (block.startsWith(':')) return { comment: block.slice(1).trim() }
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        return { event: field('event'), id: field('id'), data: JSON.parse(field('data') ?? '') }
      })
  }
}

/** One WebSocket connection, in memory. */
export class FakeSocket extends Buffered implements SocketSession {
  readonly id: string
  readonly request: RequestHead
  readonly #closed = new AbortController()
  readonly closed = this.#closed.signal
  readonly sent: (string | Uint8Array)[] = []
  closeCode: number | undefined
  #onMessage: ((message: string | Uint8Array) => void) | undefined

  constructor(id: string, url: string, reader: Reader = 'eager', headers: Readonly<Record<string, string>> = {}) {
    super(reader)
    this.id = id
    this.request = requestHead({ method: 'GET', url, headers })
  }

  onMessage(callback: (message: string | Uint8Array) => void): void {
    this.#onMessage = callback
  }

  send(message: string | Uint8Array): void {
    if (this.closeCode !== undefined) throw new Error('sent after the close')
    if (this.closed.aborted) return
    this.take(message)
    this.sent.push(message)
  }

  end(code: number): void {
    if (this.closed.aborted) return
    this.closeCode = code
    this.#closed.abort()
  }

  /** The client sends a message; an object goes as JSON text. */
  receive(message: object | string | Uint8Array): void {
    const isFrame = typeof message === 'string' || message instanceof Uint8Array
    this.#onMessage?.(isFrame ? message : JSON.stringify(message))
  }

  /** The client closes the connection. */
  leave(): void {
    this.#closed.abort()
  }

  /** JSON events so far; binary frames show as their length. */
  get events() {
    return this.sent.map((message) => (typeof message === 'string' ? JSON.parse(message) : message.byteLength))
  }

  get frames(): Uint8Array[] {
    return this.sent.filter((message) => typeof message !== 'string')
  }
}

function requestHead({ method, url, headers = {} }: FakeRequest): RequestHead {
  const { pathname, searchParams } = new URL(url, 'http://node.test')
  const byName = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return {
    method,
    path: decodeURIComponent(pathname),
    query: searchParams,
    header: (name) => (name === 'host' ? (byName.get(name) ?? 'node.test') : byName.get(name)),
    remoteAddress: '192.0.2.1',
  }
}
