import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { addAccount, openLedger, openWithKey } from './temporary-ledger.ts'

describe('a charge', () => {
  it('counts against the quota and the key, and leaves a posting', async () => {
    const { ledger, clock, key, accountId, charge } = await openWithKey({}, { creditLimit: 100 })
    expect(await ledger.charge(charge('req_1', 12))).toEqual({ status: 'charged' })
    expect(ledger.key(key.id)).toMatchObject({ creditUsed: 12, lastUsedAt: clock.now() })
    expect(ledger.account(accountId)?.tts.used).toBe(12)
    expect(ledger.account(accountId)?.stt.used).toBe(0)
    expect([...ledger.exportPostings()]).toEqual([
      {
        ...{ id: 'req_1', keyId: key.id, accountId, meter: 'tts', characters: 12 },
        ...{ createdAt: clock.now(), period: 0 },
      },
    ])
  })

  it('may take all that remains and not a character more', async () => {
    const { ledger, charge } = await openWithKey({ ttsQuota: 10 })
    expect(await ledger.charge(charge('one', 11))).toEqual({ status: 'quota_exceeded' })
    expect(await ledger.charge(charge('two', 10))).toEqual({ status: 'charged' })
    expect(await ledger.charge(charge('three', 1))).toEqual({ status: 'quota_exceeded' })
  })

  it('is refused for the ceiling when both are short (D14)', async () => {
    const { ledger, charge } = await openWithKey({ ttsQuota: 10 }, { creditLimit: 5 })
    expect(await ledger.charge(charge('one', 11))).toEqual({ status: 'key_credit_exceeded' })
  })

  it('that is refused changes nothing', async () => {
    const { ledger, key, accountId, charge } = await openWithKey({ ttsQuota: 10 }, { creditLimit: 5 })
    const before = [ledger.key(key.id), ledger.account(accountId)]
    await ledger.charge(charge('one', 6))
    await ledger.charge(charge('two', 11))
    expect([ledger.key(key.id), ledger.account(accountId)]).toEqual(before)
    expect([...ledger.exportPostings()]).toEqual([])
  })

  it('is counted for an unlimited account too', async () => {
    const { ledger, accountId, charge } = await openWithKey({ ttsQuota: null })
    await ledger.charge(charge('one', 5_000))
    expect(ledger.account(accountId)?.tts).toMatchObject({ limit: null, used: 5_000 })
  })

  it('with the same id again is charged once, also in the same commit and when nothing is left', async () => {
    const { ledger, key, charge } = await openWithKey({ ttsQuota: 10 })
    const repeats = Array.from({ length: 20 }, () => ledger.charge(charge('same', 10)))
    expect(new Set((await Promise.all(repeats)).map(({ status }) => status))).toEqual(new Set(['charged']))
    expect(await ledger.charge(charge('same', 10))).toEqual({ status: 'charged' })
    expect(ledger.key(key.id)?.creditUsed).toBe(10)
    expect([...ledger.exportPostings()]).toHaveLength(1)
  })

  it('with the same id for something else is a fault, not a gift', async () => {
    const { ledger, charge } = await openWithKey()
    await ledger.charge(charge('same', 10))
    await expect(ledger.charge(charge('same', 11))).rejects.toThrow('same stands for another debit')
  })

  it.each([0, -1, 1.5, Number.NaN, 2 ** 53])('of %d characters is a fault', async (characters) => {
    const { ledger, charge } = await openWithKey()
    await expect(ledger.charge(charge('odd', characters))).rejects.toThrow('positive number of characters')
  })

  it('finds nothing to charge once the key is revoked or the account disabled', async () => {
    const { ledger, key, accountId, charge } = await openWithKey()
    const other = await addAccount(ledger)
    await ledger.revokeKey(key.id)
    await ledger.setAccount(other.accountId, { disabled: true })
    expect(await ledger.charge(charge('one', 1))).toEqual({ status: 'not_found' })
    expect(await ledger.charge(other.charge('two', 1))).toEqual({ status: 'not_found' })
    expect(await ledger.charge({ ...charge('three', 1), keyId: 'key_unknown' })).toEqual({ status: 'not_found' })
    expect(ledger.account(accountId)?.tts.used).toBe(0)
  })

  it('of speech to text has its own quota and shares the ceiling', async () => {
    const { ledger, key, accountId, charge } = await openWithKey({ sttQuota: 5 }, { creditLimit: 10 })
    expect(await ledger.charge({ ...charge('one', 6), meter: 'stt' })).toEqual({ status: 'quota_exceeded' })
    expect(await ledger.charge({ ...charge('two', 5), meter: 'stt' })).toEqual({ status: 'charged' })
    expect(await ledger.charge(charge('three', 6))).toEqual({ status: 'key_credit_exceeded' })
    expect(ledger.account(accountId)).toMatchObject({ tts: { used: 0 }, stt: { used: 5 } })
    expect(ledger.key(key.id)?.creditUsed).toBe(5)
  })
})

describe('a charge that is cut at what remains', () => {
  it('is charged whole while it fits', async () => {
    const { ledger, key, charge } = await openWithKey({ ttsQuota: 10 })
    const outcome = await ledger.chargeUpTo(charge('one', 10))
    expect(outcome).toEqual({ status: 'charged', characters: 10, short: undefined })
    expect(ledger.key(key.id)?.creditUsed).toBe(10)
  })

  it.each([
    ['the quota', { ttsQuota: 7 }, {}, 7, 'quota_exceeded'],
    ['the ceiling', {}, { creditLimit: 4 }, 4, 'key_credit_exceeded'],
    ['the ceiling, when both are short (D14)', { ttsQuota: 3 }, { creditLimit: 5 }, 3, 'key_credit_exceeded'],
  ] as const)('takes what is left of %s and says so, and then nothing', async (_, account, options, left, short) => {
    const { ledger, key, charge } = await openWithKey(account, options)
    expect(await ledger.chargeUpTo(charge('one', 12))).toEqual({ status: 'charged', characters: left, short })
    expect(await ledger.chargeUpTo(charge('two', 12))).toMatchObject({ status: 'charged', characters: 0 })
    expect(ledger.key(key.id)?.creditUsed).toBe(left)
    expect([...ledger.exportPostings()].map(({ characters }) => characters)).toEqual([left])
    expect(ledger.verify()).toMatchObject({ ok: true })
  })

  it('with the same id again changes nothing, also when there is more by then', async () => {
    const { ledger, accountId, key, charge } = await openWithKey({ ttsQuota: 5 })
    const first = await ledger.chargeUpTo(charge('same', 12))
    await ledger.setAccount(accountId, { ttsQuota: 100 })
    expect(await ledger.chargeUpTo(charge('same', 12))).toEqual(first)
    expect(ledger.key(key.id)?.creditUsed).toBe(5)
  })

  it('finds nothing to charge once the key is revoked or the account disabled', async () => {
    const { ledger, key, accountId, charge } = await openWithKey()
    await ledger.setAccount(accountId, { disabled: true })
    expect(await ledger.chargeUpTo(charge('one', 1))).toEqual({ status: 'not_found' })
    await ledger.setAccount(accountId, { disabled: false })
    await ledger.revokeKey(key.id)
    expect(await ledger.chargeUpTo(charge('two', 1))).toEqual({ status: 'not_found' })
  })

  it('never takes an allowance past its end, however many come at once (promise 3)', async () => {
    const { ledger, key, charge } = await openWithKey({ ttsQuota: 100 })
    const outcomes = await Promise.all(Array.from({ length: 30 }, (_, i) => ledger.chargeUpTo(charge(`${i}`, 7))))
    const taken = outcomes.map((outcome) => (outcome.status === 'charged' ? outcome.characters : 0))
    expect(taken.reduce((sum, characters) => sum + characters)).toBe(100)
    expect(ledger.key(key.id)?.creditUsed).toBe(100)
  })
})

describe('the books', () => {
  const charge = fc.record({
    kind: fc.constant('charge' as const),
    key: fc.nat({ max: 2 }),
    id: fc.nat({ max: 30 }),
    meter: fc.constantFrom('tts' as const, 'stt' as const),
  })
  const event = fc.oneof(
    { weight: 6, arbitrary: charge },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('jump' as const), days: fc.integer({ min: -40, max: 70 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ kind: fc.constant('limit' as const), limit: fc.integer({ min: 1, max: 90 }) }),
    },
  )

  it('balance, and no limit is passed, whatever is charged at once, renewed and changed', async () => {
    const { ledger, clock } = openLedger()
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(event, { maxLength: 8 }), { maxLength: 5 }), fc.nat(), async (turns, run) => {
        const first = await addAccount(ledger, { ttsQuota: 60, sttQuota: 40 }, { creditLimit: 50 })
        const { key: second } = await ledger.createKey({ accountId: first.accountId, kind: 'stt', name: 'Second' })
        const elsewhere = await addAccount(ledger, { ttsQuota: 30 })
        const keyIds = [first.key.id, second.id, elsewhere.key.id]
        let ttsLimit = 60
        for (const turn of turns) {
          await Promise.all(
            turn.map((happening) => {
              if (happening.kind === 'jump') return clock.jump(happening.days * 86_400_000)
              if (happening.kind === 'limit') {
                ttsLimit = Math.max(ttsLimit, happening.limit)
                return ledger.setAccount(first.accountId, { ttsQuota: happening.limit })
              }
              const { id, key, meter } = happening
              // The id decides everything else, so that a repeat is a repeat.
              const name = `${run}-${first.key.id}-${key}-${meter}-${id}`
              return ledger.charge({ id: name, keyId: keyIds[key] ?? '', meter, characters: 1 + (id % 25) })
            }),
          )
          expect(ledger.verify()).toMatchObject({ ok: true, differences: [] })
          expect(ledger.key(first.key.id)?.creditUsed).toBeLessThanOrEqual(50)
          expect(ledger.account(first.accountId)?.tts.used).toBeLessThanOrEqual(ttsLimit)
          expect(ledger.account(first.accountId)?.stt.used).toBeLessThanOrEqual(40)
          expect(ledger.account(elsewhere.accountId)?.tts.used).toBeLessThanOrEqual(30)
        }
      }),
      { numRuns: 40 },
    )
  })

  it('export in the order of time, from any moment on, page after page', async () => {
    const { ledger, clock, charge: chargeOf } = await openWithKey({ ttsQuota: null })
    for (let batch = 0; batch < 5; batch++) {
      clock.jump(1_000)
      await Promise.all(Array.from({ length: 500 }, (_, i) => ledger.charge(chargeOf(`r${batch}-${i}`, 1))))
    }
    const all = [...ledger.exportPostings()]
    expect(new Set(all.map(({ id }) => id)).size).toBe(2_500)
    expect(all.map(({ createdAt }) => createdAt)).toEqual(all.map(({ createdAt }) => createdAt).sort((a, b) => a - b))
    expect([...ledger.exportPostings(clock.now())].map(({ id }) => id.slice(0, 2))).toEqual(Array(500).fill('r4'))
    expect([...ledger.exportPostings(clock.now() + 1)]).toEqual([])
  })
})
