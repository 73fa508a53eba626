import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AccountOptions } from '../../src/ledger/accounts.ts'
import type { KeyOptions } from '../../src/ledger/keys.ts'
import type { Charge, NewKey } from '../../src/ledger/ledger.ts'
import { type LedgerObserver, LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { FakeClock } from '../fake-clock.ts'

/** A folder that goes away with the test. */
export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'syrinx-ledger-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** A ledger in a folder of its own, closed with the test. */
export function openLedger(folder = temporaryFolder(), clock = new FakeClock(), observer?: LedgerObserver) {
  const ledger = LmdbLedger.open(folder, clock, systemRandom, observer)
  onTestFinished(() => ledger.close())
  return { ledger, clock, folder }
}

/** A ledger with one account and one voice key. */
export async function openWithKey(account: Partial<AccountOptions> = {}, key: Partial<KeyOptions> = {}) {
  const opened = openLedger()
  return { ...opened, ...(await addAccount(opened.ledger, account, key)) }
}

export async function addAccount(
  ledger: LmdbLedger,
  account: Partial<AccountOptions> = {},
  key: Partial<KeyOptions> = {},
): Promise<NewKey & { readonly accountId: string; readonly charge: (id: string, characters: number) => Charge }> {
  const { id: accountId } = await ledger.createAccount({
    ...{ name: 'Test', ttsQuota: 1_000, sttQuota: 1_000, interval: 'month', intervalCount: 1 },
    ...account,
  })
  const created = await ledger.createKey({ accountId, kind: 'voice', name: 'Test', voiceId: 'preset_af_heart', ...key })
  const charge = (id: string, characters: number): Charge => ({ id, keyId: created.key.id, meter: 'tts', characters })
  return { ...created, accountId, charge }
}
