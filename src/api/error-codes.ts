/** One row of a table of codes: the statuses it may be sent with, the usual one first. No status: only inside streams. */
export interface ErrorRow {
  readonly statuses: readonly number[]
  /** Statuses the decisions add to the contract's. */
  readonly added?: readonly number[]
  readonly when: string
}

/** The contract's table "TTS, voice and key codes", row for row. */
export const TTS_ERRORS = {
  INVALID_API_KEY: { statuses: [401, 403], when: 'the key is missing, unknown, expired or not meant for this' },
  PERMISSION_DENIED: { statuses: [403], when: 'the account key has the switch for this turned off' },
  VOICE_ID_REQUIRED: { statuses: [400], when: 'an account key spoke without naming a voice' },
  VOICE_NOT_ALLOWED: { statuses: [403], when: 'the voice does not exist or is out of the key’s reach' },
  ACCOUNT_DISABLED: { statuses: [403], when: 'the account behind the enrollment key is disabled' },
  VOICE_NOT_FOUND: { statuses: [404], when: 'the voice a voice key is bound to is gone' },
  VALIDATION_FAILED: { statuses: [400], when: 'an enrollment field is invalid' },
  VOICE_LIMIT_REACHED: { statuses: [403], when: 'the account has all the voices it may have' },
  RATE_LIMITED: { statuses: [429], when: 'enrollments arrive too fast' },
  ENROLLMENT_FAILED: { statuses: [503], when: 'the enrollment could not be completed' },
  // 405: wrong method (D3). 409: the first request with this Idempotency-Key still runs (D17). 416: Range past the end.
  BAD_REQUEST: { statuses: [400], added: [405, 409, 416], when: 'a part of the request is missing or invalid' },
  TEXT_TOO_LONG: { statuses: [400], when: 'the text is longer than allowed' },
  INVALID_LANGUAGE: { statuses: [400], when: 'the language is neither auto nor in the catalog' },
  INVALID_FORMAT: { statuses: [400], when: 'the format is neither wav nor mp3' },
  KEY_CREDIT_EXCEEDED: { statuses: [403], when: 'the key would pass its lifetime ceiling' },
  QUOTA_EXCEEDED: { statuses: [403], when: 'the account would pass its allowance' },
  VOICE_FEATURE_UNAVAILABLE: { statuses: [503], when: 'the features of an enrolled voice could not be loaded' },
  // "4xx or 5xx" in the contract: 500 the engine failed, 503 no capacity (D6), 422 not a language of this engine (D7).
  BACKEND_ERROR: { statuses: [500, 503, 422], when: 'the engine refused or failed' },
  NOT_FOUND: { statuses: [404], when: 'the path, the file or the allowance record does not exist' },
  INTERNAL_ERROR: { statuses: [500], when: 'a fault of the node' },
  GENERATION_FAILED: { statuses: [], when: 'the engine failed after the stream began' },
} as const satisfies Record<string, ErrorRow>

/** The contract's table "STT codes", row for row. Lower case: the recogniser has seen the audio (D5). */
export const STT_ERRORS = {
  BAD_REQUEST: { statuses: [400], when: 'the upload, the audio, the language or the duration is invalid' },
  bad_request: { statuses: [400], when: 'the audio is out of range or cannot be decoded' },
  INVALID_API_KEY: { statuses: [401, 403], when: 'the key is missing, unknown, revoked, expired or lacks the scope' },
  unauthorized: { statuses: [401], when: 'the recogniser does not know the caller' },
  FORBIDDEN: { statuses: [403], when: 'the recogniser does not serve the caller' },
  KEY_CREDIT_EXCEEDED: { statuses: [403], when: 'the key has reached its lifetime ceiling' },
  QUOTA_EXCEEDED: { statuses: [403], when: 'the account has no allowance left to start' },
  FILE_TOO_LARGE: { statuses: [413], when: 'the upload is over 100 MiB' },
  unsupported_audio_format: { statuses: [415], when: 'the container or encoding is not supported' },
  stt_upstream_error: { statuses: [502], when: 'the recogniser failed' },
  SERVICE_NOT_CONFIGURED: { statuses: [503], when: 'no recogniser is set up' },
  STT_UNAVAILABLE: { statuses: [503], when: 'no capacity to start now' },
  model_not_ready: { statuses: [503], when: 'the model for this language is not loaded' },
  INTERNAL_ERROR: { statuses: [500], when: 'a fault of the node' },
  internal_error: { statuses: [500], when: 'a fault of the recogniser' },
} as const satisfies Record<string, ErrorRow>

export type ErrorCode = keyof typeof TTS_ERRORS | keyof typeof STT_ERRORS

/** The contract: retry only these, with exponential backoff. */
export function isRetryable(status: number): boolean {
  return status === 500 || status === 502 || status === 503
}

/** With which statuses a code is sent, the usual one first. */
export function statusesOf(code: ErrorCode): readonly number[] {
  const tables: Readonly<Record<string, ErrorRow>>[] = [TTS_ERRORS, STT_ERRORS]
  return tables.flatMap((table) => {
    const row = table[code]
    return row === undefined ? [] : [...row.statuses, ...(row.added ?? [])]
  })
}
