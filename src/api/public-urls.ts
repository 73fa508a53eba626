import { ApiError } from './errors.ts'
import type { RequestHead } from './exchange.ts'
import type { Services } from './services.ts'

type Addresses = Pick<Services, 'publicUrl' | 'publicWsUrl'>

/** Path of the socket that speaks. */
export const TTS_SOCKET_PATH = '/ws/tts/stream'
/** Path of the socket that listens. */
export const STT_SOCKET_PATH = '/api/public/v1/stt/ws'

/**
 * Origin of the addresses handed to a client: the configured one, else the one the client itself used (D25). The node
 * speaks plain HTTP; that a proxy in front of it takes TLS is known from `X-Forwarded-Proto`. A client may forge that
 * header or `Host`, which only spoils the addresses in its own answer. Throws `BAD_REQUEST` without a usable `Host`.
 */
export function publicOrigin({ publicUrl }: Addresses, request: RequestHead): string {
  if (publicUrl !== undefined) return publicUrl
  const host = request.header('host') ?? ''
  if (!/^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i.test(host)) {
    throw new ApiError('BAD_REQUEST', 'the Host header must be a host name and an optional port')
  }
  const proto = request.header('x-forwarded-proto')?.split(',')[0]?.trim().toLowerCase()
  return `${proto === 'https' ? 'https' : 'http'}://${host}`
}

/** Address of the socket that speaks, without its token. */
export function ttsSocketUrl(addresses: Addresses, request: RequestHead): string {
  return `${socketOrigin(addresses, request)}${TTS_SOCKET_PATH}`
}

/** As `publicOrigin`, of sockets. */
export function socketOrigin(addresses: Addresses, request: RequestHead): string {
  return addresses.publicWsUrl ?? publicOrigin(addresses, request).replace(/^http/, 'ws')
}
