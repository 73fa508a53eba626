import { describe, expect, it } from 'vitest'
import { openWithKey } from './temporary-ledger.ts'

async function openWithToken() {
  const opened = await openWithKey({ ttsQuota: 100 })
  const outcome = await opened.ledger.issueToken(opened.charge('req_1', 40), 'preset_af_heart')
  if (outcome.status !== 'issued') throw new Error(outcome.status)
  return { ...opened, token: outcome.token }
}

describe('a stream token', () => {
  it('costs its length when it is issued and says what it is good for (D18)', async () => {
    const { ledger, clock, key, accountId, token } = await openWithToken()
    expect(token).toMatch(/^[0-9A-Za-z]{43}$/)
    expect(ledger.account(accountId)?.tts.used).toBe(40)
    expect(ledger.peekToken(token)).toEqual({
      ...{ requestId: 'req_1', keyId: key.id, accountId, voiceId: 'preset_af_heart' },
      ...{ textLengthMax: 40, expiresAt: clock.now() + 60_000 },
    })
  })

  it('is not issued where the debit is refused', async () => {
    const { ledger, accountId, charge } = await openWithKey({ ttsQuota: 10 })
    expect(await ledger.issueToken(charge('req_1', 11), 'preset_af_heart')).toEqual({ status: 'quota_exceeded' })
    expect(ledger.account(accountId)?.tts.used).toBe(0)
  })

  it('is spent by exactly one of many at once, and peeking spends nothing', async () => {
    const { ledger, token } = await openWithToken()
    for (let i = 0; i < 3; i++) expect(ledger.peekToken(token)).toBeDefined()
    const spent = await Promise.all(Array.from({ length: 100 }, () => ledger.spendToken(token)))
    expect(spent.filter((one) => one !== undefined)).toHaveLength(1)
    expect(ledger.peekToken(token)).toBeUndefined()
    expect(await ledger.spendToken(token)).toBeUndefined()
  })

  it('is good for 60 seconds and not a millisecond more, and its debit stays', async () => {
    const { ledger, clock, accountId, token } = await openWithToken()
    clock.jump(59_999)
    expect(ledger.peekToken(token)).toBeDefined()
    clock.jump(1)
    expect(ledger.peekToken(token)).toBeUndefined()
    expect(await ledger.spendToken(token)).toBeUndefined()
    expect(ledger.account(accountId)?.tts.used).toBe(40)
  })

  it('dies with its key or its account', async () => {
    const { ledger, key, accountId, token } = await openWithToken()
    await ledger.setAccount(accountId, { disabled: true })
    expect(ledger.peekToken(token)).toBeUndefined()
    await ledger.setAccount(accountId, { disabled: false })
    expect(ledger.peekToken(token)).toBeDefined()
    await ledger.revokeKey(key.id)
    expect(await ledger.spendToken(token)).toBeUndefined()
  })

  it('that nobody issued is unknown', async () => {
    const { ledger } = await openWithToken()
    for (const wrong of ['', 'x', 'A'.repeat(43)]) expect(ledger.peekToken(wrong)).toBeUndefined()
  })

  it('is issued once a debit', async () => {
    const { ledger, charge } = await openWithToken()
    await expect(ledger.issueToken(charge('req_1', 40), 'preset_af_heart')).rejects.toThrow('one token a debit')
  })
})
