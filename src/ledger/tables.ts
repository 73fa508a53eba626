import type {
  Account,
  ApiKey,
  Consent,
  EnrolledVoice,
  Generation,
  Meter,
  Permissions,
  Scope,
  StreamToken,
} from './ledger.ts'
import type { StoredQuota } from './quota.ts'
import {
  bytes,
  count,
  type Field,
  flag,
  type Layout,
  listOf,
  nullable,
  oneOf,
  type RecordCodec,
  recordCodec,
  shape,
  text,
  time,
} from './records.ts'

/** A named map of the store. Keys are text and iterate in their order; every key here is ASCII. */
export interface Table<T> {
  readonly name: string
  readonly codec: RecordCodec<T>
}

/** Part of a table, by its keys. */
export interface Range {
  /** First key, itself included. */
  readonly from?: string
  /** First key that no longer belongs. */
  readonly before?: string
  readonly limit?: number
}

export interface StoredAccount extends Account {
  readonly tts: StoredQuota
  readonly stt: StoredQuota
}

/** The hash of a whole key and whose it is. The plaintext is stored nowhere. */
export interface KeyHash {
  readonly keyId: string
  readonly sha256: Uint8Array
}

/** One debit as it is kept for ever. */
export interface Posting {
  /** The request or segment that was charged. */
  readonly id: string
  readonly keyId: string
  readonly accountId: string
  readonly meter: Meter
  readonly characters: number
  readonly createdAt: number
  /** Period of the account's quota it counts against. */
  readonly period: number
}

/**
 * A repeatable request. `running` belongs to the process `instance`; when that is not the present one, the run died with it.
 * `given_up` runs again at the next repeat. Both keep the request id, so that the debit is never repeated.
 */
export interface IdempotencyEntry {
  readonly requestId: string
  readonly bodyHash: string
  readonly state: 'running' | 'given_up' | 'answered'
  readonly instance: string
  readonly answer: string
  readonly expiresAt: number
}

/** Something that is worthless after a date. Keys are `<time>/<subject>`, so the oldest come first. */
export interface Expiry {
  readonly kind: 'token' | 'idempotency'
  readonly key: string
}

const meter: Field<Meter> = oneOf('tts', 'stt')
const scope: Field<Scope> = oneOf('tts.generate', 'tts.stream', 'usage.read', 'stt.transcribe', 'stt.stream')
const quota = shape<StoredQuota>({
  limit: nullable(count),
  used: count,
  resetDate: time,
  resetInterval: oneOf('day', 'week', 'month', 'year'),
  resetIntervalCount: count,
  anchor: time,
  period: count,
})
const permissions = shape<Permissions>({
  endpoints: shape({ tts: flag, stt: flag }),
  audioUpload: flag,
  keyManagement: flag,
  voiceScope: oneOf('all', 'mine', 'custom'),
  voiceIds: listOf(text),
})

/** Account id → account. */
export const accounts = table<StoredAccount>('accounts', 1, {
  id: text,
  name: text,
  createdAt: time,
  disabled: flag,
  tts: quota,
  stt: quota,
})

/** Key id → key. */
export const keys = table<ApiKey>('keys', 1, {
  id: text,
  accountId: text,
  kind: oneOf('admin', 'voice', 'stt'),
  name: text,
  prefix: text,
  lastFour: text,
  scopes: listOf(scope),
  status: oneOf('active', 'revoked', 'inactive'),
  voiceId: nullable(text),
  permissions: nullable(permissions),
  createdAt: time,
  lastUsedAt: nullable(time),
  expiresAt: nullable(time),
  creditLimit: nullable(count),
  creditUsed: count,
})

/** SHA-256 of a plaintext key, in hex → whose it is. */
export const keyHashes = table<KeyHash>('key-hashes', 1, { keyId: text, sha256: bytes })

/** Key id → SHA-256 of its plaintext, in hex: where to find its entry when the key is removed. */
export const keySecrets = table<{ readonly hash: string }>('key-secrets', 1, { hash: text })

/** `<account id>/<creation time>/<key id>` → key id. */
export const accountKeys = table<{ readonly keyId: string }>('account-keys', 1, { keyId: text })

/** `<time>/<charge id>`, see `postingKey` → posting. Appended to, never changed. */
export const postings = table<Posting>('postings', 1, {
  id: text,
  keyId: text,
  accountId: text,
  meter,
  characters: count,
  createdAt: time,
  period: count,
})

/** Charge id → when it was posted: what makes a repeated charge a no-op. */
export const charges = table<{ readonly createdAt: number }>('charges', 1, { createdAt: time })

/** SHA-256 of a stream token, in hex → token. */
export const tokens = table<StreamToken>('tokens', 1, {
  requestId: text,
  keyId: text,
  accountId: text,
  voiceId: text,
  textLengthMax: count,
  expiresAt: time,
})

/** SHA-256 of key id and idempotency key, in hex → entry. */
export const idempotency = table<IdempotencyEntry>('idempotency', 1, {
  requestId: text,
  bodyHash: text,
  state: oneOf('running', 'given_up', 'answered'),
  instance: text,
  answer: text,
  expiresAt: time,
})

/** `<time>/<key>` → what expires then. */
export const expiries = table<Expiry>('expiries', 1, { kind: oneOf('token', 'idempotency'), key: text })

/** `<account id>/<time>/<request id>` → generation. */
export const generations = table<Generation>('generations', 1, {
  id: text,
  keyId: text,
  accountId: text,
  voiceId: text,
  way: oneOf('generate', 'bytes', 'sse', 'websocket', 'openai'),
  characters: count,
  createdAt: time,
  outcome: oneOf('completed', 'failed', 'cancelled'),
  durationMs: count,
})

/** Voice id → voice. */
export const voices = table<EnrolledVoice>('voices', 1, {
  id: text,
  accountId: text,
  name: text,
  gender: oneOf('male', 'female', 'other'),
  description: text,
  fileName: text,
  fileSize: count,
  sha256: text,
  createdAt: time,
})

/** `<account id>/<creation time>/<voice id>` → voice id. */
export const accountVoices = table<{ readonly voiceId: string }>('account-voices', 1, { voiceId: text })

/** `<account id>/<SHA-256 of the recording, in hex>` → voice id. */
export const voiceHashes = table<{ readonly voiceId: string }>('voice-hashes', 1, { voiceId: text })

/** `<account id>/<time>/<voice id>` → consent. */
export const consents = table<Consent>('consents', 1, {
  voiceId: text,
  accountId: text,
  keyId: text,
  sha256: text,
  at: time,
  voiceDeletedAt: nullable(time),
})

/** Account id → when its latest enrollments began, oldest first. */
export const enrollments = table<{ readonly times: readonly number[] }>('enrollments', 1, { times: listOf(time) })

/** Name → random bytes that only this node knows. */
export const secrets = table<{ readonly secret: Uint8Array }>('secrets', 1, { secret: bytes })

export const TABLES: readonly Table<unknown>[] = [
  accounts,
  keys,
  keyHashes,
  keySecrets,
  accountKeys,
  postings,
  charges,
  tokens,
  idempotency,
  expiries,
  generations,
  voices,
  accountVoices,
  voiceHashes,
  consents,
  enrollments,
  secrets,
]

/** A time as key text of fixed width, so that text order is time order. */
export function timeKey(milliseconds: number): string {
  return String(Math.max(0, milliseconds)).padStart(16, '0')
}

export function postingKey({ id, createdAt }: { readonly id: string; readonly createdAt: number }): string {
  return `${timeKey(createdAt)}/${id}`
}

/** Every key that begins with `<parent>/`: the slash is followed by 0 in the order of characters. */
export function childrenOf(parent: string): Range {
  return { from: `${parent}/`, before: `${parent}0` }
}

function table<T extends object>(name: string, version: number, layout: Layout<T>): Table<T> {
  return { name, codec: recordCodec(name, version, layout) }
}
