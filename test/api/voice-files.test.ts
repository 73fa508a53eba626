import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { VoiceFiles } from '../../src/api/voice-files.ts'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { newVoiceId } from '../../src/ledger/voices.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { type Disk, systemDisk } from '../../src/runtime/disk.ts'
import { systemRandom } from '../../src/runtime/random.ts'

const SCRIPT = fileURLToPath(new URL('enrolling-process.mjs', import.meta.url))
const RECORDING = 'as it was uploaded, byte by byte'
const FEATURES = new Uint8Array(1_000).fill(7)
const created = async () => ({ status: 'created' })

async function workplace(disk: Disk = systemDisk) {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-voices-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const reference = join(folder, 'upload')
  await writeFile(reference, RECORDING)
  const voices = join(folder, 'voices')
  const files = await VoiceFiles.open(voices, disk)
  return { folder, reference, voices, files, id: newVoiceId(systemRandom) }
}

describe('the files of a voice', () => {
  it('are the recording as it came, and features that are read back as they were', async () => {
    const { files, id, reference, voices } = await workplace()
    expect(await files.add(id, { reference, features: FEATURES }, created)).toEqual({ status: 'created' })
    expect(await files.load(id)).toEqual(FEATURES)
    expect(await readFile(join(voices, id, 'reference'), 'utf8')).toBe(RECORDING)
  })

  it('are for the owner of the data folder alone', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    const parts = ['features', 'reference'].map((name) => join(voices, id, name))
    for (const path of [voices, join(voices, id), ...parts]) expect((await stat(path)).mode & 0o077).toBe(0)
  })

  it('are in place before the voice is recorded', async () => {
    const { files, id, reference } = await workplace()
    let loaded: unknown
    await files.add(id, { reference, features: FEATURES }, async () => {
      loaded = await files.load(id)
      return { status: 'created' }
    })
    expect(loaded).toEqual(FEATURES)
  })

  it('go again when the voice is not recorded', async () => {
    const { files, id, reference, voices } = await workplace()
    const added = files.add(id, { reference, features: FEATURES }, async () => ({ status: 'limit_reached' }))
    expect(await added).toEqual({ status: 'limit_reached' })
    const failing = files.add(id, { reference, features: FEATURES }, () => Promise.reject(new Error('no ledger')))
    await expect(failing).rejects.toThrow('no ledger')
    expect(await readdir(voices)).toEqual([])
  })

  it('are removed, and removed again', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    await files.remove(id)
    await files.remove(id)
    expect([await files.load(id), await readdir(voices)]).toEqual([undefined, []])
  })
})

describe('features', () => {
  it('that the engine does not understand any more are none', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    const isSeven = (features: Uint8Array) => (features[0] === 7 ? 'refined' : 'lost')
    const isOther = (features: Uint8Array) => (features[0] === 7 ? 'lost' : 'refined')
    expect(await (await VoiceFiles.open(voices, systemDisk, isSeven)).load(id)).toEqual(FEATURES)
    expect(await (await VoiceFiles.open(voices, systemDisk, isOther)).load(id)).toBeUndefined()
  })

  it('that were lost are restored once, by however many at a time', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    await rm(join(voices, id, 'features'))
    await Promise.all(Array.from({ length: 5 }, () => files.restore(id, { reference, features: FEATURES })))
    expect([await files.load(id), await readdir(voices)]).toEqual([FEATURES, [id]])
    await files.restore(id, { reference, features: FEATURES.map(() => 8) })
    expect(await files.load(id)).toEqual(FEATURES.map(() => 8))
  })

  it('that were lost are restored with the recording', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    await rm(join(voices, id, 'features'))
    await files.restore(id, { reference, features: FEATURES.map(() => 8) })
    expect(await files.load(id)).toEqual(FEATURES.map(() => 8))
    await rm(join(voices, id), { recursive: true })
    await files.restore(id, { reference, features: FEATURES })
    expect(await files.load(id)).toEqual(FEATURES)
    expect(await readdir(voices)).toEqual([id])
  })

  it.each([
    ['are missing', async (path: string) => rm(path)],
    ['are cut short', async (path: string) => writeFile(path, (await readFile(path)).subarray(0, 500))],
    ['are empty', async (path: string) => writeFile(path, '')],
    ['have a wrong bit', async (path: string) => writeFile(path, flipped(await readFile(path), 600))],
    ['have a wrong checksum', async (path: string) => writeFile(path, flipped(await readFile(path), 3))],
    ['are longer than any', async (path: string) => writeFile(path, new Uint8Array(70_000))],
  ])('that %s are none', async (_, spoil) => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    await spoil(join(voices, id, 'features'))
    expect(await files.load(id)).toBeUndefined()
  })

  it.each(['', '..', '../voices', 'preset_af_heart', 'voice_x'])('of %j are none', async (id) => {
    expect(await (await workplace()).files.load(id)).toBeUndefined()
  })

  function flipped(bytes: Buffer, at: number): Buffer {
    bytes[at]! ^= 1
    return bytes
  }
})

describe('refining', () => {
  it('replaces the features and takes what was measured of those before; the recording stays', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    await writeFile(join(voices, id, 'conditioning'), 'of a sketch')
    await files.refine(
      id,
      FEATURES.map(() => 8),
    )
    expect(await files.load(id)).toEqual(FEATURES.map(() => 8))
    expect(await readFile(files.referenceOf(id), 'utf8')).toBe(RECORDING)
    expect([await readdir(voices), (await readdir(join(voices, id))).sort()]).toEqual([[id], ['features', 'reference']])
    expect((await stat(join(voices, id, 'features'))).mode & 0o077).toBe(0)
  })

  it('of a voice that has gone fails, and leaves nothing', async () => {
    const { files, id, reference, voices } = await workplace()
    await files.add(id, { reference, features: FEATURES }, created)
    await files.remove(id)
    await expect(files.refine(id, FEATURES)).rejects.toThrow('ENOENT')
    expect(await readdir(voices)).toEqual([])
  })

  it.each(['write', 'rename'] as const)('leaves the sketch where the disk fails to %s', async (step) => {
    const disk = { ...systemDisk }
    const { files, id, reference, voices } = await workplace(disk)
    await files.add(id, { reference, features: FEATURES }, created)
    disk[step] = () => Promise.reject(new Error('no space'))
    await expect(files.refine(id, new Uint8Array(3))).rejects.toThrow('no space')
    expect([await files.load(id), await readdir(voices)]).toEqual([FEATURES, [id]])
  })

  it('is owed to sketches, to what the engine does not understand, and to what is lost', async () => {
    const { reference, voices } = await workplace()
    const states = { 7: 'refined', 8: 'sketch', 9: 'lost' } as const
    const files = await VoiceFiles.open(voices, systemDisk, ([first]) => states[first as 7 | 8 | 9])
    const ids = [7, 8, 9, 7].map(() => newVoiceId(systemRandom))
    for (const [index, first] of [7, 8, 9, 7].entries())
      await files.add(ids[index]!, { reference, features: FEATURES.map(() => first) }, created)
    await rm(join(voices, ids[3]!, 'features'))
    await mkdir(join(voices, 'lost+found'))
    expect((await files.unrefined()).sort()).toEqual(ids.slice(1).sort())
  })

  it('is not swept away while it goes on', async () => {
    const disk = { ...systemDisk }
    const { files, id, reference } = await workplace(disk)
    await files.add(id, { reference, features: FEATURES }, created)
    disk.rename = async (from, to) => {
      expect(await files.sweep(() => true)).toBe(0)
      await systemDisk.rename(from, to)
    }
    await files.refine(
      id,
      FEATURES.map(() => 8),
    )
    expect(await files.load(id)).toEqual(FEATURES.map(() => 8))
  })
})

describe('a sweep', () => {
  it('removes what belongs to no voice, and touches nothing else', async () => {
    const { files, id, reference, voices } = await workplace()
    const orphan = newVoiceId(systemRandom)
    await files.add(id, { reference, features: FEATURES }, created)
    await files.add(orphan, { reference, features: FEATURES }, created)
    await mkdir(join(voices, `${newVoiceId(systemRandom)}.part`))
    await mkdir(join(voices, `${id}.part`))
    await mkdir(join(voices, 'lost+found'))
    expect(await files.sweep((voiceId) => voiceId === id)).toBe(3)
    expect((await readdir(voices)).sort()).toEqual(['lost+found', id])
    expect(await files.load(id)).toEqual(FEATURES)
  })

  it('leaves a voice alone whose record is about to come', async () => {
    const { files, id, reference } = await workplace()
    let removed: number | undefined
    await files.add(id, { reference, features: FEATURES }, async () => {
      removed = await files.sweep(() => false)
      return { status: 'created' }
    })
    expect(removed).toBe(0)
    expect(await files.load(id)).toEqual(FEATURES)
  })
})

describe('a process killed at any step', () => {
  /** What a node finds at its next start. */
  async function restart(folder: string, id: string, accountId: string) {
    const ledger = LmdbLedger.open(folder, systemClock, systemRandom)
    const voices = join(folder, 'voices')
    const files = await VoiceFiles.open(voices, systemDisk)
    await files.sweep((voiceId) => ledger.voice(voiceId) !== undefined)
    const isVoice = ledger.voice(id) !== undefined
    const found = {
      listed: ledger.voicesOf(accountId).length,
      keys: ledger.keysOf(accountId).filter(({ voiceId }) => voiceId === id).length,
      consents: ledger.consentsOf(accountId).map(({ voiceDeletedAt }) => voiceDeletedAt === null),
      folders: await readdir(voices),
      reference: await readFile(join(voices, id, 'reference'), 'utf8').catch(() => undefined),
      features: await files.load(id),
    }
    await ledger.close()
    return { isVoice, found }
  }

  const whole = (id: string) => {
    return { listed: 1, keys: 1, consents: [true], folders: [id], reference: RECORDING, features: FEATURES }
  }
  const none = { listed: 0, keys: 0, folders: [], reference: undefined, features: undefined }

  async function prepare() {
    const { folder, reference, id } = await workplace()
    const ledger = LmdbLedger.open(folder, systemClock, systemRandom)
    const first = await ledger.bootstrap('preset_af_heart')
    await ledger.close()
    const { account, admin } = first!
    const run = (work: string, step: number) => {
      const args = [SCRIPT, folder, reference, account.id, admin.key.id, work, id, String(step)]
      return new Promise<string | null>((resolve) => {
        const child = execFile(process.execPath, args, (_, stdout) =>
          resolve(stdout === 'end\n' ? 'end' : child.signalCode),
        )
      })
    }
    // As engines do of voices that speak.
    const measure = () => writeFile(join(folder, 'voices', id, 'conditioning'), 'of a sketch')
    return { run, check: () => restart(folder, id, account.id), id, measure }
  }

  it('of an enrollment leaves a whole voice or none', async () => {
    const seen: boolean[] = []
    for (let step = 1; ; step++) {
      const { run, check, id } = await prepare()
      const end = await run('enroll', step)
      const { isVoice, found } = await check()
      expect({ step, ...found }).toEqual({ step, ...(isVoice ? whole(id) : { ...none, consents: [] }) })
      seen.push(isVoice)
      if (end === 'end') break
      expect(end).toBe('SIGKILL')
    }
    // Folder, copy, write, sync, rename, sync; then the ledger, before and after; then nothing is left to interrupt.
    expect(seen).toEqual([false, false, false, false, false, false, false, true, true])
  })

  it('of a refinement leaves the sketch or what it became, and nothing beside it', async () => {
    const seen: number[] = []
    for (let step = 1; ; step++) {
      const { run, check, id, measure } = await prepare()
      expect(await run('enroll', 0)).toBe('end')
      await measure()
      const end = await run('refine', step)
      const { found } = await check()
      const [first] = found.features ?? []
      const features = FEATURES.map(() => first ?? 0)
      expect({ step, ...found }).toEqual({ step, ...whole(id), features })
      seen.push(first ?? 0)
      if (end === 'end') break
      expect(end).toBe('SIGKILL')
    }
    // Write, list, remove, rename; sync, and remove what is gone already; then nothing is left to interrupt.
    expect(seen).toEqual([7, 7, 7, 7, 8, 8, 8])
  })

  it('of a deletion leaves a whole voice or none, and the consent either way', async () => {
    const seen: boolean[] = []
    for (let step = 1; ; step++) {
      const { run, check, id } = await prepare()
      expect(await run('enroll', 0)).toBe('end')
      const end = await run('delete', step)
      const { isVoice, found } = await check()
      expect({ step, ...found }).toEqual({ step, ...(isVoice ? whole(id) : { ...none, consents: [false] }) })
      seen.push(isVoice)
      if (end === 'end') break
      expect(end).toBe('SIGKILL')
    }
    // The ledger, before and after; rename, remove, remove what is gone already, sync; then nothing is left to interrupt.
    expect(seen).toEqual([true, false, false, false, false, false, false])
  })
})
