import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CONTRACT_ERRORS } from '../../../src/api/documents/envelopes.ts'
import type { Channel, Operation } from '../../../src/api/documents/operation.ts'
import { type ErrorCode, type ErrorRow, STT_ERRORS, TTS_ERRORS } from '../../../src/api/error-codes.ts'
import { routes } from '../../../src/api/routes.ts'
import { contractSection } from '../../contract.ts'
import { TestNode } from '../test-node.ts'
import { expectExactly } from './conformance.ts'
import { asyncApiFaults, openApiFaults } from './lint.ts'

const ROUTES_OF_OPENAI = [
  'POST /v1/audio/speech',
  'POST /v1/audio/transcriptions',
  'GET /v1/models',
  'GET /v1/models/{id}',
]

let node: TestNode
let openApi: OpenApi
let asyncApi: AsyncApi
let operations: Operation[]
let channels: Channel[]

beforeAll(async () => {
  // With every route that may be switched on.
  node = await TestNode.start({ openAi: { speechModel: 'kokoro' } })
  openApi = await get('/openapi.json')
  asyncApi = await get('/asyncapi.json')
  const { requests, sockets } = routes(node.services)
  operations = [...requests.flatMap(({ operation }) => operation ?? [])]
  channels = [...sockets.flatMap(({ channel }) => channel ?? [])]
})
afterAll(() => node.stop())

async function get(path: string, headers: Record<string, string> = {}) {
  const response = await node.call('GET', path, undefined, { key: null, headers })
  expect([response.status, response.headers['Content-Type']]).toEqual([200, 'application/json; charset=utf-8'])
  return response.json
}

function routesOf({ paths }: Pick<OpenApi, 'paths'>): string[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

describe('the documents', () => {
  it('please the rules of OpenAPI 3.1', async () => {
    expect(openApi.openapi).toBe('3.1.0')
    expect(await openApiFaults(openApi)).toEqual([])
  })

  it('please the rules of AsyncAPI 3', async () => {
    expect(asyncApi.asyncapi).toBe('3.0.0')
    expect(await asyncApiFaults(asyncApi)).toEqual([])
  })

  it('have every route of the node and no other', () => {
    const { requests } = routes(node.services)
    const ours = requests.map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    expect(routesOf(openApi).sort()).toEqual(ours.sort())
  })

  it('have the routes for OpenAI’s clients only where there are any (D33)', async () => {
    const plain = await TestNode.start()
    const { json: document } = await plain.call('GET', '/openapi.json')
    const { json: streams } = await plain.call('GET', '/asyncapi.json')
    await plain.stop()
    const switched = routesOf(openApi).filter((route) => !routesOf(document).includes(route))
    expect(switched.sort()).toEqual(ROUTES_OF_OPENAI.sort())
    expect(await openApiFaults(document)).toEqual([])
    expect(await asyncApiFaults(streams)).toEqual([])
    expect(JSON.stringify([document, streams])).not.toContain('OpenAI')
  })

  it('have every stream and socket of the node and no other', () => {
    const { requests, sockets } = routes(node.services)
    const streams = requests.filter(({ operation }) => operation?.events !== undefined)
    const theirs = Object.values(asyncApi.channels).map(({ address }) => address)
    expect(theirs.sort()).toEqual([...streams, ...sockets].map(({ path }) => path).sort())
  })

  it('say where the node is reached (D25)', async () => {
    expect(openApi.servers).toEqual([{ url: 'http://node.test' }])
    expect(asyncApi.servers).toMatchObject({
      http: { host: 'node.test', protocol: 'http' },
      ws: { host: 'node.test', protocol: 'ws' },
    })
    const behindProxy = await get('/openapi.json', { 'x-forwarded-proto': 'https', host: 'speech.example' })
    expect(behindProxy.servers).toEqual([{ url: 'https://speech.example' }])
  })

  it('may be kept for a while, by whoever asked', async () => {
    const { headers } = await node.call('GET', '/openapi.json', undefined, { key: null })
    expect(headers['Cache-Control']).toMatch(/^private, max-age=\d+$/)
  })
})

describe('errors', () => {
  const tables: Record<string, ErrorRow>[] = [TTS_ERRORS, STT_ERRORS]
  const known = () =>
    new Set(
      tables.flatMap((table) =>
        Object.entries(table).flatMap(([code, { statuses, added = [] }]) =>
          statuses.length === 0
            ? [`${code} in a stream`]
            : [...statuses, ...added].map((status) => `${code} ${status}`),
        ),
      ),
    )
  const described = () => {
    const answers = operations.flatMap(({ errors }) =>
      Object.entries(errors).flatMap(([code, statuses]) => statuses.map((status) => `${code} ${status}`)),
    )
    const inStreams = JSON.stringify(asyncApi).includes('"GENERATION_FAILED"') ? ['GENERATION_FAILED in a stream'] : []
    return new Set([...answers, ...inStreams])
  }

  it('are in the documents with every status, and no code or status besides', () => {
    // No operation is answered with 405: it is what answers a method that has none.
    expect([...known()].filter((pair) => !described().has(pair))).toEqual(['BAD_REQUEST 405'])
    expect([...described()].filter((pair) => !known().has(pair))).toEqual([])
    expect(openApi.info.description).toContain('405 `BAD_REQUEST`')
  })

  it('are all told to people', () => {
    const codes = tables.flatMap((table) => Object.keys(table))
    expect(codes.filter((code) => !openApi.info.description.includes(`| \`${code}\` |`))).toEqual([])
  })

  it('have examples that their schemas take', () => {
    for (const { id, errors, errorShape = CONTRACT_ERRORS } of operations) {
      for (const [code, statuses] of Object.entries(errors) as [ErrorCode, number[]][]) {
        for (const status of statuses) {
          expectExactly(`${id} ${code}`, errorShape.schema([code], status), errorShape.example(code, 'why', status))
        }
      }
    }
  })
})

describe('events', () => {
  /** Names in the first column of the table under a heading of the contract. */
  const contractEvents = (heading: string) =>
    [...contractSection(heading).matchAll(/^\| ([a-z]+) \|/gm)]
      .map(([, name]) => name)
      .filter((name) => name !== 'type')
  const sent = (id: string) => {
    const stream = [...operations.flatMap(({ events }) => events ?? []), ...channels].find((known) => known.id === id)
    return stream?.sends.flatMap(({ name, payload }) => (payload === undefined ? [] : [name]))
  }

  it.each([
    ['SSE \\(`/api/v1/tts/sse`\\)', 'speechEvents'],
    ['TTS WebSocket \\(server to client\\)', 'speechSocket'],
    ['NDJSON \\(`/api/v1/stt/transcriptions\\?stream=true`\\)', 'transcriptLines'],
  ])('of the contract’s %s are those of the document', (heading, id) => {
    expect(contractEvents(heading).length).toBeGreaterThan(3)
    expect(sent(id)).toEqual(contractEvents(heading))
  })

  it('of the contract’s microphone are those of the document', () => {
    const text = contractSection('STT WebSocket \\(server to client\\)')
    expect(sent('transcriptSocket')).toEqual(['partial', 'segment', 'final', 'error'])
    for (const name of sent('transcriptSocket') ?? []) expect(text).toContain(`\`${name}\``)
  })

  it('have examples that their schemas take', () => {
    for (const { id, sends, ...rest } of [...operations.flatMap(({ events }) => events ?? []), ...channels]) {
      for (const { name, payload, example } of [...sends, ...('receives' in rest ? (rest as Channel).receives : [])]) {
        if (payload !== undefined) expect(payload.safeParse(example).error, `${id} ${name}`).toBeUndefined()
      }
    }
  })
})

describe('requests and answers', () => {
  it('have examples that their schemas take', () => {
    for (const { id, body, answers } of operations) {
      if (body?.mediaType === 'application/json') expect(body.schema.safeParse(body.example).error, id).toBeUndefined()
      for (const { content = {} } of answers) {
        for (const { schema, example } of Object.values(content)) if (schema) expectExactly(id, schema, example)
      }
    }
  })

  it('name the fields of the contract', () => {
    const table = contractSection('Common TTS request fields \\(batch, bytes, SSE\\)')
    const fields = [...table.matchAll(/^\| ([a-z_]+) \|/gm), ...table.matchAll(/`([a-z_]+)` (?:boolean|string)/g)]
    const { properties } = openApi.components.schemas.SpeechRequest ?? {}
    expect(Object.keys(properties ?? {}).sort()).toEqual(fields.map(([, name]) => name).sort())
  })

  it('are each described once, under one name', () => {
    const ids = operations.map(({ id }) => id)
    expect([...new Set(ids)]).toEqual(ids)
  })
})

interface OpenApi {
  readonly openapi: string
  readonly info: { readonly description: string }
  readonly servers: object[]
  readonly paths: Record<string, Record<string, object>>
  readonly components: { readonly schemas: Record<string, { readonly properties?: object }> }
}

interface AsyncApi {
  readonly asyncapi: string
  readonly servers: object
  readonly channels: Record<string, { readonly address: string }>
  readonly components: object
}
