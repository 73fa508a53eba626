import type { ErrorStatuses } from './operation.ts'

/** What any request may be answered with, whatever it asks for. */
export const ANY_REQUEST: ErrorStatuses = { BAD_REQUEST: [400], BACKEND_ERROR: [503], INTERNAL_ERROR: [500] }

/** What any request with a key may be answered with. */
export const WITH_KEY: ErrorStatuses = { ...ANY_REQUEST, INVALID_API_KEY: [401, 403] }

/** Of paying for speech. */
export const PAYING: ErrorStatuses = { KEY_CREDIT_EXCEEDED: [403], QUOTA_EXCEEDED: [403], NOT_FOUND: [404] }

/** Of choosing a voice. */
export const CHOOSING: ErrorStatuses = {
  PERMISSION_DENIED: [403],
  VOICE_ID_REQUIRED: [400],
  VOICE_NOT_ALLOWED: [403],
  VOICE_NOT_FOUND: [404],
  VOICE_FEATURE_UNAVAILABLE: [503],
}

/** Of a request that brings its text along. */
export const SPEAKING: ErrorStatuses = {
  ...WITH_KEY,
  ...CHOOSING,
  ...PAYING,
  TEXT_TOO_LONG: [400],
  INVALID_LANGUAGE: [400],
  INVALID_FORMAT: [400],
}
