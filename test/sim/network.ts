import type { RequestHead } from '../../src/api/exchange.ts'
import { Connection, type Link, type Reading, SocketConnection } from './connection.ts'
import type { SimulatedNode } from './node.ts'
import type { World } from './world.ts'

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With its query. */
  readonly url: string
  readonly key?: string | undefined
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: object | Uint8Array
  /** Of a form, beside its file. */
  readonly fields?: Readonly<Record<string, string>>
  readonly reading?: Reading
}

const EAGER: Reading = { pace: 'eager' }

/** Takes requests to the node, and nowhere while it is down. */
export class Network {
  readonly #world: World
  readonly #links = new Set<Link>()
  #count = 0

  constructor(world: World) {
    this.#world = world
  }

  /** The id of the request that is sent next. */
  get nextId(): string {
    return `request_${this.#count + 1}`
  }

  /** Undefined where nobody listens. */
  send(call: Call): Connection | undefined {
    const { node } = this.#world
    const id = this.#newId()
    if (node === undefined) return undefined
    const { key, headers = {}, body = {}, fields = { language: 'en' }, reading = EAGER } = call
    const head = requestHead(call.method, call.url, { ...(key && { authorization: `Bearer ${key}` }), ...headers })
    const bytes = body instanceof Uint8Array ? body : new Uint8Array(Buffer.from(JSON.stringify(body)))
    const connection = new Connection(id, head, bytes, fields, reading, this.#place(node))
    this.#add(connection)
    void node.serve(connection).then(() => this.#served(connection))
    return connection
  }

  /** Undefined where nobody listens. */
  connect(url: string, reading: Reading = EAGER): SocketConnection | undefined {
    const { node } = this.#world
    const id = this.#newId()
    if (node === undefined) return undefined
    const socket = new SocketConnection(id, requestHead('GET', url, {}), reading, this.#place(node))
    this.#add(socket)
    node.accept(socket)
    return socket
  }

  /** The node is dead: whoever was connected notices. */
  lose(): void {
    for (const link of this.#links) link.lose()
    this.#links.clear()
  }

  #served(connection: Connection): void {
    if (connection.formsOpen > 0) this.#world.fail(`${connection.id} left its form on disk`)
    if (connection.fate === 'open') this.#world.fail(`${connection.id} was served and has no answer`)
  }

  #newId(): string {
    this.#count += 1
    return `request_${this.#count}`
  }

  #add(link: Link): void {
    this.#links.add(link)
    void link.over.then(() => this.#links.delete(link))
  }

  #place({ life, spool }: SimulatedNode) {
    const { clock, chance, conversations } = this.#world
    return { clock, chance, life, spool, watch: conversations }
  }
}

function requestHead(method: string, url: string, headers: Readonly<Record<string, string>>): RequestHead {
  const { pathname, searchParams } = new URL(url, 'http://node.test')
  return {
    method,
    path: decodeURIComponent(pathname),
    query: searchParams,
    header: (name) => (name === 'host' ? 'node.test' : headers[name]),
    remoteAddress: '192.0.2.1',
  }
}
