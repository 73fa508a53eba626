import { base32Id, type Random } from '../runtime/random.ts'
import { requireAccount } from './accounts.ts'
import type { Reader, Transaction } from './commit-batch.ts'
import type { ApiKey, KeyKind, NewKey, Permissions, Scope } from './ledger.ts'
import { EVERY_PERMISSION, parsePermissions } from './permissions.ts'
import { KEY_PREFIXES, newKeyText, sha256Of } from './plaintext.ts'
import { InvalidOption, NotFound, requireName, requireWholeNumber } from './refusals.ts'
import { accountKeys, childrenOf, keyHashes, keySecrets, keys, timeKey } from './tables.ts'

export interface KeyOptions {
  readonly accountId: string
  readonly kind: KeyKind
  readonly name: string
  /** Voice keys only, and required there. */
  readonly voiceId?: string
  /** Lifetime ceiling in characters; left out or null: none. */
  readonly creditLimit?: number | null
  /** Milliseconds since the epoch; left out or null: never. */
  readonly expiresAt?: number | null
  /** Left out: all that the kind can have. */
  readonly scopes?: readonly Scope[]
  /** Admin keys only; left out: every permission. */
  readonly permissions?: Permissions
}

export const KEY_SCOPES: Readonly<Record<KeyKind, readonly Scope[]>> = {
  admin: [],
  voice: ['tts.generate', 'tts.stream', 'usage.read'],
  stt: ['stt.transcribe', 'stt.stream'],
}

/** Throws `InvalidOption`, `NotFound`. Whether the voice exists is for the caller to know. */
export function createKey(transaction: Transaction, options: KeyOptions, now: number, random: Random): NewKey {
  const { kind, accountId } = options
  requireName(options.name)
  requireAccount(transaction, accountId)
  const plaintext = newKeyText(kind, random)
  const key: ApiKey = {
    id: `key_${base32Id(random, 20)}`,
    accountId,
    kind,
    name: options.name,
    prefix: KEY_PREFIXES[kind],
    lastFour: plaintext.slice(-4),
    scopes: scopesOf(options),
    status: 'active',
    voiceId: voiceOf(options),
    permissions: permissionsOf(options),
    createdAt: now,
    lastUsedAt: null,
    expiresAt: expiryOf(options, now),
    creditLimit: creditLimitOf(options.creditLimit),
    creditUsed: 0,
  }
  const sha256 = sha256Of(plaintext)
  const hash = sha256.toString('hex')
  transaction.put(keys, key.id, key)
  transaction.put(keyHashes, hash, { keyId: key.id, sha256: new Uint8Array(sha256) })
  transaction.put(keySecrets, key.id, { hash })
  transaction.put(accountKeys, placeOf(key), { keyId: key.id })
  return { key, plaintext }
}

/** Forgets a key altogether. What it was charged stays in the postings. */
export function removeKey(transaction: Transaction, key: ApiKey): void {
  const hash = transaction.get(keySecrets, key.id)?.hash
  // Without one, a key of an earlier version: its hash then leads to no key, which opens as little.
  if (hash !== undefined) transaction.remove(keyHashes, hash)
  transaction.remove(keySecrets, key.id)
  transaction.remove(accountKeys, placeOf(key))
  transaction.remove(keys, key.id)
}

/** A ceiling below what is already used means that nothing is left. Throws `InvalidOption`, `NotFound`. */
export function setCreditLimit(transaction: Transaction, id: string, creditLimit: number | null): ApiKey {
  const key = { ...requireKey(transaction, id), creditLimit: creditLimitOf(creditLimit) }
  transaction.put(keys, id, key)
  return key
}

/** For good. Throws `NotFound`. */
export function revokeKey(transaction: Transaction, id: string): ApiKey {
  const key = { ...requireKey(transaction, id), status: 'revoked' as const }
  transaction.put(keys, id, key)
  return key
}

/** The keys of one account, oldest first. */
export function keysOf(reader: Reader, accountId: string): ApiKey[] {
  return Array.from(reader.scan(accountKeys, childrenOf(accountId)), ([, { keyId }]) => requireKey(reader, keyId))
}

function placeOf({ accountId, createdAt, id }: ApiKey): string {
  return `${accountId}/${timeKey(createdAt)}/${id}`
}

function requireKey(reader: Reader, id: string): ApiKey {
  const key = reader.get(keys, id)
  if (key === undefined) throw new NotFound('key', id)
  return key
}

function scopesOf({ kind, scopes }: KeyOptions): readonly Scope[] {
  const possible = KEY_SCOPES[kind]
  if (scopes === undefined) return possible
  if (kind === 'admin') throw new InvalidOption('scopes', 'are for voice and stt keys; an admin key has permissions')
  if (scopes.length === 0 || !scopes.every((scope) => possible.includes(scope))) {
    throw new InvalidOption('scopes', `of a key of kind ${kind} must be among ${possible.join(', ')}`)
  }
  return possible.filter((scope) => scopes.includes(scope))
}

function voiceOf({ kind, voiceId }: KeyOptions): string | null {
  if (kind !== 'voice') {
    if (voiceId !== undefined) throw new InvalidOption('voice', 'is for keys of kind voice')
    return null
  }
  if (voiceId === undefined || voiceId === '') throw new InvalidOption('voice', 'is required for a key of kind voice')
  return voiceId
}

function permissionsOf({ kind, permissions }: KeyOptions): Permissions | null {
  if (kind === 'admin') return permissions === undefined ? EVERY_PERMISSION : parsePermissions(permissions)
  if (permissions !== undefined) throw new InvalidOption('permissions', 'are for keys of kind admin')
  return null
}

function expiryOf({ expiresAt }: KeyOptions, now: number): number | null {
  if (expiresAt === undefined || expiresAt === null) return null
  if (!Number.isSafeInteger(expiresAt) || expiresAt <= now) throw new InvalidOption('expires', 'must be in the future')
  return expiresAt
}

function creditLimitOf(creditLimit: number | null | undefined): number | null {
  if (creditLimit === undefined || creditLimit === null) return null
  requireWholeNumber('creditLimit', creditLimit, 1)
  return creditLimit
}
