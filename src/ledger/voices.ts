import assert from 'node:assert/strict'
import { ENROLLMENTS_PER_MINUTE_MAX, VOICES_PER_ACCOUNT_MAX } from '../limits.ts'
import { base32Id, type Random } from '../runtime/random.ts'
import type { Reader, Transaction } from './commit-batch.ts'
import { createKey, keysOf, removeKey } from './keys.ts'
import type { ApiKey, Consent, EnrolledVoice, EnrollmentOutcome, NewKey } from './ledger.ts'
import {
  accounts,
  accountVoices,
  childrenOf,
  consents,
  enrollments,
  keys,
  timeKey,
  voiceHashes,
  voices,
} from './tables.ts'

export type EnrollmentStart =
  | { readonly status: 'begun' }
  | { readonly status: 'too_fast'; readonly retryAfterMs: number }

/** What needs no new voice. */
export type Known = Exclude<EnrollmentOutcome, { readonly status: 'created' }>

/** Whose recording. */
type Content = Pick<EnrolledVoice, 'accountId' | 'sha256'>

const RATE_WINDOW_MS = 60_000

const ID_LENGTH = 20
const VOICE_ID = /^voice_[a-z2-7]{20}$/

export function newVoiceId(random: Random): string {
  return `voice_${base32Id(random, ID_LENGTH)}`
}

/** Whether this may be the id of an enrolled voice, and so part of a key of the store or of a path. */
export function isVoiceId(text: string): boolean {
  return VOICE_ID.test(text)
}

/** Six in any sixty seconds. Times of a clock that has been put back since count for nothing. */
export function beginEnrollment(transaction: Transaction, accountId: string, now: number): EnrollmentStart {
  const earlier = transaction.get(enrollments, accountId)?.times ?? []
  const recent = earlier.filter((time) => time > now - RATE_WINDOW_MS && time <= now)
  const [oldest] = recent.slice(-ENROLLMENTS_PER_MINUTE_MAX)
  if (oldest !== undefined && recent.length >= ENROLLMENTS_PER_MINUTE_MAX) {
    return { status: 'too_fast', retryAfterMs: oldest + RATE_WINDOW_MS - now }
  }
  transaction.put(enrollments, accountId, { times: [...recent, now] })
  return { status: 'begun' }
}

/** Gives a voice of the same bytes a key if it has none that is of use. */
export function findEnrolled(
  transaction: Transaction,
  content: Content,
  now: number,
  random: Random,
): Known | undefined {
  const { accountId } = content
  const voice = voiceOfContent(transaction, content)
  if (voice === undefined) {
    return voicesOf(transaction, accountId).length < VOICES_PER_ACCOUNT_MAX ? undefined : { status: 'limit_reached' }
  }
  const hasKey = keysBoundTo(transaction, voice).some((key) => isUsable(key, now))
  return { status: 'known', voice, newKey: hasKey ? undefined : createVoiceKey(transaction, voice, now, random) }
}

/** Everything a voice consists of but its files, which must be in place. Decided before the first write. */
export function enrollVoice(
  transaction: Transaction,
  given: Omit<EnrolledVoice, 'createdAt'>,
  keyId: string,
  now: number,
  random: Random,
): EnrollmentOutcome {
  const { id: voiceId, accountId, sha256 } = given
  if (transaction.get(accounts, accountId)?.disabled !== false) return { status: 'not_allowed' }
  if (transaction.get(keys, keyId)?.status !== 'active') return { status: 'not_allowed' }
  const known = findEnrolled(transaction, given, now, random)
  if (known !== undefined) return known
  assert(transaction.get(voices, voiceId) === undefined, 'a voice id is given once')

  const voice = { ...given, createdAt: now }
  transaction.put(voices, voiceId, voice)
  transaction.put(accountVoices, placeOf(voice), { voiceId })
  transaction.put(voiceHashes, hashPlace(voice), { voiceId })
  transaction.put(consents, placeOf(voice), { voiceId, accountId, keyId, sha256, at: now, voiceDeletedAt: null })
  return { status: 'created', voice, newKey: createVoiceKey(transaction, voice, now, random) }
}

/** The consent stays, with the time at which the voice went. */
export function deleteVoice(
  transaction: Transaction,
  voiceId: string,
  accountId: string,
  now: number,
): EnrolledVoice | undefined {
  const voice = transaction.get(voices, voiceId)
  if (voice === undefined || voice.accountId !== accountId) return undefined
  const bound = keysBoundTo(transaction, voice)
  const consent = transaction.get(consents, placeOf(voice))
  for (const key of bound) removeKey(transaction, key)
  transaction.remove(voices, voiceId)
  transaction.remove(accountVoices, placeOf(voice))
  transaction.remove(voiceHashes, hashPlace(voice))
  if (consent !== undefined) transaction.put(consents, placeOf(voice), { ...consent, voiceDeletedAt: now })
  return voice
}

/** Oldest first. */
export function voicesOf(reader: Reader, accountId: string): EnrolledVoice[] {
  return Array.from(reader.scan(accountVoices, childrenOf(accountId)), ([, { voiceId }]) => {
    const voice = reader.get(voices, voiceId)
    assert(voice !== undefined, `voice ${voiceId} is listed and missing`)
    return voice
  })
}

export function consentsOf(reader: Reader, accountId: string): Consent[] {
  return Array.from(reader.scan(consents, childrenOf(accountId)), ([, consent]) => consent)
}

export function voiceOfContent(reader: Reader, content: Content): EnrolledVoice | undefined {
  const found = reader.get(voiceHashes, hashPlace(content))
  return found && reader.get(voices, found.voiceId)
}

function keysBoundTo(reader: Reader, { id, accountId }: EnrolledVoice): ApiKey[] {
  return keysOf(reader, accountId).filter(({ voiceId }) => voiceId === id)
}

function isUsable({ status, expiresAt }: ApiKey, now: number): boolean {
  return status === 'active' && (expiresAt === null || now < expiresAt)
}

function createVoiceKey(transaction: Transaction, voice: EnrolledVoice, now: number, random: Random): NewKey {
  const { id: voiceId, accountId, name } = voice
  return createKey(transaction, { accountId, kind: 'voice', name, voiceId }, now, random)
}

function placeOf({ accountId, createdAt, id }: EnrolledVoice): string {
  return `${accountId}/${timeKey(createdAt)}/${id}`
}

function hashPlace({ accountId, sha256 }: Content): string {
  return `${accountId}/${sha256}`
}
