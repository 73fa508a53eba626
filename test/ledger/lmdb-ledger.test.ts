import { describe, expect, it } from 'vitest'
import { addAccount, openLedger } from './temporary-ledger.ts'

describe('the observer of a ledger', () => {
  async function observed() {
    const debits: [string, number][] = []
    const commits: number[] = []
    const { ledger } = openLedger(undefined, undefined, {
      committed: (ms) => commits.push(ms),
      charged: (meter, characters) => debits.push([meter, characters]),
    })
    const { charge, key } = await addAccount(ledger, { ttsQuota: 100, sttQuota: 10 })
    return { ledger, debits, commits, charge, key }
  }

  it('hears of a debit once, however often it is repeated, and not of one that is refused', async () => {
    const { ledger, debits, charge } = await observed()
    await Promise.all([ledger.charge(charge('same', 12)), ledger.charge(charge('same', 12))])
    await ledger.charge(charge('same', 12))
    expect((await ledger.charge(charge('large', 89))).status).toBe('quota_exceeded')
    expect(debits).toEqual([['tts', 12]])
  })

  it('hears of what a token costs, and of what was left where a debit is cut', async () => {
    const { ledger, debits, charge } = await observed()
    await ledger.issueToken(charge('token', 30), 'preset_af_heart')
    const heard = { ...charge('heard', 25), meter: 'stt' } as const
    await ledger.chargeUpTo(heard)
    await ledger.chargeUpTo(heard)
    expect(debits).toEqual([
      ['tts', 30],
      ['stt', 10],
    ])
  })

  it('hears of a commit that many writes share once', async () => {
    const { ledger, commits, charge } = await observed()
    const before = commits.length
    await Promise.all(Array.from({ length: 20 }, (_, i) => ledger.charge(charge(`n${i}`, 1))))
    expect(commits.length - before).toBe(1)
  })
})
