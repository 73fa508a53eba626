import {
  CONNECTIONS_MAX,
  READER_STALL_MS_MAX,
  SOCKET_BUFFER_BYTES_MAX,
  SOCKET_EARLY_MESSAGES_MAX,
  SOCKET_IDLE_SECONDS_MAX,
  SOCKET_MESSAGE_BYTES_MAX,
  UNCLAIMED_BODY_BYTES_MAX,
  UPLOAD_BYTES_MAX,
} from '../limits.ts'

/** The edge's own bounds, as one value so that a test can reach them with a handful of connections. */
export interface HttpLimits {
  readonly connectionsMax: number
  readonly uploadBytesMax: number
  readonly unclaimedBodyBytesMax: number
  readonly readerStallMsMax: number
  readonly socketMessageBytesMax: number
  readonly socketBufferBytesMax: number
  readonly socketIdleSecondsMax: number
  readonly socketEarlyMessagesMax: number
}

export const HTTP_LIMITS: HttpLimits = Object.freeze({
  connectionsMax: CONNECTIONS_MAX,
  uploadBytesMax: UPLOAD_BYTES_MAX,
  unclaimedBodyBytesMax: UNCLAIMED_BODY_BYTES_MAX,
  readerStallMsMax: READER_STALL_MS_MAX,
  socketMessageBytesMax: SOCKET_MESSAGE_BYTES_MAX,
  socketBufferBytesMax: SOCKET_BUFFER_BYTES_MAX,
  socketIdleSecondsMax: SOCKET_IDLE_SECONDS_MAX,
  socketEarlyMessagesMax: SOCKET_EARLY_MESSAGES_MAX,
})
