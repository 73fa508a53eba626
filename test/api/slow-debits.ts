import { vi } from 'vitest'
import type { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'

/** Debits of transcripts that are on disk only when `onDisk` is called. */
export function slowDebits(ledger: LmdbLedger) {
  let onDisk = () => {}
  const debit = ledger.chargeUpTo.bind(ledger)
  const gate = new Promise<void>((resolve) => {
    onDisk = resolve
  })
  const charge = vi.spyOn(ledger, 'chargeUpTo').mockImplementation(async (posting) => {
    await gate
    return debit(posting)
  })
  return { charge, onDisk }
}
