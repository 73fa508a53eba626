import {
  BodyTooLarge,
  ClientGone,
  type Exchange,
  type FrameSink,
  type RequestHead,
  type SocketSession,
} from '../../src/api/exchange.ts'
import type { Form, FormRules } from '../../src/api/form.ts'
import { READER_STALL_MS_MAX } from '../../src/limits.ts'
import type { Spool } from '../../src/runtime/spool.ts'
import type { FakeClock } from '../fake-clock.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'

/** How a client takes what it is sent. `drops`: a byte at a time. `stalls`: nothing for a while, then everything. */
export type Reading =
  | { readonly pace: 'eager' }
  | { readonly pace: 'steady'; readonly bytesPerSecond: number }
  | { readonly pace: 'drops' }
  | { readonly pace: 'stalls'; readonly ms: number }

export interface Place {
  readonly clock: FakeClock
  readonly chance: Chance
  /** Of the node's process. */
  readonly life: Life
  readonly spool: Spool
  readonly watch: Watch
}

/** Hears of what the node says, as it says it. */
export interface Watch {
  answered(connection: Connection): void
  wrote(link: Link, message: string | Uint8Array): void
  ended(link: Link): void
  misused(link: Link, how: string): void
}

/** `ended`: by the node. `left`: by the client. `lost`: the node died. */
export type Fate = 'open' | 'ended' | 'left' | 'lost'

/** What requests and sockets have in common: somebody at the other end who reads, slowly perhaps, or goes. */
export abstract class Link {
  readonly id: string
  readonly request: RequestHead
  readonly reading: Reading
  fate: Fate = 'open'
  bufferedBytes = 0
  bufferedBytesMost = 0
  /** Resolves when the node has ended it and everything was read, or it is cut at either end. */
  readonly over: Promise<void>
  protected readonly place: Place
  readonly #closed = new AbortController()
  readonly closed = this.#closed.signal
  readonly #onDrain: (() => void)[] = []
  #isOver: () => void = () => {}
  #isReading = false

  constructor(id: string, request: RequestHead, reading: Reading, place: Place) {
    this.id = id
    this.request = request
    this.reading = reading
    this.place = place
    this.over = new Promise((resolve) => {
      this.#isOver = resolve
    })
  }

  onDrain(callback: () => void): void {
    this.#onDrain.push(callback)
  }

  /** The client closes its end, or its reader was cut off. */
  leave(): void {
    this.#close('left')
  }

  /** The node has died: nothing of it is told. */
  lose(): void {
    if (this.fate === 'left') return
    this.fate = 'lost'
    this.#isOver()
  }

  protected take(message: string | Uint8Array): void {
    this.place.watch.wrote(this, message)
    if (this.reading.pace === 'eager') return
    this.bufferedBytes += typeof message === 'string' ? Buffer.byteLength(message) : message.length
    this.bufferedBytesMost = Math.max(this.bufferedBytes, this.bufferedBytesMost)
    this.#read()
  }

  protected finish(): void {
    if (this.fate !== 'open') return
    this.place.watch.ended(this)
    this.#close('ended')
  }

  #close(fate: Fate): void {
    if (this.fate === 'lost' || this.fate === 'left') return
    if (this.fate === 'open') {
      this.fate = fate
      if (this.place.life.alive) this.#closed.abort()
    }
    if (fate === 'left' || this.bufferedBytes === 0) this.#isOver()
  }

  #read(): void {
    if (this.#isReading || this.bufferedBytes === 0) return
    this.#isReading = true
    const [ms, bytes] = this.#nextGulp()
    this.place.clock.after(ms, () => {
      this.#isReading = false
      if (this.fate === 'left' || this.fate === 'lost') return
      if (bytes === 0) this.leave()
      else this.#gulp(bytes)
    })
  }

  /** After how long the reader takes how much; 0: the edge has cut it off. */
  #nextGulp(): [ms: number, bytes: number] {
    const { reading } = this
    switch (reading.pace) {
      case 'eager':
        return [0, Number.POSITIVE_INFINITY]
      case 'steady':
        return [
          this.place.chance.between(20, 400),
          Math.ceil(reading.bytesPerSecond * this.place.chance.between(0.02, 0.4)),
        ]
      case 'drops':
        // A byte, and again, until it has had enough of that.
        return [this.place.chance.between(1, 50), this.place.chance.hits(0.98) ? 1 : 100_000]
      case 'stalls':
        if (reading.ms > READER_STALL_MS_MAX) return [READER_STALL_MS_MAX, 0]
        return [reading.ms, Number.POSITIVE_INFINITY]
    }
  }

  #gulp(bytes: number): void {
    this.bufferedBytes = Math.max(0, this.bufferedBytes - bytes)
    if (this.fate === 'ended' && this.bufferedBytes === 0) this.#isOver()
    if (this.place.life.alive) for (const callback of this.#onDrain) callback()
    this.#read()
  }
}

/** One request and its answer. */
export class Connection extends Link implements Exchange, FrameSink {
  params: Readonly<Record<string, string>> = {}
  readonly #body: Uint8Array
  readonly #fields: Readonly<Record<string, string>>
  status: number | undefined
  headers: Readonly<Record<string, string>> = {}
  /** Of an answer in one piece. */
  answer: Uint8Array | undefined
  formsOpen = 0
  wasCut = false

  constructor(
    id: string,
    request: RequestHead,
    body: Uint8Array,
    fields: Readonly<Record<string, string>>,
    reading: Reading,
    place: Place,
  ) {
    super(id, request, reading, place)
    this.#body = body
    this.#fields = fields
  }

  get json() {
    return JSON.parse(Buffer.from(this.answer ?? []).toString('utf8'))
  }

  async body(limitBytes: number): Promise<Uint8Array> {
    await this.#upload()
    if (this.#body.length > limitBytes) throw new BodyTooLarge(`body must be at most ${limitBytes} bytes`)
    return this.#body
  }

  /** One file, under the first of the names that are asked for. */
  async form({ files: [name = ''] }: FormRules): Promise<Form> {
    const file = await this.place.spool.create()
    this.formsOpen += 1
    let isOpen = true
    const dispose = async () => {
      if (!isOpen) return
      isOpen = false
      this.formsOpen -= 1
      await file.remove()
    }
    try {
      await this.#upload()
      await file.append(this.#body)
      if (this.fate === 'left') throw new ClientGone()
    } catch (error) {
      await dispose()
      throw error
    }
    const part = { name: 'clip.wav', mimeType: 'audio/wav', path: file.path, bytes: this.#body.length }
    return { fields: this.#fields, lists: {}, files: { [name]: part }, dispose }
  }

  reply(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void {
    if (this.fate !== 'open' || this.status !== undefined) return
    this.status = status
    this.headers = headers
    this.answer = Buffer.from(body)
    this.place.watch.answered(this)
    this.finish()
  }

  open(status: number, headers: Readonly<Record<string, string>>): FrameSink {
    if (this.status !== undefined) this.place.watch.misused(this, 'a second answer')
    if (this.fate === 'open') {
      this.status = status
      this.headers = headers
      this.place.watch.answered(this)
    }
    return this
  }

  async file(status: number, headers: Readonly<Record<string, string>>, _path: string, start: number, end: number) {
    this.reply(status, { ...headers, 'Content-Length': String(end - start) }, '')
  }

  write(message: string | Uint8Array): void {
    if (this.fate === 'ended') this.place.watch.misused(this, 'written after the end')
    if (this.fate === 'open') this.take(message)
  }

  end(): void {
    this.finish()
  }

  /** What was opened and can not be ended is cut off. */
  cut(): void {
    if (this.fate !== 'open') return
    this.wasCut = true
    this.leave()
  }

  async #upload(): Promise<void> {
    await this.place.life.sleep(this.place.chance.between(0.1, 60))
    if (this.fate === 'left') throw new ClientGone()
  }
}

/** One WebSocket. */
export class SocketConnection extends Link implements SocketSession {
  closeCode: number | undefined
  #onMessage: (message: string | Uint8Array) => void = () => {}

  onMessage(callback: (message: string | Uint8Array) => void): void {
    this.#onMessage = callback
  }

  send(message: string | Uint8Array): void {
    if (this.fate === 'ended') this.place.watch.misused(this, 'sent after the close')
    if (this.fate === 'open') this.take(message)
  }

  end(code: number): void {
    if (this.fate === 'ended') this.place.watch.misused(this, 'closed twice')
    if (this.fate !== 'open') return
    this.closeCode = code
    this.finish()
  }

  /** The client sends a message. */
  say(message: object | string | Uint8Array): void {
    if (this.fate !== 'open' || !this.place.life.alive) return
    this.#onMessage(typeof message === 'string' || message instanceof Uint8Array ? message : JSON.stringify(message))
  }
}
