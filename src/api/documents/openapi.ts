import { STATUS_CODES } from 'node:http'
import { z } from 'zod'
import { type ErrorCode, type ErrorRow, isRetryable, STT_ERRORS, TTS_ERRORS } from '../error-codes.ts'
import type { Route } from '../exchange.ts'
import { CONTRACT_ERRORS } from './envelopes.ts'
import { INFO } from './info.ts'
import { JsonSchemas } from './json-schemas.ts'
import { type Answer, type Content, type HeaderText, type Operation, type RequestBody, TAGS } from './operation.ts'

export type Document = Readonly<Record<string, unknown>>

/** The OpenAPI 3.1 document of these routes, but for `servers`. Routes without a description are left out. */
export function openApiDocument(routes: readonly Route[]): Document {
  const schemas = new JsonSchemas()
  const paths: Record<string, Record<string, unknown>> = {}
  const tags = new Set<string>()
  for (const { method, path, operation } of routes) {
    if (operation === undefined) continue
    tags.add(operation.tag)
    const template = path.replaceAll(/:(\w+)/g, '{$1}')
    paths[template] = { ...paths[template], [method.toLowerCase()]: describeOperation(operation, schemas) }
  }
  return {
    openapi: '3.1.0',
    info: { ...INFO, description: `${INFO.description}\n\n${CONVENTIONS}\n\n${errorTable()}` },
    tags: Object.entries(TAGS)
      .filter(([name]) => tags.has(name))
      .map(([name, description]) => ({ name, description })),
    security: [],
    paths,
    components: { schemas: schemas.components, securitySchemes: SECURITY_SCHEMES },
  }
}

const CONVENTIONS =
  'An answer in JSON is `{"ok": true, "data": …}`, an error `{"ok": false, "error": {"code", "message"}}`: look at `ok` first, then branch ' +
  'on the code. Retry only 500, 502 and 503, after `Retry-After` where there is one. A 503 with it was never charged, an error with `data` ' +
  'was. Unknown fields are ignored. A path that does not exist is answered with 404 `NOT_FOUND`, a wrong method with 405 `BAD_REQUEST` and `Allow`. Every answer carries `X-Request-Id`.'

const SECURITY_SCHEMES = {
  admin: { type: 'http', scheme: 'bearer', description: 'An account key: `vc_ak_live_…`.' },
  voice: { type: 'http', scheme: 'bearer', description: 'A voice key: `vc_sk_live_…`.' },
  stt: { type: 'http', scheme: 'bearer', description: 'A speech-to-text key: `stt_sk_live_…`.' },
}

/** Every code there is, for people. */
function errorTable(): string {
  const row = ([code, { statuses, added = [], when }]: [string, ErrorRow]) => {
    const all = [...statuses, ...added]
    return `| \`${code}\` | ${all.join(', ') || 'in a stream'} | ${when} | ${all.some(isRetryable) ? 'yes' : 'no'} |`
  }
  const rows = [TTS_ERRORS, STT_ERRORS].map((table) => Object.entries<ErrorRow>(table).map(row).join('\n'))
  const head = '| code | status | when | retry 5xx |\n|---|---|---|---|'
  return `## Errors\n\n${head}\n${rows[0]}\n\nOf speech-to-text:\n\n${head}\n${rows[1]}`
}

function describeOperation(operation: Operation, schemas: JsonSchemas): Document {
  const { id, tag, summary, description, keys, body, answers } = operation
  const parameters = (['path', 'query', 'headers'] as const).flatMap((place) =>
    describeParameters(operation[place], place === 'headers' ? 'header' : place, schemas),
  )
  return {
    operationId: id,
    tags: [tag],
    summary,
    description,
    security: keys.map((kind) => ({ [kind]: [] })),
    ...(parameters.length > 0 && { parameters }),
    ...(body && {
      requestBody: {
        required: true,
        content: { [body.mediaType]: describeBody(body, schemas) },
      },
    }),
    responses: {
      ...Object.fromEntries(answers.map((answer) => [answer.status, describeAnswer(answer, schemas)])),
      ...describeErrors(operation, schemas),
    },
  }
}

/** Parts that are files are to be sent as audio: what declares itself as anything else is taken by its file name alone, or not at all. */
function describeBody({ schema, example }: RequestBody, schemas: JsonSchemas): Document {
  const described = schemas.of(schema, 'input')
  const files = Object.entries(described.properties ?? {}).filter(([, { format }]) => format === 'binary')
  const encoding = Object.fromEntries(files.map(([name]) => [name, { contentType: 'audio/*' }]))
  return { schema: described, ...(files.length > 0 && { encoding }), example }
}

function describeParameters(
  parameters: z.ZodObject | undefined,
  place: 'path' | 'query' | 'header',
  schemas: JsonSchemas,
): Document[] {
  return Object.entries(parameters?.shape ?? {}).map(([name, schema]) => ({
    name,
    in: place,
    required: !z.safeParse(schema as z.ZodType, undefined).success,
    schema: schemas.of(schema as z.ZodType, 'input'),
  }))
}

function describeAnswer({ description, headers, content }: Answer, schemas: JsonSchemas): Document {
  return {
    description,
    headers: describeHeaders({ ...headers, ...EVERY_ANSWER }),
    ...(content && {
      content: Object.fromEntries(
        Object.entries(content).map(([mediaType, one]) => [mediaType, describeContent(mediaType, one, schemas)]),
      ),
    }),
  }
}

const EVERY_ANSWER = { 'X-Request-Id': ['Names the request in the node’s log.', '01jx2b7k9m_4'] } as const

function describeContent(mediaType: string, { schema, example }: Content, schemas: JsonSchemas): Document {
  const isText = ['text/plain', 'text/vtt', 'application/x-ndjson'].includes(mediaType)
  const described = schema ? schemas.of(schema, 'output') : isText ? { type: 'string' } : {}
  return { schema: described, ...(example !== undefined && { example }) }
}

function describeHeaders(headers: Readonly<Record<string, HeaderText>>): Document {
  return Object.fromEntries(
    Object.entries(headers).map(([name, [description, example]]) => [
      name,
      { description, schema: { type: typeof example === 'number' ? 'integer' : 'string' }, example },
    ]),
  )
}

/** One response a status, which names every code that comes with it. */
function describeErrors({ errors, errorShape = CONTRACT_ERRORS }: Operation, schemas: JsonSchemas): Document {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const [code, statuses] of Object.entries(errors) as [ErrorCode, readonly number[]][]) {
    for (const status of statuses) byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const described = [...byStatus].map(([status, codes]) => {
    const examples = codes.map((code) => [code, { value: errorShape.example(code, reasonOf(code), status) }])
    const answer = {
      description: `${STATUS_CODES[status]}: ${codes.map((code) => `\`${code}\``).join(', ')}.`,
      headers: describeHeaders({ ...ERROR_HEADERS[status], ...errorShape.headers?.(status), ...EVERY_ANSWER }),
      content: {
        'application/json': {
          schema: schemas.of(errorShape.schema(codes, status), 'output'),
          examples: Object.fromEntries(examples),
        },
      },
    }
    return [status, answer]
  })
  return Object.fromEntries(described)
}

const RETRY_AFTER: HeaderText = ['Seconds to wait, where that is known.', 2]
const ERROR_HEADERS: Readonly<Record<number, Readonly<Record<string, HeaderText>>>> = {
  401: { 'WWW-Authenticate': ['How to say who you are.', 'Bearer'] },
  409: { 'Retry-After': RETRY_AFTER },
  429: { 'Retry-After': RETRY_AFTER },
  503: { 'Retry-After': RETRY_AFTER },
}

function reasonOf(code: ErrorCode): string {
  const tables: Readonly<Record<string, ErrorRow>> = { ...STT_ERRORS, ...TTS_ERRORS }
  return tables[code]?.when ?? code
}
