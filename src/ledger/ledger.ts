/** The durable truth about accounts, keys and money, as the rest of the node sees it. `LmdbLedger` implements it. */

export type KeyKind = 'admin' | 'voice' | 'stt'
export type Meter = 'tts' | 'stt'
export type ResetInterval = 'day' | 'week' | 'month' | 'year'
export type Scope = 'tts.generate' | 'tts.stream' | 'usage.read' | 'stt.transcribe' | 'stt.stream'

/** An allowance in characters that renews by calendar. Times are milliseconds since the epoch, UTC. */
export interface Quota {
  /** null: unlimited. */
  readonly limit: number | null
  readonly used: number
  readonly resetDate: number
  readonly resetInterval: ResetInterval
  readonly resetIntervalCount: number
}

export interface Account {
  readonly id: string
  readonly name: string
  readonly createdAt: number
  readonly disabled: boolean
  readonly tts: Quota
  readonly stt: Quota
}

export interface Permissions {
  readonly endpoints: { readonly tts: boolean; readonly stt: boolean }
  readonly audioUpload: boolean
  readonly keyManagement: boolean
  readonly voiceScope: 'all' | 'mine' | 'custom'
  readonly voiceIds: readonly string[]
}

/** A key without its secret: only a hash of the plaintext is stored, and never leaves the ledger. */
export interface ApiKey {
  readonly id: string
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  readonly prefix: string
  readonly lastFour: string
  readonly scopes: readonly Scope[]
  /** As stored; a key past `expiresAt` is expired whatever this says. */
  readonly status: 'active' | 'revoked' | 'inactive'
  /** The voice a voice key is bound to; null for other kinds. */
  readonly voiceId: string | null
  /** Admin keys only; null for other kinds. */
  readonly permissions: Permissions | null
  readonly createdAt: number
  readonly lastUsedAt: number | null
  readonly expiresAt: number | null
  readonly creditLimit: number | null
  readonly creditUsed: number
}

/**
 * One debit. `id` is the request's (or segment's) id: charging the same id again changes nothing. Hence it must be made by
 * the node, never taken from a client; 1 to 200 printable ASCII characters.
 */
export interface Charge {
  readonly id: string
  readonly keyId: string
  readonly meter: Meter
  readonly characters: number
}

export type ChargeOutcome =
  | { readonly status: 'charged' }
  | { readonly status: 'key_credit_exceeded' }
  | { readonly status: 'quota_exceeded' }
  /** The key or its account is gone, or has been revoked or disabled since. */
  | { readonly status: 'not_found' }

/** What became of a debit that takes what there is. */
export type CutChargeOutcome =
  | {
      readonly status: 'charged'
      /** What was debited: all that was asked for, or what remained. May be 0. */
      readonly characters: number
      /** Why it was cut; undefined when it was not. */
      readonly short: 'key_credit_exceeded' | 'quota_exceeded' | undefined
    }
  | { readonly status: 'not_found' }

export interface StreamToken {
  readonly requestId: string
  readonly keyId: string
  readonly accountId: string
  readonly voiceId: string
  readonly textLengthMax: number
  readonly expiresAt: number
}

/** What an `Idempotency-Key` stands for, decided in one transaction. */
export type IdempotencyOutcome =
  /** First use, or the run before it died: go on with `requestId` (whose debit, if any, already counts). */
  | { readonly status: 'begin'; readonly requestId: string }
  | { readonly status: 'running' }
  | { readonly status: 'other_body' }
  | { readonly status: 'answered'; readonly requestId: string; readonly answer: string }

/** One line of the generation history. Never holds text or audio. */
export interface Generation {
  readonly id: string
  readonly keyId: string
  readonly accountId: string
  readonly voiceId: string
  readonly way: 'generate' | 'bytes' | 'sse' | 'websocket' | 'openai'
  readonly characters: number
  readonly createdAt: number
  readonly outcome: 'completed' | 'failed' | 'cancelled'
  /** Whole milliseconds. */
  readonly durationMs: number
}

/** A voice that an account had made from a recording. */
export interface EnrolledVoice {
  /** `voice_` and 20 base32 characters. */
  readonly id: string
  readonly accountId: string
  readonly name: string
  readonly gender: 'male' | 'female' | 'other'
  readonly description: string
  /** As the client called the recording. */
  readonly fileName: string
  /** Bytes of the recording as it was uploaded. */
  readonly fileSize: number
  /** Of the uploaded bytes, in hex. */
  readonly sha256: string
  readonly createdAt: number
}

/** That a speaker agreed, as the account said when it sent the recording. Outlives the voice, and holds neither name nor audio. */
export interface Consent {
  readonly voiceId: string
  readonly accountId: string
  /** The key that brought it. */
  readonly keyId: string
  /** Of the bytes it was given for, in hex. */
  readonly sha256: string
  readonly at: number
  /** When the voice was deleted; null: it exists. */
  readonly voiceDeletedAt: number | null
}

/** A new key, and its text, which is handed out here and nowhere else. */
export interface NewKey {
  readonly key: ApiKey
  readonly plaintext: string
}

export type EnrollmentOutcome =
  | { readonly status: 'created'; readonly voice: EnrolledVoice; readonly newKey: NewKey }
  /** The account has a voice of the same bytes. `newKey` is set where that voice had no usable key. */
  | { readonly status: 'known'; readonly voice: EnrolledVoice; readonly newKey: NewKey | undefined }
  | { readonly status: 'limit_reached' }
  /** The key or its account has been revoked, removed or disabled since. */
  | { readonly status: 'not_allowed' }

export interface Ledger {
  /** Looks a plaintext key up by its hash; constant-time comparison. Unknown or malformed: undefined. */
  findKey(plaintext: string): ApiKey | undefined
  key(keyId: string): ApiKey | undefined
  /** With the quotas renewed if their date has passed. */
  account(accountId: string): Account | undefined
  keysOf(accountId: string): ApiKey[]
  /** Debits quota and ceiling in one transaction, whole or not at all. Resolves when the debit is on disk. */
  charge(charge: Charge): Promise<ChargeOutcome>
  /** Debits as much of the charge as quota and ceiling allow (D16). Resolves when the debit is on disk. */
  chargeUpTo(charge: Charge): Promise<CutChargeOutcome>
  /** Debits and issues a single-use token in the same transaction; the plaintext is returned only here. */
  issueToken(
    charge: Charge,
    voiceId: string,
  ): Promise<{ readonly status: 'issued'; readonly token: string } | Exclude<ChargeOutcome, { status: 'charged' }>>
  /** Reads a token without spending it: undefined when unknown, spent or expired. */
  peekToken(token: string): StreamToken | undefined
  /** Spends a token: exactly one caller ever gets it. Durable before it resolves. */
  spendToken(token: string): Promise<StreamToken | undefined>
  beginIdempotent(
    keyId: string,
    idempotencyKey: string,
    bodyHash: string,
    requestId: string,
  ): Promise<IdempotencyOutcome>
  finishIdempotent(keyId: string, idempotencyKey: string, answer: string): Promise<void>
  /** The run failed or was given up: the next repeat runs again under the same request id, without a second debit. */
  releaseIdempotent(keyId: string, idempotencyKey: string): Promise<void>
  recordGeneration(generation: Generation): Promise<void>
  voice(voiceId: string): EnrolledVoice | undefined
  /** The voice an account has made of these bytes. */
  voiceOfContent(accountId: string, sha256: string): EnrolledVoice | undefined
  /** Oldest first. */
  voicesOf(accountId: string): EnrolledVoice[]
  /** Counts an enrollment against the account's rate; `too_fast` counts nothing. */
  beginEnrollment(
    accountId: string,
  ): Promise<{ readonly status: 'begun' } | { readonly status: 'too_fast'; readonly retryAfterMs: number }>
  /**
   * What an upload comes to that needs no new voice: the one the account has of the same bytes, or none because it has all it may
   * have. undefined: a new voice may be made.
   */
  findEnrolled(
    accountId: string,
    sha256: string,
  ): Promise<Exclude<EnrollmentOutcome, { readonly status: 'created' }> | undefined>
  /**
   * The voice, its key and the consent, in one transaction; decides again what `findEnrolled` does, because others may have enrolled
   * meanwhile. `keyId`: who asks.
   */
  enrollVoice(voice: Omit<EnrolledVoice, 'createdAt'>, keyId: string): Promise<EnrollmentOutcome>
  /** Removes the voice and every key bound to it; its consent and history stay. undefined: the account has no such voice. */
  deleteVoice(voiceId: string, accountId: string): Promise<EnrolledVoice | undefined>
  /** Resolves when everything written so far is on disk and the store is closed. */
  close(): Promise<void>
}
