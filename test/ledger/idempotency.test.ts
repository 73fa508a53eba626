import { describe, expect, it } from 'vitest'
import { openLedger, openWithKey } from './temporary-ledger.ts'

const HOUR = 60 * 60 * 1000

describe('an Idempotency-Key (D17)', () => {
  it('begins once; a repeat meanwhile is told so, and afterwards gets the first answer', async () => {
    const { ledger } = openLedger()
    const begin = (requestId: string, body = 'hash') => ledger.beginIdempotent('key_1', 'same', body, requestId)
    const outcomes = await Promise.all(['req_1', 'req_2', 'req_3'].map((id) => begin(id)))
    expect(outcomes).toEqual([{ status: 'begin', requestId: 'req_1' }, { status: 'running' }, { status: 'running' }])
    await ledger.finishIdempotent('key_1', 'same', '{"ok":true}')
    expect(await begin('req_4')).toEqual({ status: 'answered', requestId: 'req_1', answer: '{"ok":true}' })
  })

  it('with another body is refused, running or answered', async () => {
    const { ledger } = openLedger()
    const other = () => ledger.beginIdempotent('key_1', 'same', 'other hash', 'req_2')
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_1')
    expect(await other()).toEqual({ status: 'other_body' })
    await ledger.finishIdempotent('key_1', 'same', '{}')
    expect(await other()).toEqual({ status: 'other_body' })
  })

  it('belongs to its API key', async () => {
    const { ledger } = openLedger()
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_1')
    expect(await ledger.beginIdempotent('key_2', 'same', 'hash', 'req_2')).toMatchObject({ requestId: 'req_2' })
  })

  it('may hold any text of any kind', async () => {
    const { ledger } = openLedger()
    for (const [index, odd] of ['', '\u0000', '🎧'.repeat(127), 'a/b', '\n', 'é'.repeat(255)].entries()) {
      const requestId = `req_${index}`
      expect(await ledger.beginIdempotent('key_1', odd, 'hash', requestId)).toEqual({ status: 'begin', requestId })
    }
  })

  it('that was given up runs again under the first request id, so that the debit counts once', async () => {
    const { ledger, key, charge } = await openWithKey()
    await ledger.beginIdempotent(key.id, 'same', 'hash', 'req_1')
    await ledger.charge(charge('req_1', 10))
    await ledger.releaseIdempotent(key.id, 'same')
    const again = await ledger.beginIdempotent(key.id, 'same', 'hash', 'req_2')
    expect(again).toEqual({ status: 'begin', requestId: 'req_1' })
    expect(await ledger.charge(charge('req_1', 10))).toEqual({ status: 'charged' })
    expect(ledger.key(key.id)?.creditUsed).toBe(10)
  })

  it('whose run died with an earlier process runs again under the first request id', async () => {
    const { ledger, folder, clock } = openLedger()
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_1')
    await ledger.close()
    const restarted = openLedger(folder, clock).ledger
    const repeat = (requestId: string) => restarted.beginIdempotent('key_1', 'same', 'hash', requestId)
    expect(await repeat('req_2')).toEqual({ status: 'begin', requestId: 'req_1' })
    expect(await repeat('req_3')).toEqual({ status: 'running' })
  })

  it('keeps its answer across a restart, for 24 hours', async () => {
    const { ledger, folder, clock } = openLedger()
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_1')
    await ledger.finishIdempotent('key_1', 'same', '{"a":1}')
    await ledger.close()
    const restarted = openLedger(folder, clock).ledger
    const repeat = () => restarted.beginIdempotent('key_1', 'same', 'hash', 'req_2')
    clock.jump(24 * HOUR - 1)
    expect(await repeat()).toEqual({ status: 'answered', requestId: 'req_1', answer: '{"a":1}' })
    clock.jump(1)
    expect(await repeat()).toEqual({ status: 'begin', requestId: 'req_2' })
  })
})

describe('a sweep', () => {
  it('forgets what has expired, a bounded number at a time, and nothing else', async () => {
    const { ledger, clock, key, charge } = await openWithKey({ ttsQuota: null })
    const issue = (id: string) => ledger.issueToken(charge(id, 1), 'preset_af_heart')
    await Promise.all(Array.from({ length: 700 }, (_, i) => issue(`old-${i}`)))
    await ledger.beginIdempotent(key.id, 'old', 'hash', 'req_1')
    clock.jump(60_001)
    const fresh = await issue('fresh')
    expect(await ledger.sweep()).toBe(500)
    expect(await ledger.sweep()).toBe(200)
    expect(await ledger.sweep()).toBe(0)
    expect(fresh.status === 'issued' && ledger.peekToken(fresh.token)).toMatchObject({ requestId: 'fresh' })
    expect(await ledger.beginIdempotent(key.id, 'old', 'hash', 'req_2')).toEqual({ status: 'running' })
  })

  it('spares an idempotency key that has been used again since', async () => {
    const { ledger, clock } = openLedger()
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_1')
    clock.jump(24 * HOUR + 1)
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_2')
    expect(await ledger.sweep()).toBe(1)
    expect(await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_3')).toEqual({ status: 'running' })
    clock.jump(24 * HOUR + 1)
    expect(await ledger.sweep()).toBe(1)
    expect(await ledger.sweep()).toBe(0)
  })

  it('after an answer came too late leaves nothing behind', async () => {
    const { ledger, clock } = openLedger()
    await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_1')
    clock.jump(24 * HOUR + 1)
    await ledger.sweep()
    await ledger.finishIdempotent('key_1', 'same', '{}')
    expect(await ledger.beginIdempotent('key_1', 'same', 'hash', 'req_2')).toMatchObject({ requestId: 'req_2' })
  })
})

describe('the history', () => {
  it('keeps each generation of an account in order', async () => {
    const { ledger, clock, key, accountId } = await openWithKey()
    const generation = (id: string) => ({
      ...{ id, keyId: key.id, accountId, voiceId: 'preset_af_heart', way: 'sse' as const, characters: 5 },
      ...{ createdAt: clock.now(), outcome: 'completed' as const, durationMs: 1_200 },
    })
    const first = generation('req_b')
    clock.jump(1)
    const second = generation('req_a')
    await Promise.all([ledger.recordGeneration(second), ledger.recordGeneration(first)])
    expect(ledger.generationsOf(accountId)).toEqual([first, second])
    expect(ledger.generationsOf('acct_unknown')).toEqual([])
  })
})
