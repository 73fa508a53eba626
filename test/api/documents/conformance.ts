import { expect } from 'vitest'
import type { z } from 'zod'
import { CONTRACT_ERRORS } from '../../../src/api/documents/envelopes.ts'
import type { EventStream, Operation } from '../../../src/api/documents/operation.ts'
import type { ErrorCode } from '../../../src/api/error-codes.ts'
import type { FakeExchange, FakeResponse } from '../fake-exchange.ts'

/** Headers that say nothing of one endpoint. */
const STANDING = ['Content-Type', 'Content-Length', 'Cache-Control', 'X-Accel-Buffering', 'X-Request-Id', 'Allow']
/** Headers that some errors bring, by status. */
const WITH_ERRORS = ['WWW-Authenticate', 'Retry-After', 'Content-Range']

/** Fails unless the answer is one that the documents describe, to the last field. */
export function expectDescribed(operation: Operation, { response, sink, request }: FakeExchange): void {
  if (response === undefined) return
  const what = `${request.method} ${request.path} ${response.status}`
  if (sink !== undefined) {
    if (operation.events !== undefined && isEventStream(response)) expectEvents(what, operation.events, sink)
    expect(answersOf(operation, response.status), what).toBeDefined()
    return
  }
  if (response.status >= 400) expectError(what, operation, response)
  else expectAnswer(what, operation, response, request.method)
}

function expectAnswer(what: string, operation: Operation, response: FakeResponse, method: string): void {
  const answer = answersOf(operation, response.status)
  expect(answer, `${what} is described`).toBeDefined()
  const described = Object.keys(answer?.headers ?? {})
  const headers = Object.keys(response.headers).filter((name) => !STANDING.includes(name))
  expect(
    headers.filter((name) => !described.includes(name)),
    `${what}: headers`,
  ).toEqual([])
  if (answer?.content === undefined) {
    expect(response.bytes.length, what).toBe(0)
    return
  }
  const mediaType = response.headers['Content-Type']?.split(';')[0] ?? ''
  expect(Object.keys(answer.content), `${what}: Content-Type`).toContain(mediaType)
  const schema = answer.content[mediaType]?.schema
  if (schema !== undefined && method !== 'HEAD') expectExactly(what, schema, response.json)
}

/** Fails unless the schema takes the value and knows each of its fields. */
export function expectExactly(what: string, schema: z.ZodType, value: unknown): void {
  const parsed = schema.safeParse(value)
  expect(parsed.error?.issues ?? [], `${what}: ${JSON.stringify(value)}`).toEqual([])
  expect(value, `${what}: fields that no schema has`).toEqual(parsed.data)
}

/** Fails unless every message of a stream is described. */
export function expectMessages(what: string, { sends }: EventStream, messages: readonly unknown[]): void {
  for (const message of messages) {
    const name = message instanceof Object && 'type' in message ? String(message.type) : ''
    const { payload } = sends.find((known) => known.name === name) ?? {}
    expect(payload, `${what}: ${name}`).toBeDefined()
    if (payload !== undefined) expectExactly(`${what}: ${name}`, payload, message)
  }
}

function expectEvents(what: string, events: EventStream, sink: NonNullable<FakeExchange['sink']>): void {
  if (sink.text.startsWith('{')) {
    expectMessages(what, events, sink.lines)
    return
  }
  for (const event of sink.events) {
    if ('comment' in event) continue
    const { payload } = events.sends.find(({ name }) => name === event.event) ?? {}
    expect(payload, `${what}: ${event.event}`).toBeDefined()
    if (payload !== undefined) expectExactly(`${what}: ${event.event}`, payload, event.data)
  }
}

function expectError(what: string, operation: Operation, response: FakeResponse): void {
  const { errors, errorShape = CONTRACT_ERRORS } = operation
  const body = response.json
  const codes = (Object.keys(errors) as ErrorCode[]).filter((code) => errors[code]?.includes(response.status))
  expect(codes, `${what}: ${body.error.code}`).toContain(body.error.code)
  expectExactly(what, errorShape.schema(codes, response.status), body)
  const known = [...STANDING, ...WITH_ERRORS, ...Object.keys(errorShape.headers?.(response.status) ?? {})]
  const headers = Object.keys(response.headers).filter((name) => !known.includes(name))
  expect(headers, `${what}: headers`).toEqual([])
}

function answersOf({ answers }: Operation, status: number) {
  return answers.find((answer) => answer.status === status)
}

function isEventStream({ headers }: FakeResponse): boolean {
  return /event-stream|ndjson/.test(headers['Content-Type'] ?? '')
}
