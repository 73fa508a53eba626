import { createHash, timingSafeEqual } from 'node:crypto'
import { base62Secret, type Random } from '../runtime/random.ts'
import type { Reader } from './commit-batch.ts'
import type { ApiKey, KeyKind } from './ledger.ts'
import { type KeyHash, keyHashes, keys } from './tables.ts'

export const KEY_PREFIXES: Readonly<Record<KeyKind, string>> = {
  admin: 'vc_ak_live_',
  voice: 'vc_sk_live_',
  stt: 'stt_sk_live_',
}

const KEY_TEXT = /^(?:vc_ak_live_|vc_sk_live_|stt_sk_live_)[0-9A-Za-z]{43}$/

/** A new key as its owner will send it. Whoever calls this shows it once and keeps only its hash. */
export function newKeyText(kind: KeyKind, random: Random): string {
  return KEY_PREFIXES[kind] + base62Secret(random)
}

/** The key that a plaintext opens, whatever its status; undefined when malformed or unknown. */
export function findKey(reader: Reader, plaintext: string): ApiKey | undefined {
  if (!KEY_TEXT.test(plaintext)) return undefined
  const sha256 = sha256Of(plaintext)
  // The lookup may take longer for one hash than for another, which tells nothing about a plaintext; the comparison that
  // decides takes the same time for all.
  const stored: KeyHash | undefined = reader.get(keyHashes, sha256.toString('hex'))
  if (stored === undefined || !timingSafeEqual(stored.sha256, sha256)) return undefined
  return reader.get(keys, stored.keyId)
}

export function sha256Of(...parts: string[]): Buffer {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}
