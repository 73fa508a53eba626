import { SOCKET_START_WAIT_MS, STT_AHEAD_SECONDS_MAX, STT_IDLE_MS_MAX, STT_SECONDS_MAX } from '../limits.ts'
import type { Refusal } from './admission.ts'
import type { ErrorCode } from './error-codes.ts'
import type { ApiError } from './errors.ts'
import type { MicrophoneRefusal } from './microphone.ts'
import { sttRefusal } from './stt-errors.ts'

/** The last word of a microphone's session that did not end itself, and its close code (D29). */
export interface Ending {
  readonly code: ErrorCode
  readonly message: string
  readonly closeCode: number
}

/** No `start` came. */
export const NOT_STARTED: Ending = {
  code: 'BAD_REQUEST',
  message: `start must come within ${SOCKET_START_WAIT_MS / 1000} seconds`,
  closeCode: 4400,
}

/** The node's time to drain is over. */
export const STOPPED: Ending = { code: 'STT_UNAVAILABLE', message: 'the node is shutting down', closeCode: 1012 }

/** Of sessions that keep to the protocol. */
export const LIMITS: Readonly<Record<MicrophoneRefusal | 'idle' | 'unread', Ending>> = {
  too_long: limited(`a session may last at most ${STT_SECONDS_MAX} seconds of audio`),
  too_far_ahead: limited(`audio must be at most ${STT_AHEAD_SECONDS_MAX} seconds ahead of its transcript`),
  too_many_messages: limited('messages come faster than they can be handled'),
  idle: limited(`audio must come at least every ${STT_IDLE_MS_MAX / 1000} seconds`),
  unread: limited('the client must read what it is told'),
}

function limited(message: string): Ending {
  return { code: 'BAD_REQUEST', message, closeCode: 1008 }
}

/** Where there is no place. */
export function endingWithoutPlace(place: Refusal): Ending {
  const { code, message } = sttRefusal(place)
  return { code, message, closeCode: place.reason === 'stopping' ? 1012 : 1013 }
}

export function endingAfter({ code, message }: ApiError): Ending {
  return { code, message, closeCode: CLOSE_CODES[code] ?? 1011 }
}

/** Where an error's close code follows from its code alone. All others: 1011. */
const CLOSE_CODES: Readonly<Partial<Record<ErrorCode, number>>> = {
  BAD_REQUEST: 4400,
  INVALID_API_KEY: 4401,
  unauthorized: 4401,
  FORBIDDEN: 4401,
  KEY_CREDIT_EXCEEDED: 1008,
  QUOTA_EXCEEDED: 1008,
}
