/** Operation codes of RFC 6455, section 5.2. */
export const CONTINUATION = 0x0
export const TEXT = 0x1
export const BINARY = 0x2
export const CLOSE = 0x8
export const PING = 0x9
export const PONG = 0xa

export interface FrameOptions {
  /** Default: true. */
  readonly fin?: boolean
  /** The three reserved bits, as a number of 0 to 7. */
  readonly reserved?: number
  /** Default: true, as clients must. */
  readonly masked?: boolean
  /** Length that the head claims, where it is not that of the payload. */
  readonly claimedBytes?: number
  /** How the length is written. Default: the shortest that holds it. */
  readonly lengthIn?: 7 | 16 | 64
}

/** One frame as a client sends it, or as no client may. */
export function frame(opcode: number, payload: string | Uint8Array = '', options: FrameOptions = {}): Buffer {
  const { fin = true, reserved = 0, masked = true } = options
  const bytes = Buffer.from(payload)
  const length = options.claimedBytes ?? bytes.length
  const lengthIn = options.lengthIn ?? (length < 126 ? 7 : length < 65_536 ? 16 : 64)
  const lengthBytes = Buffer.alloc(lengthIn === 7 ? 0 : lengthIn / 8)
  if (lengthIn === 16) lengthBytes.writeUInt16BE(length)
  if (lengthIn === 64) lengthBytes.writeBigUInt64BE(BigInt(length))
  const first = ((fin ? 8 : 0) + reserved) * 16 + opcode
  const second = (masked ? 128 : 0) + (lengthIn === 7 ? length : lengthIn === 16 ? 126 : 127)
  const mask = Buffer.from(masked ? [0x5a, 0xa5, 0x0f, 0xf0] : [])
  const content = masked ? bytes.map((byte, i) => byte ^ (mask[i % 4] ?? 0)) : bytes
  return Buffer.concat([Buffer.from([first, second]), lengthBytes, mask, content])
}

/** A close frame with this code, or with these bytes instead of a code. */
export function closeFrame(code: number | Uint8Array, reason: string | Uint8Array = ''): Buffer {
  const codeBytes = typeof code === 'number' ? Uint8Array.of(code >> 8, code & 0xff) : code
  return frame(CLOSE, Buffer.concat([codeBytes, Buffer.from(reason)]))
}

/** The request that turns a connection into a socket. */
export function upgradeRequest(target: string): string {
  return [
    `GET ${target} HTTP/1.1`,
    ...['Host: test', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'],
    ...['Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==', '', ''],
  ].join('\r\n')
}

export interface ServerFrame {
  readonly opcode: number
  readonly payload: Buffer
}

/** Frames of the server in what a connection has brought so far, after the answer to the upgrade. */
export function serverFrames(received: Buffer): ServerFrame[] {
  const frames: ServerFrame[] = []
  const headEnd = received.indexOf('\r\n\r\n')
  for (let at = headEnd < 0 ? received.length : headEnd + 4; at + 2 <= received.length; ) {
    const first = received[at] ?? 0
    const short = (received[at + 1] ?? 0) & 0x7f
    const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
    if (at + headBytes > received.length) break
    const length =
      short < 126 ? short : short === 126 ? received.readUInt16BE(at + 2) : Number(received.readBigUInt64BE(at + 2))
    if (at + headBytes + length > received.length) break
    frames.push({ opcode: first & 0xf, payload: received.subarray(at + headBytes, at + headBytes + length) })
    at += headBytes + length
  }
  return frames
}
