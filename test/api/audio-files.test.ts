import { mkdtemp, readdir, readFile, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AudioFiles } from '../../src/api/audio-files.ts'
import { AUDIO_URL_LIFETIME_MS } from '../../src/limits.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { FakeClock } from '../fake-clock.ts'

let folder = ''
let clock = new FakeClock()
const openFiles = (secret = 'secret') =>
  AudioFiles.open(join(folder, 'audio'), Buffer.from(secret), clock, systemRandom)
const listing = () => readdir(join(folder, 'audio'))
const bytes = Buffer.from('some audio')

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syrinx-audio-'))
  clock = new FakeClock()
})
afterEach(() => rm(folder, { recursive: true, force: true }))

/** Name and query of an address. */
function parts(link: string): [string, URLSearchParams] {
  const url = new URL(link, 'http://node.test')
  return [url.pathname.replace('/audio/', ''), url.searchParams]
}

describe('a signed address', () => {
  it.each(['mp3', 'wav'] as const)('of a stored %s leads to it', async (format) => {
    const files = await openFiles()
    const name = await files.store(bytes, format)
    expect(name).toMatch(new RegExp(`^[a-z2-7]{26}\\.${format}$`))
    const found = await files.find(...parts(files.link(name)))
    expect(found).toMatchObject({ name, format, bytes: bytes.length })
    expect(await readFile(found?.path ?? '')).toEqual(bytes)
  })

  it('holds for 24 hours, to the millisecond, across restarts (D25)', async () => {
    const files = await openFiles()
    const link = parts(files.link(await files.store(bytes, 'wav')))
    clock.advance(AUDIO_URL_LIFETIME_MS - 1)
    expect(await (await openFiles()).find(...link)).toBeDefined()
    clock.advance(1)
    expect(await files.find(...link)).toBeUndefined()
  })

  it('does not hold under another secret', async () => {
    const files = await openFiles()
    const link = parts(files.link(await files.store(bytes, 'wav')))
    expect(await (await openFiles('another')).find(...link)).toBeUndefined()
  })

  it('can’t be changed', async () => {
    const files = await openFiles()
    const [mine, other] = [await files.store(bytes, 'wav'), await files.store(bytes, 'wav')]
    const [, query] = parts(files.link(mine))
    const changed = (name: string, value: string) => {
      const copy = new URLSearchParams(query)
      copy.set(name, value)
      return copy
    }
    expect(await files.find(other, query)).toBeUndefined()
    expect(await files.find(mine, changed('expires', String(Number(query.get('expires')) + 1)))).toBeUndefined()
    expect(await files.find(mine, changed('signature', `${query.get('signature')}A`))).toBeUndefined()
    expect(await files.find(mine, changed('signature', ''))).toBeUndefined()
    expect(await files.find(mine, new URLSearchParams())).toBeUndefined()
  })

  it.each(['../ledger/data.mdb', '..%2fsecret.wav', '/etc/passwd', 'a'.repeat(26), `${'a'.repeat(26)}.wav.part`, ''])(
    'never leads to %j',
    async (name) => {
      const files = await openFiles()
      await writeFile(join(folder, 'audio', `${'a'.repeat(26)}.wav.part`), bytes)
      expect(await files.find(...parts(files.link(name)))).toBeUndefined()
      expect(await files.find(name, parts(files.link(name))[1])).toBeUndefined()
    },
  )
})

describe('a file that is spoken into', () => {
  it('appears whole, with its sizes, when it is finished', async () => {
    const files = await openFiles()
    const wav = files.createWav(24_000)
    wav.write(Int16Array.of(1, -2))
    wav.write(Int16Array.of(3))
    expect(wav.pendingBytes).toBe(6)
    expect(await files.find(...parts(files.link(wav.name)))).toBeUndefined()
    await wav.finish()
    expect(wav.pendingBytes).toBe(0)
    const found = await files.find(...parts(files.link(wav.name)))
    const file = await readFile(found?.path ?? '')
    expect(file.toString('latin1', 0, 4)).toBe('RIFF')
    expect([file.readUInt32LE(4), file.readUInt32LE(24), file.readUInt32LE(40)]).toEqual([42, 24_000, 6])
    expect([44, 46, 48].map((at) => file.readInt16LE(at))).toEqual([1, -2, 3])
    expect(await listing()).toEqual([wav.name])
  })

  it('says when its bytes have reached the disk', async () => {
    const wav = (await openFiles()).createWav(24_000)
    const pending: number[] = []
    wav.onDrain(() => pending.push(wav.pendingBytes))
    wav.write(new Int16Array(4))
    wav.write(new Int16Array(2))
    await wav.finish()
    expect(pending).toEqual([4, 0])
  })

  it('leaves nothing behind when it is given up', async () => {
    const wav = (await openFiles()).createWav(24_000)
    wav.write(Int16Array.of(1))
    await wav.discard()
    expect(await listing()).toEqual([])
  })

  it('keeps an error of the disk until the end, and takes samples until then', async () => {
    const files = await openFiles()
    await rm(join(folder, 'audio'), { recursive: true })
    const wav = files.createWav(24_000)
    wav.write(Int16Array.of(1))
    await expect(wav.finish()).rejects.toMatchObject({ code: 'ENOENT' })
    expect(wav.pendingBytes).toBe(0)
  })
})

describe('storing', () => {
  it('rejects when the disk does', async () => {
    const files = await openFiles()
    await rm(join(folder, 'audio'), { recursive: true })
    await expect(files.store(bytes, 'mp3')).rejects.toMatchObject({ code: 'ENOENT' })
  })
})

describe('sweeping', () => {
  it('removes what is older than its address, finished or not, and nothing that is not ours', async () => {
    const files = await openFiles()
    const [old, young] = [await files.store(bytes, 'mp3'), await files.store(bytes, 'wav')]
    const halfWritten = `${'b'.repeat(26)}.wav.part`
    await writeFile(join(folder, 'audio', halfWritten), bytes)
    await writeFile(join(folder, 'audio', 'notes.txt'), bytes)
    const writtenAt = Date.UTC(2026, 0, 1)
    for (const name of [old, halfWritten, 'notes.txt']) {
      await utimes(join(folder, 'audio', name), writtenAt / 1000, writtenAt / 1000)
    }
    await utimes(join(folder, 'audio', young), writtenAt / 1000 + 3_600, writtenAt / 1000 + 3_600)
    expect(await files.sweep(writtenAt + AUDIO_URL_LIFETIME_MS)).toBe(0)
    expect(await files.sweep(writtenAt + AUDIO_URL_LIFETIME_MS + 60_000)).toBe(2)
    expect((await listing()).sort()).toEqual([young, 'notes.txt'].sort())
  })
})
