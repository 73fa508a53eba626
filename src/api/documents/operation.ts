import type { z } from 'zod'
import type { KeyKind } from '../../ledger/ledger.ts'
import type { ErrorCode } from '../error-codes.ts'

/*
 * What the documents say of an endpoint. Each endpoint carries its description beside its path and its handler, and the
 * documents are put together from the endpoints that a node has: one can't be in them without the other.
 */

/** A REST endpoint in the OpenAPI document. */
export interface Operation {
  /** What generated clients call it. */
  readonly id: string
  readonly tag: Tag
  readonly summary: string
  readonly description: string
  /** Kinds of key it takes; none: it asks for no key. */
  readonly keys: readonly KeyKind[]
  readonly path?: z.ZodObject
  readonly query?: z.ZodObject
  readonly headers?: z.ZodObject
  readonly body?: RequestBody
  readonly answers: readonly Answer[]
  /** Every code it answers with, and the statuses it does so with. */
  readonly errors: ErrorStatuses
  /** Shape of its errors; the contract's envelope unless said otherwise. */
  readonly errorShape?: ErrorShape
  /** Of an answer that is a stream of events: its channel in the AsyncAPI document. */
  readonly events?: EventStream
}

export const TAGS = {
  voices: 'Enrolling voices and deleting them',
  speech: 'Text to speech',
  transcripts: 'Speech to text',
  keys: 'Keys and what is left of their allowance',
  node: 'For whoever runs the node',
  openai: 'The same for clients written for OpenAI',
} as const
export type Tag = keyof typeof TAGS

export interface RequestBody {
  readonly mediaType: 'application/json' | 'multipart/form-data'
  readonly schema: z.ZodType
  readonly example: object
}

export interface Answer {
  readonly status: number
  readonly description: string
  readonly headers?: Readonly<Record<string, HeaderText>>
  /** By media type. None: no body. */
  readonly content?: Readonly<Record<string, Content>>
}

/** Description of a header, and an example of its value. */
export type HeaderText = readonly [description: string, example: string | number]

/** JSON is described by its schema, everything else by its media type. */
export interface Content {
  readonly schema?: z.ZodType
  readonly example?: object | string
}

export type ErrorStatuses = Partial<Readonly<Record<ErrorCode, readonly number[]>>>

export interface ErrorShape {
  /** Schema of an answer with one of these codes. */
  schema(codes: readonly ErrorCode[], status: number): z.ZodType
  /** What such an answer looks like. */
  example(code: ErrorCode, message: string, status: number): object
  /** Headers of its answers with this status, beside those that every endpoint's have. */
  headers?(status: number): Readonly<Record<string, HeaderText>>
}

/** The events in which a request is answered. */
export interface EventStream {
  readonly id: string
  readonly title: string
  readonly description: string
  readonly sends: readonly Message[]
}

/** A WebSocket in the AsyncAPI document. */
export interface Channel extends EventStream {
  readonly query: z.ZodObject
  /** What clients send. */
  readonly receives: readonly Message[]
}

/** One kind of message of a stream. */
export interface Message {
  /** Of the event; for bytes, what they hold. */
  readonly name: string
  readonly summary: string
  /** Undefined: bytes. */
  readonly payload?: z.ZodType
  readonly example?: object
}
