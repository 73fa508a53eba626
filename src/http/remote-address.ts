import { isIP, SocketAddress } from 'node:net'

/**
 * Who sent the request. A proxy on this machine is believed about the address it saw, which it appends as the last entry
 * of `X-Forwarded-For`; from any other peer the header is whatever the peer likes to claim, and is ignored.
 */
export function remoteAddress(peer: ArrayBuffer, forwardedFor: string | undefined): string {
  const address = addressText(new Uint8Array(peer))
  if (forwardedFor === undefined || !isLoopback(address)) return address
  const last = forwardedFor.slice(forwardedFor.lastIndexOf(',') + 1).trim()
  return isIP(last) === 0 ? address : last
}

/** Text of 4 or 16 address bytes. An IPv4 address mapped into IPv6 is written as IPv4; no bytes at all as ''. */
function addressText(bytes: Uint8Array): string {
  if (bytes.length === 4) return bytes.join('.')
  if (bytes.length !== 16) return ''
  const mapped = bytes.subarray(0, 10).every((byte) => byte === 0) && bytes[10] === 0xff && bytes[11] === 0xff
  if (mapped) return bytes.subarray(12).join('.')
  const groups = Array.from({ length: 8 }, (_, i) =>
    (((bytes[2 * i] ?? 0) << 8) | (bytes[2 * i + 1] ?? 0)).toString(16),
  )
  return new SocketAddress({ address: groups.join(':'), family: 'ipv6' }).address
}

function isLoopback(address: string): boolean {
  return address === '::1' || address.startsWith('127.')
}
