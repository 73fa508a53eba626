/**
 * Every limit of the contract as a named constant with its unit, and the node's own bounds below them. Imported by all,
 * imports nothing. "Characters" are UTF-16 units, as `text.length` counts them.
 */

// The contract's table of limits.
export const TEXT_LENGTH_MAX = 5_000
export const TOKEN_TEXT_LENGTH_MAX = 10_000
export const STREAM_TOKEN_LIFETIME_MS = 60_000
export const DURATION_SECONDS_MIN = 0.5
export const DURATION_SECONDS_MAX = 30
export const SPEED_MIN = 0.5
export const SPEED_MAX = 1.5
export const CFG_VALUE_MIN = 0
export const CFG_VALUE_MAX = 4
export const DIT_STEPS_MAX = 64
export const ENROLLMENT_FILE_BYTES_MAX = 10 * 1024 * 1024
export const VOICE_NAME_LENGTH_MAX = 64
export const VOICES_PER_ACCOUNT_MAX = 20
export const ENROLLMENTS_PER_MINUTE_MAX = 6
export const VOICE_IDS_MAX = 200
export const STT_UPLOAD_BYTES_MAX = 100 * 1024 * 1024
export const STT_SECONDS_MIN = 0.2
export const STT_SECONDS_MAX = 1_800
export const FRAME_MS = 200

// Decisions: prices, lifetimes, waits.
export const CHARACTERS_PER_SECOND = 15
export const IDEMPOTENCY_KEY_LENGTH_MAX = 255
export const IDEMPOTENCY_LIFETIME_MS = 24 * 60 * 60 * 1000
export const AUDIO_URL_LIFETIME_MS = 24 * 60 * 60 * 1000
export const SOCKET_START_WAIT_MS = 10_000
/** Audio that a live session may send before it is listened to, in seconds. */
export const STT_AHEAD_SECONDS_MAX = 30
export const STT_SAMPLE_RATE_MIN = 8_000
export const STT_SAMPLE_RATE_MAX = 48_000
export const SSE_KEEP_ALIVE_MS = 15_000
export const UNLIMITED = Number.MAX_SAFE_INTEGER

// The node's own bounds.
/** JSON body of a request, in bytes. */
export const BODY_BYTES_MAX = 64 * 1024
/** Bytes the node keeps in memory for one slow reader before it stops producing for it. */
export const STREAM_BUFFER_BYTES_MAX = 256 * 1024
/** Largest message a TTS socket accepts: 10,000 characters of four escaped bytes each and the other fields. */
export const SOCKET_MESSAGE_BYTES_MAX = 128 * 1024
/** Requests being answered and sockets open at once; one more is refused with 503, or closed with 1013. */
export const CONNECTIONS_MAX = 2_048
/** Bytes of request bodies held in memory over all requests. One body more and it is refused with 503. */
export const UPLOAD_BYTES_MAX = 64 * 1024 * 1024
/** Bytes of a body taken off the network before the endpoint has asked for it; past this the client is paused. */
export const UNCLAIMED_BODY_BYTES_MAX = 64 * 1024
/** A reader that takes nothing for this long is cut off. A player at the pace of speech pauses for tens of seconds. */
export const READER_STALL_MS_MAX = 120_000
/** Bytes a socket's peer may leave unread: four times what a producer that honours `bufferedBytes` ever reaches. */
export const SOCKET_BUFFER_BYTES_MAX = 4 * STREAM_BUFFER_BYTES_MAX
/** A peer that answers no ping for this long is gone. */
export const SOCKET_IDLE_SECONDS_MAX = 120
/** Messages kept for a session that is not listening yet. */
export const SOCKET_EARLY_MESSAGES_MAX = 16

/** Free text stored with a voice, in characters. */
export const VOICE_DESCRIPTION_LENGTH_MAX = 2_000
/** A voice is learnt from at least and at most this much of its recording; what follows is not listened to. */
export const REFERENCE_SECONDS_MIN = 1
export const REFERENCE_SECONDS_MAX = 60
/** Voices whose making is kept in memory until it goes on; of those that come on top the recording is read again. */
export const ENROLLMENTS_KEPT_MAX = 16
/** What an engine may keep of a voice. */
export const VOICE_FEATURES_BYTES_MAX = 64 * 1024

/** Audio a file may have beyond its limits in either direction: encoders pad, and the contract says "about". */
export const STT_SECONDS_TOLERANCE = 0.05
/** Time one file may take to decode: half an hour of it takes some seconds, on a busy machine a minute or two. */
export const DECODE_MS_MAX = 300_000
/** Bytes of uploads and of decoded audio on disk at once, over all requests. */
export const SPOOL_BYTES_MAX = 4 * 1024 * 1024 * 1024
/** Largest frame of audio a live session accepts: ten seconds at 48 kHz. */
export const STT_FRAME_BYTES_MAX = 1024 * 1024
/** Messages of a live session that wait to be handled: thirty seconds in frames of 8 ms. */
export const STT_MESSAGES_MAX = 4_096
/** A live session in automatic mode to which nothing comes for this long is silent: a muted microphone sends nothing at all. */
export const STT_LULL_MS = 1_000
/** A live session to which nothing comes for this long is ended: it holds a place that another could use. */
export const STT_IDLE_MS_MAX = 120_000
/** Bytes of unread events at which a live session leaves out partials. */
export const STT_PARTIAL_BUFFER_BYTES_MAX = 16 * 1024
/** Free bytes of the disk without which no file is paid for: 5,000 characters spoken slowly are 30 MB of WAV. */
export const AUDIO_DISK_BYTES_MIN = 64 * 1024 * 1024
