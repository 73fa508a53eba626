import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import type { EnrolledVoice } from '../../src/ledger/ledger.ts'
import type { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { newVoiceId } from '../../src/ledger/voices.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import type { FakeClock } from '../fake-clock.ts'
import { addAccount, openLedger, openWithKey, temporaryFolder } from './temporary-ledger.ts'

let ledger: LmdbLedger
let clock: FakeClock
let accountId: string
/** Of the account key that enrolls. */
let keyId: string
beforeEach(async () => {
  const opened = await openWithKey({}, {})
  ledger = opened.ledger
  clock = opened.clock
  accountId = opened.accountId
  keyId = (await ledger.createKey({ accountId, kind: 'admin', name: 'Enroller' })).key.id
})

let recordings = 0
const draft = (changes: Partial<EnrolledVoice> = {}): Omit<EnrolledVoice, 'createdAt'> => {
  recordings += 1
  const texts = { name: 'Ada', gender: 'female', description: 'calm', fileName: 'ada.wav' } as const
  const sha256 = String(recordings).padStart(64, '0')
  return { id: newVoiceId(systemRandom), accountId, ...texts, fileSize: 1_234, sha256, ...changes }
}

async function enrolled(changes: Partial<EnrolledVoice> = {}) {
  const outcome = await ledger.enrollVoice(draft(changes), keyId)
  if (outcome.status !== 'created') throw new Error(outcome.status)
  return outcome
}

describe('enrolling a voice', () => {
  it('records the voice, its key and the consent together', async () => {
    const given = draft()
    const outcome = await ledger.enrollVoice(given, keyId)
    const createdAt = clock.now()
    expect(outcome).toMatchObject({ status: 'created', voice: { ...given, createdAt } })
    expect(ledger.voice(given.id)).toEqual({ ...given, createdAt })
    expect(ledger.voicesOf(accountId)).toEqual([{ ...given, createdAt }])
    const { id: voiceId, sha256 } = given
    expect(ledger.consentsOf(accountId)).toEqual([
      { voiceId, accountId, keyId, sha256, at: createdAt, voiceDeletedAt: null },
    ])
    const { plaintext = '' } = ('newKey' in outcome && outcome.newKey) || {}
    expect(ledger.findKey(plaintext)).toMatchObject({
      ...{ kind: 'voice', accountId, voiceId, name: 'Ada', status: 'active' },
      ...{ scopes: ['tts.generate', 'tts.stream', 'usage.read'], creditLimit: null, expiresAt: null },
    })
  })

  it('survives a restart', async () => {
    const folder = temporaryFolder()
    const first = openLedger(folder, clock).ledger
    const account = await addAccount(first, {}, { kind: 'voice' })
    const voice = draft({ accountId: account.accountId })
    await first.enrollVoice(voice, account.key.id)
    await first.close()
    expect(openLedger(folder, clock).ledger.voice(voice.id)?.name).toBe('Ada')
  })

  it('of the same bytes twice at once makes one voice', async () => {
    const given = draft()
    const outcomes = await Promise.all([1, 2, 3].map(() => ledger.enrollVoice({ ...given, id: draft().id }, keyId)))
    expect(outcomes.map(({ status }) => status)).toEqual(['created', 'known', 'known'])
    const ids = outcomes.map((outcome) => 'voice' in outcome && outcome.voice.id)
    expect(new Set(ids).size).toBe(1)
    expect(ledger.voicesOf(accountId)).toHaveLength(1)
    expect(ledger.keysOf(accountId).filter(({ voiceId }) => voiceId === ids[0])).toHaveLength(1)
  })

  it('of bytes that another account has makes a voice of its own', async () => {
    const other = await addAccount(ledger)
    const { voice } = await enrolled()
    const outcome = await ledger.enrollVoice(draft({ accountId: other.accountId, sha256: voice.sha256 }), other.key.id)
    expect(outcome.status).toBe('created')
  })

  it('stops at 20, however many come at once', async () => {
    for (let count = 0; count < 18; count++) await enrolled()
    expect(await ledger.findEnrolled(accountId, draft().sha256)).toBeUndefined()
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => ledger.enrollVoice(draft(), keyId)))
    expect(outcomes.map(({ status }) => status).sort()).toEqual([
      ...['created', 'created', 'limit_reached', 'limit_reached', 'limit_reached'],
    ])
    expect(ledger.voicesOf(accountId)).toHaveLength(20)
    expect(await ledger.findEnrolled(accountId, draft().sha256)).toEqual({ status: 'limit_reached' })
  })

  it('that the account has already is known even where it has 20', async () => {
    const { voice } = await enrolled()
    for (let count = 1; count < 20; count++) await enrolled()
    expect(await ledger.findEnrolled(accountId, voice.sha256)).toMatchObject({ status: 'known', voice })
  })

  it('has room again when a voice was deleted', async () => {
    const { voice } = await enrolled()
    for (let count = 1; count < 20; count++) await enrolled()
    await ledger.deleteVoice(voice.id, accountId)
    expect((await ledger.enrollVoice(draft(), keyId)).status).toBe('created')
  })

  it('is not for a key or an account that was closed meanwhile', async () => {
    await ledger.revokeKey(keyId)
    expect(await ledger.enrollVoice(draft(), keyId)).toEqual({ status: 'not_allowed' })
    const { key } = await ledger.createKey({ accountId, kind: 'admin', name: 'Another' })
    await ledger.setAccount(accountId, { disabled: true })
    expect(await ledger.enrollVoice(draft(), key.id)).toEqual({ status: 'not_allowed' })
    expect([ledger.voicesOf(accountId), ledger.consentsOf(accountId)]).toEqual([[], []])
  })
})

describe('the same bytes again', () => {
  const again = async (sha256: string) => {
    const outcome = await ledger.findEnrolled(accountId, sha256)
    if (outcome?.status !== 'known') throw new Error(String(outcome?.status))
    return outcome.newKey
  }

  it('find the voice and make no key while it has one', async () => {
    const { voice } = await enrolled()
    expect(await again(voice.sha256)).toBeUndefined()
    expect(await again(voice.sha256)).toBeUndefined()
  })

  it('make a key when that of the voice was revoked, once', async () => {
    const { voice, newKey } = await enrolled()
    await ledger.revokeKey(newKey.key.id)
    const made = await again(voice.sha256)
    expect(made?.key).toMatchObject({ kind: 'voice', voiceId: voice.id, status: 'active', name: 'Ada' })
    expect(made?.plaintext).not.toBe(newKey.plaintext)
    expect(await again(voice.sha256)).toBeUndefined()
  })

  it('make a key when that of the voice has expired, and not while another holds', async () => {
    const { voice, newKey } = await enrolled()
    await ledger.revokeKey(newKey.key.id)
    const expiresAt = clock.now() + 1_000
    await ledger.createKey({ accountId, kind: 'voice', name: 'Short', voiceId: voice.id, expiresAt })
    expect(await again(voice.sha256)).toBeUndefined()
    clock.advance(1_000)
    expect((await again(voice.sha256))?.key.voiceId).toBe(voice.id)
  })

  it('make one key when they come twice at once', async () => {
    const { voice, newKey } = await enrolled()
    await ledger.revokeKey(newKey.key.id)
    const made = await Promise.all([again(voice.sha256), again(voice.sha256)])
    expect(made.filter((key) => key !== undefined)).toHaveLength(1)
  })
})

describe('deleting a voice', () => {
  it('removes it and every key bound to it, and nothing else', async () => {
    const kept = await enrolled()
    const { voice, newKey } = await enrolled()
    const second = await ledger.createKey({ accountId, kind: 'voice', name: 'Second', voiceId: voice.id })
    expect(await ledger.deleteVoice(voice.id, accountId)).toEqual(voice)
    expect([ledger.voice(voice.id), ledger.findKey(newKey.plaintext), ledger.findKey(second.plaintext)]).toEqual([
      ...[undefined, undefined, undefined],
    ])
    expect(ledger.key(newKey.key.id)).toBeUndefined()
    expect(ledger.voicesOf(accountId)).toEqual([kept.voice])
    expect(
      ledger
        .keysOf(accountId)
        .map(({ name }) => name)
        .sort(),
    ).toEqual(['Ada', 'Enroller', 'Test'])
    expect(ledger.findKey(kept.newKey.plaintext)?.id).toBe(kept.newKey.key.id)
  })

  it('keeps what its key has spent, its history and the consent', async () => {
    const { voice, newKey } = await enrolled()
    const keyOfVoice = newKey.key.id
    await ledger.charge({ id: 'request_1', keyId: keyOfVoice, meter: 'tts', characters: 70 })
    const generation = { id: 'request_1', keyId: keyOfVoice, accountId, voiceId: voice.id, way: 'bytes' } as const
    const line = { ...generation, characters: 70, createdAt: clock.now(), outcome: 'completed', durationMs: 5 } as const
    await ledger.recordGeneration(line)
    clock.advance(5_000)
    await ledger.deleteVoice(voice.id, accountId)
    expect(ledger.account(accountId)?.tts.used).toBe(70)
    expect(ledger.verify()).toEqual({ ok: true, postings: 1, differences: [] })
    expect(ledger.generationsOf(accountId)).toEqual([line])
    expect(ledger.consentsOf(accountId)).toMatchObject([{ voiceId: voice.id, voiceDeletedAt: clock.now() }])
  })

  it('happens once', async () => {
    const { voice } = await enrolled()
    const outcomes = await Promise.all([1, 2].map(() => ledger.deleteVoice(voice.id, accountId)))
    expect(outcomes).toEqual([voice, undefined])
  })

  it('is not for another account', async () => {
    const { voice } = await enrolled()
    expect(await ledger.deleteVoice(voice.id, 'acct_2')).toBeUndefined()
    expect(await ledger.deleteVoice(newVoiceId(systemRandom), accountId)).toBeUndefined()
    expect(ledger.voice(voice.id)).toEqual(voice)
  })

  it('lets the same bytes be enrolled anew', async () => {
    const { voice } = await enrolled()
    await ledger.deleteVoice(voice.id, accountId)
    expect(await ledger.findEnrolled(accountId, voice.sha256)).toBeUndefined()
    expect((await enrolled({ sha256: voice.sha256 })).voice.id).not.toBe(voice.id)
  })
})

describe('an id that is none', () => {
  it.each(['', 'voice_', 'preset_af_heart', 'voice_ABC', `voice_${'a'.repeat(5_000)}`, 'voice_../../../../etc/pass'])(
    'leads to no voice: %s',
    (id) => {
      expect(ledger.voice(id)).toBeUndefined()
    },
  )
})

describe('the rate of enrollments', () => {
  const begin = async () => {
    const start = await ledger.beginEnrollment(accountId)
    return start.status === 'begun' ? 'begun' : start.retryAfterMs
  }

  it('is six in any minute, and says when there is room', async () => {
    for (let count = 0; count < 6; count++) {
      expect(await begin()).toBe('begun')
      clock.advance(5_000)
    }
    expect(await begin()).toBe(30_000)
    clock.advance(29_999)
    expect(await begin()).toBe(1)
    clock.advance(1)
    expect(await begin()).toBe('begun')
    expect(await begin()).toBe(5_000)
  })

  it('holds for those that come at once, and an account at a time', async () => {
    const starts = await Promise.all(Array.from({ length: 8 }, begin))
    expect(starts.filter((start) => start === 'begun')).toHaveLength(6)
    const other = await addAccount(ledger)
    expect(await ledger.beginEnrollment(other.accountId)).toEqual({ status: 'begun' })
  })

  it('counts no enrollment that was refused', async () => {
    for (let count = 0; count < 6; count++) await begin()
    for (let count = 0; count < 10; count++) expect(await begin()).toBe(60_000)
    clock.advance(60_000)
    expect(await begin()).toBe('begun')
  })

  it('survives a restart', async () => {
    const folder = temporaryFolder()
    const first = openLedger(folder, clock).ledger
    const account = await addAccount(first)
    for (let count = 0; count < 6; count++) await first.beginEnrollment(account.accountId)
    await first.close()
    expect(await openLedger(folder, clock).ledger.beginEnrollment(account.accountId)).toMatchObject({
      status: 'too_fast',
    })
  })

  it('does not shut anybody out when the clock is put back', async () => {
    for (let count = 0; count < 6; count++) await begin()
    clock.jump(-3_600_000)
    expect(await begin()).toBe('begun')
  })
})

describe('any sequence of enrollments, deletions and revocations', () => {
  type Step = { readonly act: 'enroll' | 'again' | 'delete' | 'revoke' | 'wait'; readonly pick: number }
  const step: fc.Arbitrary<Step> = fc.record({
    act: fc.constantFrom('enroll', 'enroll', 'enroll', 'again', 'delete', 'revoke', 'wait'),
    pick: fc.nat(30),
  })

  it('leaves every voice with its bytes and its consent, and no key to a voice that is gone', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const account = await addAccount(ledger)
        const by = (await ledger.createKey({ accountId: account.accountId, kind: 'admin', name: 'A' })).key.id
        /** Content → voice id. */
        const expected = new Map<string, string>()
        let consents = 0
        const sha256Of = (pick: number) => String(pick).padStart(64, '0')
        for (const { act, pick } of steps) {
          const sha256 = sha256Of(pick)
          const known = expected.get(sha256)
          if (act === 'wait') clock.advance(pick * 1_000)
          else if (act === 'enroll') {
            const outcome = await ledger.enrollVoice(draft({ accountId: account.accountId, sha256 }), by)
            const isFull = expected.size === 20
            expect(outcome.status).toBe(known !== undefined ? 'known' : isFull ? 'limit_reached' : 'created')
            if (outcome.status === 'created') {
              expected.set(sha256, outcome.voice.id)
              consents += 1
            }
          } else if (act === 'again') {
            const outcome = await ledger.findEnrolled(account.accountId, sha256)
            expect(outcome && 'voice' in outcome ? outcome.voice.id : undefined).toBe(known)
          } else if (known !== undefined && act === 'delete') {
            expect((await ledger.deleteVoice(known, account.accountId))?.id).toBe(known)
            expected.delete(sha256)
          } else if (known !== undefined) {
            const bound = ledger.keysOf(account.accountId).find(({ voiceId }) => voiceId === known)
            if (bound !== undefined) await ledger.revokeKey(bound.id)
          }
        }

        const voices = ledger.voicesOf(account.accountId)
        expect(new Map(voices.map(({ sha256, id }) => [sha256, id]))).toEqual(expected)
        for (const [sha256, id] of expected) {
          expect(ledger.voiceOfContent(account.accountId, sha256)?.id).toBe(id)
          const usable = ledger.keysOf(account.accountId).filter((key) => key.voiceId === id && key.status === 'active')
          expect(usable.length).toBeLessThanOrEqual(1)
        }
        const bound = ledger
          .keysOf(account.accountId)
          .flatMap(({ kind, voiceId }) => (kind === 'voice' ? [voiceId] : []))
        const orphans = bound.filter((id) => id !== 'preset_af_heart' && ![...expected.values()].includes(id ?? ''))
        expect(orphans).toEqual([])
        const kept = ledger.consentsOf(account.accountId)
        expect([kept.length, kept.filter(({ voiceDeletedAt }) => voiceDeletedAt === null).length]).toEqual([
          ...[consents, expected.size],
        ])
      }),
      { numRuns: 30, ...(process.env.SEED === undefined ? {} : { seed: Number(process.env.SEED) }) },
    )
  })
})
