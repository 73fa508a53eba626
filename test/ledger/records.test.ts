import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ApiKey } from '../../src/ledger/ledger.ts'
import { InvalidRecord } from '../../src/ledger/records.ts'
import { accounts, keys, type Posting, postings } from '../../src/ledger/tables.ts'

const posting: Posting = {
  ...{ id: 'req_1', keyId: 'key_1', accountId: 'acct_1', meter: 'tts' },
  ...{ characters: 12, createdAt: 1_750_000_000_000, period: 3 },
}

const count = fc.maxSafeNat()
const apiKey: fc.Arbitrary<ApiKey> = fc.record({
  ...{ id: fc.string(), accountId: fc.string(), name: fc.string({ unit: 'grapheme' }), prefix: fc.string() },
  ...{ lastFour: fc.string(), kind: fc.constantFrom('admin', 'voice', 'stt') },
  scopes: fc.subarray(['tts.generate', 'tts.stream', 'usage.read', 'stt.transcribe', 'stt.stream'] as const),
  status: fc.constantFrom('active', 'revoked', 'inactive'),
  voiceId: fc.option(fc.string()),
  permissions: fc.option(
    fc.record({
      endpoints: fc.record({ tts: fc.boolean(), stt: fc.boolean() }),
      audioUpload: fc.boolean(),
      keyManagement: fc.boolean(),
      voiceScope: fc.constantFrom('all', 'mine', 'custom'),
      voiceIds: fc.array(fc.string()),
    }),
  ),
  ...{ createdAt: count, lastUsedAt: fc.option(count), expiresAt: fc.option(count) },
  ...{ creditLimit: fc.option(count), creditUsed: count },
})

describe('a record', () => {
  it('comes back as it was stored', () => {
    fc.assert(
      fc.property(apiKey, (key) => {
        expect(keys.codec.decode(keys.codec.encode(key))).toEqual(key)
      }),
    )
  })

  it('of another version is refused by name and version', () => {
    const bytes = postings.codec.encode(posting)
    bytes[0] = 9
    expect(() => postings.codec.decode(bytes)).toThrow(InvalidRecord)
    expect(() => postings.codec.decode(bytes)).toThrow(/postings record has version 9.* reads version 1/)
  })

  it('of another table is refused', () => {
    expect(() => accounts.codec.decode(postings.codec.encode(posting))).toThrow(/accounts record: 6 fields expected/)
  })

  it('with a field that breaks its rule is not written', () => {
    expect(() => postings.codec.check({ ...posting, characters: -1 })).toThrow(
      /characters must be a whole number that is not negative/,
    )
    expect(() => postings.codec.check({ ...posting, createdAt: Number.NaN })).toThrow(/createdAt must be/)
  })

  it('that was cut short or overwritten is refused or read whole, never half', () => {
    const whole = postings.codec.encode(posting)
    for (let length = 0; length < whole.length; length++) {
      expect(() => postings.codec.decode(whole.subarray(0, length))).toThrow()
    }
  })
})
