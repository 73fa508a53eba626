import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { open } from 'lmdb'
import { LmdbLedger } from '../src/ledger/lmdb-ledger.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { base32Id, systemRandom } from '../src/runtime/random.ts'
import type { BenchTable } from './table.ts'

const IN_FLIGHT = [1, 64, 512]
const ROUNDS = 5
const ROUND_MS = 400
/** A debit's posting, about what msgpack makes of it. */
const POSTING_BYTES = 110

/**
 * Durable charges a second against bare LMDB puts of the same ids with the same flush. The two take turns in short rounds,
 * so whatever else the machine does falls on both; the ratio of the medians is the result.
 */
export async function ledgerBench(): Promise<BenchTable> {
  const folder = mkdtempSync(join(tmpdir(), 'syrinx-bench-'))
  try {
    return await compare(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function compare(folder: string): Promise<BenchTable> {
  const bare = open<Uint8Array, string>({ path: join(folder, 'bare'), encoding: 'binary', overlappingSync: false })
  const value = systemRandom.bytes(POSTING_BYTES)
  const ledger = LmdbLedger.open(join(folder, 'data'), systemClock, systemRandom)
  const first = await ledger.bootstrap('preset_af_heart')
  if (first === undefined) throw new Error('The bench needs an empty folder')
  await ledger.setAccount(first.account.id, { ttsQuota: null })
  const keyId = first.voice.key.id
  // Identifiers cost more than either side here, so they are made beforehand and both sides use the same ones.
  const ids = Array.from({ length: IDS }, () => `req_${base32Id(systemRandom, 20)}`)
  const put = idsOf(ids)
  const charge = idsOf(ids)

  const rows: (string | number)[][] = []
  for (const inFlight of IN_FLIGHT) {
    const puts: Round[] = []
    const charges: Round[] = []
    for (let round = 0; round < ROUNDS; round++) {
      puts.push(await measure(inFlight, () => bare.put(put(), value)))
      charges.push(
        await measure(inFlight, async () => {
          const outcome = await ledger.charge({ id: charge(), keyId, meter: 'tts', characters: 1 })
          if (outcome.status !== 'charged') throw new Error(outcome.status)
        }),
      )
    }
    const charged = median(charges.map((round) => round.perSecond))
    const bareRate = median(puts.map((round) => round.perSecond))
    const times = charges.flatMap((round) => round.milliseconds).sort((a, b) => a - b)
    const percentiles = [0.5, 0.95, 0.99].map((share) => (times[Math.floor(share * times.length)] ?? 0).toFixed(2))
    rows.push([inFlight, Math.round(charged), Math.round(bareRate), (charged / bareRate).toFixed(2), ...percentiles])
  }

  const { ok, postings } = ledger.verify()
  await ledger.close()
  await bare.close()
  return {
    title: 'Durable charges',
    columns: ['in flight', 'charges/s', 'bare puts/s', 'ratio', 'p50 ms', 'p95 ms', 'p99 ms'],
    rows,
    notes: [
      'A charge checks quota and ceiling and writes the posting, its index, the key and the account; a bare put writes one value of the size of a posting under the same id. Both resolve when they are on disk.',
      `Medians of ${ROUNDS} rounds of ${ROUND_MS} ms that take turns; percentiles over every charge. Aim: at least 0.6 of bare.`,
      `After the run the ledger was ${ok ? 'consistent' : 'NOT CONSISTENT'}: ${postings} postings add up.`,
    ],
  }
}

const IDS = 600_000

interface Round {
  readonly perSecond: number
  readonly milliseconds: readonly number[]
}

/** Keeps `inFlight` calls running for the length of a round. */
async function measure(inFlight: number, call: () => Promise<unknown>): Promise<Round> {
  const milliseconds: number[] = []
  const start = performance.now()
  const end = start + ROUND_MS
  const caller = async () => {
    for (let before = performance.now(); before < end; ) {
      await call()
      const after = performance.now()
      milliseconds.push(after - before)
      before = after
    }
  }
  await Promise.all(Array.from({ length: inFlight }, caller))
  return { perSecond: milliseconds.length / ((performance.now() - start) / 1000), milliseconds }
}

function idsOf(ids: readonly string[]): () => string {
  let next = 0
  return () => {
    const id = ids[next++]
    if (id === undefined) throw new Error('More identifiers are needed')
    return id
  }
}

function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor(sorted.length / 2)] ?? 0
}
