import type { Reader } from './commit-batch.ts'
import type { Meter } from './ledger.ts'
import { accounts, charges, keys, type Posting, postingKey, postings } from './tables.ts'

/** A stored figure that does not follow from the postings. */
export interface Difference {
  readonly subject: 'key' | 'account' | 'charge'
  readonly id: string
  readonly figure: 'credit_used' | 'tts_used' | 'stt_used' | 'postings'
  readonly stored: number
  readonly computed: number
}

export interface Verification {
  readonly ok: boolean
  readonly postings: number
  readonly differences: readonly Difference[]
}

/** Adds up every posting and compares: lifetime use of each key, use of each quota's running period, one posting a charge. */
export function verify(reader: Reader): Verification {
  const sums = new Sums()
  const differences: Difference[] = []
  const compare = (
    subject: Difference['subject'],
    id: string,
    figure: Difference['figure'],
    stored: number,
    sum: number,
  ) => {
    if (stored !== sum) differences.push({ subject, id, figure, stored, computed: sum })
  }

  let count = 0
  for (const [, posting] of reader.scan(postings, {})) {
    count += 1
    sums.add(posting)
    const proven = reader.get(charges, posting.id)?.createdAt === posting.createdAt
    if (!proven) compare('charge', posting.id, 'postings', 0, 1)
  }
  for (const [id, charge] of reader.scan(charges, {})) {
    if (reader.get(postings, postingKey({ ...charge, id })) === undefined) compare('charge', id, 'postings', 1, 0)
  }
  for (const [id, key] of reader.scan(keys, {})) compare('key', id, 'credit_used', key.creditUsed, sums.ofKey(id))
  for (const [id, { tts, stt }] of reader.scan(accounts, {})) {
    compare('account', id, 'tts_used', tts.used, sums.ofQuota(id, 'tts', tts.period))
    compare('account', id, 'stt_used', stt.used, sums.ofQuota(id, 'stt', stt.period))
  }
  return { ok: differences.length === 0, postings: count, differences }
}

class Sums {
  readonly #characters = new Map<string, number>()

  add({ keyId, accountId, meter, period, characters }: Posting): void {
    for (const place of [keyId, quotaPlace(accountId, meter, period)]) {
      this.#characters.set(place, (this.#characters.get(place) ?? 0) + characters)
    }
  }

  ofKey(keyId: string): number {
    return this.#characters.get(keyId) ?? 0
  }

  ofQuota(accountId: string, meter: Meter, period: number): number {
    return this.#characters.get(quotaPlace(accountId, meter, period)) ?? 0
  }
}

function quotaPlace(accountId: string, meter: Meter, period: number): string {
  return `${accountId} ${meter} ${period}`
}
