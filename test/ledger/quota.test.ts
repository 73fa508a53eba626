import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { newQuota, quotaRemaining, renew, spendable } from '../../src/ledger/quota.ts'
import { UNLIMITED } from '../../src/limits.ts'
import { openWithKey } from './temporary-ledger.ts'

const DAY = 24 * 60 * 60 * 1000

describe('a quota', () => {
  it('renews at its date, not a millisecond before, and keeps the day of the month it began on', () => {
    const start = Date.UTC(2026, 0, 31)
    const used = { ...newQuota({ limit: 10, resetInterval: 'month', resetIntervalCount: 1 }, start), used: 10 }
    const february = Date.UTC(2026, 1, 28)
    expect(renew(used, february - 1)).toBe(used)
    expect(renew(used, february)).toMatchObject({ used: 0, period: 1, resetDate: Date.UTC(2026, 2, 31) })
  })

  it('renews once however many periods have passed', () => {
    const used = { ...newQuota({ limit: 10, resetInterval: 'week', resetIntervalCount: 2 }, 0), used: 10 }
    expect(renew(used, 29 * DAY)).toMatchObject({ used: 0, period: 1, resetDate: 42 * DAY })
  })

  it('is never handed out twice, however the clock moves', () => {
    const moves = fc.array(fc.integer({ min: -400 * DAY, max: 400 * DAY }), { maxLength: 20 })
    fc.assert(
      fc.property(moves, (steps) => {
        let now = Date.UTC(2026, 0, 31)
        let latest = now
        let quota = newQuota({ limit: 10, resetInterval: 'month', resetIntervalCount: 1 }, now)
        for (const step of steps) {
          now += step
          const renewed = renew(quota, now)
          if (now <= latest) expect(renewed).toBe(quota)
          expect(renewed.resetDate).toBeGreaterThanOrEqual(quota.resetDate)
          latest = Math.max(latest, now)
          quota = { ...renewed, used: 10 }
        }
      }),
    )
  })
})

describe('an account', () => {
  it('shows the renewed quota without a charge, and a charge counts against the new period', async () => {
    const { ledger, clock, accountId, charge } = await openWithKey({ ttsQuota: 10 })
    expect(await ledger.charge(charge('one', 10))).toEqual({ status: 'charged' })
    expect(await ledger.charge(charge('two', 1))).toEqual({ status: 'quota_exceeded' })
    clock.jump(31 * DAY)
    expect(ledger.account(accountId)?.tts).toMatchObject({ used: 0 })
    expect(await ledger.charge(charge('two', 4))).toEqual({ status: 'charged' })
    expect(ledger.account(accountId)?.tts).toMatchObject({ used: 4 })
    expect(ledger.verify()).toMatchObject({ ok: true, postings: 2 })
  })

  it('does not renew again when the clock jumps back', async () => {
    const { ledger, clock, accountId, charge } = await openWithKey({ ttsQuota: 10 })
    await ledger.charge(charge('one', 10))
    clock.jump(31 * DAY)
    await ledger.charge(charge('two', 10))
    clock.jump(-31 * DAY)
    expect(await ledger.charge(charge('three', 1))).toEqual({ status: 'quota_exceeded' })
    clock.jump(31 * DAY)
    expect(await ledger.charge(charge('three', 1))).toEqual({ status: 'quota_exceeded' })
    expect(ledger.account(accountId)?.tts.used).toBe(10)
    expect(ledger.verify().ok).toBe(true)
  })

  it('keeps what is used when its terms change', async () => {
    const { ledger, clock, accountId, charge } = await openWithKey({ ttsQuota: 10 })
    await ledger.charge(charge('one', 10))
    clock.jump(DAY)
    const changed = await ledger.setAccount(accountId, { ttsQuota: 20, interval: 'week' })
    expect(changed.tts).toMatchObject({ limit: 20, used: 10, resetInterval: 'week', resetDate: clock.now() + 7 * DAY })
    expect(changed.stt).toMatchObject({ limit: 1_000, resetInterval: 'week' })
    expect(ledger.verify().ok).toBe(true)
  })
})

describe('what is spendable (D14)', () => {
  it.each([
    [1_000, 300, 300],
    [100, 300, 100],
    [null, 300, 300],
    [100, null, 100],
    [null, null, UNLIMITED],
  ])('with quota %s and ceiling %s is %i', async (ttsQuota, creditLimit, expected) => {
    const { ledger, key, accountId } = await openWithKey({ ttsQuota }, { creditLimit })
    const account = ledger.account(accountId)
    expect(account && spendable(key, account)).toBe(expected)
  })

  it('is nothing, not less, where a limit was lowered below what is used', async () => {
    const { ledger, key, accountId, charge } = await openWithKey({ ttsQuota: 100 })
    await ledger.charge(charge('one', 50))
    const account = await ledger.setAccount(accountId, { ttsQuota: 20 })
    expect(quotaRemaining(account.tts)).toBe(0)
    expect(spendable(key, account)).toBe(0)
  })
})
