import type { Route, SocketRoute } from '../exchange.ts'
import { INFO } from './info.ts'
import { JsonSchemas } from './json-schemas.ts'
import type { Document } from './openapi.ts'
import type { Channel, EventStream, Message, Operation } from './operation.ts'

/** The AsyncAPI 3.0 document of these routes' streams and of these sockets, but for `servers`. */
export function asyncApiDocument(routes: readonly Route[], sockets: readonly SocketRoute[]): Document {
  const book = new Book()
  for (const { path, operation } of routes) {
    if (operation?.events !== undefined) book.addStream(path, operation, operation.events)
  }
  for (const { path, channel } of sockets) {
    if (channel !== undefined) book.addSocket(path, channel)
  }
  const { summary: _, license, ...info } = INFO
  return {
    asyncapi: '3.0.0',
    info: { ...info, license: { name: license.name }, tags: [{ name: 'speech' }, { name: 'transcripts' }] },
    defaultContentType: 'application/json',
    channels: book.channels,
    operations: book.operations,
    components: { schemas: book.schemas.components, messages: book.messages, securitySchemes: SECURITY_SCHEMES },
  }
}

const BEARER = [{ $ref: '#/components/securitySchemes/bearer' }]
const TOKEN = [{ $ref: '#/components/securitySchemes/token' }]
const SECURITY_SCHEMES = {
  token: { type: 'httpApiKey', in: 'query', name: 'token', description: 'In the address of a socket.' },
  bearer: { type: 'http', scheme: 'bearer', description: 'A key, as the OpenAPI document has it.' },
}

class Book {
  readonly schemas = new JsonSchemas()
  readonly channels: Record<string, Document> = {}
  readonly operations: Record<string, Document> = {}
  readonly messages: Record<string, Document> = {}

  /** A request that is answered with a stream of events. */
  addStream(path: string, { id, body }: Operation, events: EventStream): void {
    const request = `${events.id}.request`
    this.messages[request] = {
      name: 'request',
      title: 'request',
      summary: 'The request’s body.',
      contentType: body?.mediaType,
      payload: body === undefined ? {} : this.schemas.of(body.schema, 'input'),
      examples: [{ payload: body?.example ?? {} }],
    }
    const sent = this.#addMessages(events, 'sends')
    this.#addChannel(path, 'http', events, [request, ...sent])
    this.operations[id] = {
      action: 'receive',
      channel: { $ref: `#/channels/${events.id}` },
      title: events.title,
      description: events.description,
      bindings: { http: { method: 'POST', bindingVersion: '0.3.0' } },
      security: BEARER,
      messages: inChannel(events.id, [request]),
      reply: { channel: { $ref: `#/channels/${events.id}` }, messages: inChannel(events.id, sent) },
    }
  }

  addSocket(path: string, channel: Channel): void {
    const received = this.#addMessages(channel, 'receives')
    const sent = this.#addMessages(channel, 'sends')
    const query = this.schemas.of(channel.query, 'input')
    this.#addChannel(path, 'ws', channel, [...received, ...sent], {
      ws: { method: 'GET', query, bindingVersion: '0.1.0' },
    })
    for (const [action, names] of [
      ['receive', received],
      ['send', sent],
    ] as const) {
      this.operations[`${channel.id}.${action}`] = {
        action,
        channel: { $ref: `#/channels/${channel.id}` },
        title: channel.title,
        description: action === 'send' ? 'What the node tells the client.' : 'What the client tells the node.',
        security: TOKEN,
        messages: inChannel(channel.id, names),
      }
    }
  }

  #addChannel(path: string, server: string, events: EventStream, messages: readonly string[], bindings?: object): void {
    this.channels[events.id] = {
      address: path,
      title: events.title,
      description: events.description,
      servers: [{ $ref: `#/servers/${server}` }],
      messages: Object.fromEntries(messages.map((name) => [name, { $ref: `#/components/messages/${name}` }])),
      ...(bindings && { bindings }),
    }
  }

  /** Their names in the document. */
  #addMessages(stream: Partial<Channel> & EventStream, direction: 'sends' | 'receives'): string[] {
    return (stream[direction] ?? []).map((message) => {
      const name = `${stream.id}.${direction}.${message.name}`
      this.messages[name] = this.#describe(message, direction === 'sends' ? 'output' : 'input')
      return name
    })
  }

  #describe({ name, summary, payload, example }: Message, io: 'input' | 'output'): Document {
    if (payload === undefined) {
      return {
        name,
        title: name,
        summary,
        contentType: 'application/octet-stream',
        payload: { type: 'string', format: 'binary' },
      }
    }
    return { name, title: name, summary, payload: this.schemas.of(payload, io), examples: [{ payload: example ?? {} }] }
  }
}

function inChannel(channel: string, messages: readonly string[]): object[] {
  return messages.map((name) => ({ $ref: `#/channels/${channel}/messages/${name}` }))
}
