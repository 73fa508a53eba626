import { statSync } from 'node:fs'
import { join } from 'node:path'
import type * as Lmdb from 'lmdb'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { LmdbLedger, ledgerFolder } from '../../src/ledger/lmdb-ledger.ts'
import { Store } from '../../src/ledger/store.ts'
import { charges, postings, secrets } from '../../src/ledger/tables.ts'
import { verify } from '../../src/ledger/verify.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { FakeClock } from '../fake-clock.ts'
import { addAccount, openWithKey, temporaryFolder } from './temporary-ledger.ts'

/** The real LMDB; a test may hold its commits back after they are done. */
const disk = vi.hoisted(() => ({ options: [] as unknown[], committed: Promise.resolve() }))
vi.mock('lmdb', async (original) => {
  const lmdb = await original<typeof Lmdb>()
  return {
    ...lmdb,
    open(options: Lmdb.RootDatabaseOptionsWithPath) {
      disk.options.push(options)
      const root = lmdb.open(options)
      const commit = root.childTransaction.bind(root)
      root.childTransaction = async <T>(action: () => T) => {
        const result = await commit(action)
        await disk.committed
        return result
      }
      return root
    },
  }
})

function openStore(folder = temporaryFolder()): Store {
  const store = Store.open(folder)
  onTestFinished(() => store.close())
  return store
}

const secretOf = (byte: number) => ({ secret: new Uint8Array([byte]) })

describe('a write', () => {
  it('resolves only after its commit, and a commit waits for the disk', async () => {
    const { ledger, charge } = await openWithKey()
    expect(disk.options.at(-1)).toMatchObject({ overlappingSync: false, noSync: false, noMetaSync: false })
    let release = () => {}
    disk.committed = new Promise((resolve) => {
      release = resolve
    })
    let answered = false
    const charged = ledger.charge(charge('req_1', 5)).then((outcome) => {
      answered = true
      return outcome
    })
    // A fence: the write has been through the disk when another process could read it.
    while ([...ledger.exportPostings()].length === 0) await new Promise((resolve) => setImmediate(resolve))
    expect(answered).toBe(false)
    release()
    expect(await charged).toEqual({ status: 'charged' })
  })

  it('that throws leaves no trace and harms no other of the same commit', async () => {
    const store = openStore()
    const results = await Promise.allSettled([
      store.write((transaction) => transaction.put(secrets, 'a', secretOf(1))),
      store.write((transaction) => {
        transaction.put(secrets, 'a', secretOf(2))
        transaction.put(secrets, 'b', secretOf(2))
        throw new Error('changed its mind')
      }),
      store.write((transaction) => transaction.get(secrets, 'a')?.secret[0]),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(results[2]).toMatchObject({ value: 1 })
    expect(store.read.get(secrets, 'a')?.secret[0]).toBe(1)
    expect(store.read.get(secrets, 'b')).toBeUndefined()
  })

  it('sees what it and those before it in the same commit wrote and removed', async () => {
    const store = openStore()
    const [, seen, listed] = await Promise.all([
      store.write((transaction) => {
        transaction.put(secrets, 'a', secretOf(1))
        transaction.put(secrets, 'b', secretOf(1))
      }),
      store.write((transaction) => {
        transaction.remove(secrets, 'a')
        transaction.put(secrets, 'c', secretOf(3))
        return [transaction.get(secrets, 'a'), transaction.get(secrets, 'b'), transaction.get(secrets, 'c')]
      }),
      store.write((transaction) => [...transaction.scan(secrets, {})].map(([name]) => name)),
    ])
    expect(seen).toEqual([undefined, secretOf(1), secretOf(3)])
    expect(listed).toEqual(['b', 'c'])
  })

  it('with a record that breaks its rules fails alone', async () => {
    const store = openStore()
    const bad = { secret: 'text' as unknown as Uint8Array }
    const [refused, kept] = await Promise.allSettled([
      store.write((transaction) => transaction.put(secrets, 'a', bad)),
      store.write((transaction) => transaction.put(secrets, 'b', secretOf(1))),
    ])
    expect(refused).toMatchObject({ reason: { message: 'secrets record: secret must be bytes' } })
    expect(kept.status).toBe('fulfilled')
    expect(store.read.get(secrets, 'a')).toBeUndefined()
    expect(store.read.get(secrets, 'b')).toEqual(secretOf(1))
  })

  it('is finished before the store closes, and refused after', async () => {
    const folder = temporaryFolder()
    const store = openStore(folder)
    const writes = Array.from({ length: 2_000 }, (_, i) =>
      store.write((transaction) => transaction.put(secrets, `n${i}`, secretOf(i % 256))),
    )
    await store.close()
    await Promise.all(writes)
    await expect(store.write(() => undefined)).rejects.toThrow('The ledger is closed')
    expect([...openStore(folder).read.scan(secrets, {})]).toHaveLength(2_000)
  })
})

describe('a snapshot', () => {
  it('stays as it was while others write', async () => {
    const store = openStore()
    await store.write((transaction) => transaction.put(secrets, 'a', secretOf(1)))
    const names = store.snapshot((reader) =>
      [...reader.scan(secrets, { from: 'a', before: 'b' })].map(([name]) => name),
    )
    expect(names).toEqual(['a'])
  })
})

describe('the folder', () => {
  it('is for its owner alone', async () => {
    const folder = join(temporaryFolder(), 'data')
    openStore(ledgerFolder(folder))
    expect(statSync(ledgerFolder(folder)).mode & 0o777).toBe(0o700)
  })
})

describe('verification', () => {
  it('names every figure that does not follow from the postings', async () => {
    const folder = temporaryFolder()
    const ledger = LmdbLedger.open(folder, new FakeClock(), systemRandom)
    const { key, accountId, charge } = await addAccount(ledger)
    await ledger.charge(charge('req_1', 5))
    await ledger.charge(charge('req_2', 7))
    await ledger.close()

    const store = openStore(ledgerFolder(folder))
    const [first] = [...store.read.scan(postings, {})]
    if (first === undefined) throw new Error('a posting was expected')
    await store.write((transaction) => {
      transaction.remove(postings, first[0])
      transaction.put(charges, 'req_never', { createdAt: 0 })
      transaction.remove(charges, 'req_2')
    })
    const lost = first[1]
    expect(lost.id).toBe('req_1')
    expect(store.snapshot(verify)).toEqual({
      ok: false,
      postings: 1,
      differences: [
        { subject: 'charge', id: 'req_2', figure: 'postings', stored: 0, computed: 1 },
        { subject: 'charge', id: 'req_1', figure: 'postings', stored: 1, computed: 0 },
        { subject: 'charge', id: 'req_never', figure: 'postings', stored: 1, computed: 0 },
        { subject: 'key', id: key.id, figure: 'credit_used', stored: 12, computed: 7 },
        { subject: 'account', id: accountId, figure: 'tts_used', stored: 12, computed: 7 },
      ],
    })
  })
})
