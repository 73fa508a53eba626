import { randomBytes } from 'node:crypto'

/** Chance as a parameter: every secret and identifier comes from here, so that a simulation can replay a run. */
export interface Random {
  /** `length` fresh random bytes; the caller owns them. */
  bytes(length: number): Uint8Array
}

export const systemRandom: Random = {
  bytes: (length) => new Uint8Array(randomBytes(length)),
}

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

/** 32 random bytes as exactly 43 base62 characters (62^43 > 2^256), left-padded with zeros. */
export function base62Secret(random: Random): string {
  let value = 0n
  for (const byte of random.bytes(32)) value = (value << 8n) | BigInt(byte)
  let text = ''
  for (let i = 0; i < 43; i++) {
    text = BASE62.charAt(Number(value % 62n)) + text
    value /= 62n
  }
  return text
}

/** `length` characters of lower-case base32, five random bits each. */
export function base32Id(random: Random, length: number): string {
  let text = ''
  for (const byte of random.bytes(length)) text += BASE32.charAt(byte & 31)
  return text
}
