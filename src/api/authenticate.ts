import type { Account, ApiKey, KeyKind, Ledger, Permissions, Scope } from '../ledger/ledger.ts'
import type { Clock } from '../runtime/clock.ts'
import { ApiError } from './errors.ts'
import type { Exchange } from './exchange.ts'

/** Who is asking: a usable key and the account behind it. */
export interface Caller {
  readonly key: ApiKey
  readonly account: Account
}

interface Books {
  readonly ledger: Pick<Ledger, 'findKey' | 'account'>
  readonly clock: Clock
}

export interface Requirement {
  readonly kinds: readonly KeyKind[]
  /** Asked of voice and STT keys; an account key is ruled by its permissions instead. */
  readonly scope?: Scope
  /** A usable key of a disabled account is told so: `ACCOUNT_DISABLED`. */
  readonly tellsDisabled?: boolean
}

/**
 * The caller behind `Authorization: Bearer`. Throws `INVALID_API_KEY`: 401 for no usable key, 403 for the wrong one (D2); or
 * `ACCOUNT_DISABLED` where that is to be told.
 */
export function authenticate(books: Books, exchange: Pick<Exchange, 'request'>, required: Requirement): Caller {
  return authenticateKey(books, bearerToken(exchange.request.header('authorization')), required)
}

/** The caller whose key this is. Throws as `authenticate` does. */
export function authenticateKey({ ledger, clock }: Books, plaintext: string, required: Requirement): Caller {
  const key = ledger.findKey(plaintext)
  if (key === undefined) throw unauthenticated('the API key is not known')
  if (key.status !== 'active') throw unauthenticated(`the API key is ${key.status}`)
  const account = ledger.account(key.accountId)
  if (account === undefined || (account.disabled && !required.tellsDisabled)) throw unauthenticated(DISABLED)
  if (isExpired(key, clock.now())) throw forbidden('the API key has expired')
  if (!required.kinds.includes(key.kind)) throw forbidden(`this takes ${kindsInWords(required.kinds)}`)
  if (required.scope !== undefined && key.kind !== 'admin' && !key.scopes.includes(required.scope)) {
    throw forbidden(`the API key lacks the scope ${required.scope}`)
  }
  if (account.disabled) throw new ApiError('ACCOUNT_DISABLED', DISABLED)
  return { key, account }
}

const DISABLED = 'the account behind the API key is disabled'

/** Throws `PERMISSION_DENIED` when an account key has its switch off. Other kinds have scopes instead of switches. */
export function requirePermission({ key }: Caller, permission: 'tts' | 'stt' | 'audioUpload' | 'keyManagement'): void {
  if (key.kind !== 'admin') return
  if (!isSwitchedOn(key.permissions, permission)) {
    throw new ApiError('PERMISSION_DENIED', `the account key has its ${permission} permission off`)
  }
}

/** The caller, if it may speak: a voice key with this scope, or an account key that has its switch on. Throws as the two above do. */
export function authenticateSpeaker(
  books: Books,
  exchange: Pick<Exchange, 'request'>,
  scope: 'tts.generate' | 'tts.stream',
): Caller {
  const caller = authenticate(books, exchange, { kinds: ['voice', 'admin'], scope })
  requirePermission(caller, 'tts')
  return caller
}

export function isExpired(key: ApiKey, now: number): boolean {
  return key.expiresAt !== null && key.expiresAt <= now
}

function bearerToken(header: string | undefined): string {
  if (header === undefined) throw unauthenticated('the Authorization header is missing')
  const token = /^Bearer +(\S+)$/i.exec(header.trim())?.[1]
  if (token === undefined) throw unauthenticated('the Authorization header must be: Bearer <API key>')
  return token
}

function isSwitchedOn(permissions: Permissions | null, permission: string): boolean {
  switch (permission) {
    case 'tts':
      return permissions?.endpoints.tts === true
    case 'stt':
      return permissions?.endpoints.stt === true
    case 'audioUpload':
      return permissions?.audioUpload === true
    case 'keyManagement':
      return permissions?.keyManagement === true
    default:
      return false
  }
}

function kindsInWords(kinds: readonly KeyKind[]): string {
  const names = { admin: 'an account key', voice: 'a voice key', stt: 'a speech-to-text key' }
  return kinds.map((kind) => names[kind]).join(' or ')
}

function unauthenticated(message: string): ApiError {
  return new ApiError('INVALID_API_KEY', message, { status: 401, headers: { 'WWW-Authenticate': 'Bearer' } })
}

function forbidden(message: string): ApiError {
  return new ApiError('INVALID_API_KEY', message, { status: 403 })
}
