import { describe, expect, it } from 'vitest'
import { FakeClock } from '../fake-clock.ts'
import { settled } from '../inference/scripted-pool.ts'
import { Chance } from './chance.ts'
import { Life } from './life.ts'
import { LedgerDisk, mountLedger, open } from './simulated-lmdb.ts'

function openLedger(refusedShare = 0) {
  const clock = new FakeClock()
  const disk = new LedgerDisk(new Chance(1), { refusedShare, flushMsMax: 5 })
  const process = () => {
    const life = new Life(clock)
    disk.opener = life
    mountLedger(disk)
    const root = open()
    return { life, root, table: root.openDB({ name: 'table' }) }
  }
  const run = async () => {
    while (clock.step()) await settled()
  }
  return { disk, process, run }
}

describe('the simulated LMDB', () => {
  it('shows what a transaction writes to itself at once, and to others when it is on disk', async () => {
    const { process, run } = openLedger()
    const { root, table } = process()
    let within: Uint8Array | undefined
    const committed = root.childTransaction(() => {
      table.putSync('a', Uint8Array.of(1))
      within = table.get('a')
    })
    expect(table.get('a')).toBeUndefined()
    await run()
    await committed
    expect([within, table.get('a')]).toEqual([Uint8Array.of(1), Uint8Array.of(1)])
  })

  it('keeps nothing of a process that dies before its commit is on disk, and all of one that dies after', async () => {
    for (const [flushes, kept] of [
      [1, undefined],
      [2, Uint8Array.of(1)],
    ] as const) {
      const { disk, process, run } = openLedger()
      const { life, root, table } = process()
      let flush = 0
      disk.onFlush = () => {
        flush += 1
        if (flush === flushes) life.end()
      }
      let hasHeard = false
      void root
        .childTransaction(() => table.putSync('a', Uint8Array.of(1)))
        .then(() => {
          hasHeard = true
        })
      await run()
      expect(hasHeard).toBe(false)
      expect(process().table.get('a')).toEqual(kept)
    }
  })

  it('lets one process write at a time, and passes the lock of a dead one on', async () => {
    const { disk, process, run } = openLedger()
    const [first, second] = [process(), process()]
    let done = 0
    void first.root.childTransaction(() => first.life.end())
    void second.root
      .childTransaction(() => {})
      .then(() => {
        done += 1
      })
    await run()
    expect(done).toBe(0)
    disk.abandon(first.life)
    await run()
    expect(done).toBe(1)
  })

  it('rolls back what throws, and what the disk refuses', async () => {
    for (const refusedShare of [0, 1]) {
      const { process, run } = openLedger(refusedShare)
      const { root, table } = process()
      const writing = root.childTransaction(() => {
        table.putSync('a', Uint8Array.of(1))
        if (refusedShare === 0) throw new Error('no')
      })
      const failed = writing.catch((error: unknown) => {
        const reason = error instanceof Error && 'commitError' in error ? error.commitError : undefined
        return Promise.resolve(reason).catch(() => {})
      })
      await run()
      await failed
      expect(table.get('a')).toBeUndefined()
    }
  })
})
