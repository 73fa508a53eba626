import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { systemRandom } from '../../src/runtime/random.ts'
import { isDiskFull, Spool, SpoolFull } from '../../src/runtime/spool.ts'

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'syrinx-spool-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

describe('a spool', () => {
  it('removes at its start what an earlier run left, and nothing else', async () => {
    const folder = temporaryFolder()
    const left = await (await Spool.open(folder, 100, systemRandom)).create()
    onTestFinished(() => left.remove())
    writeFileSync(join(folder, 'notes.txt'), 'mine')
    expect(readdirSync(folder)).toHaveLength(2)
    await Spool.open(folder, 100, systemRandom)
    expect(readdirSync(folder)).toEqual(['notes.txt'])
  })

  it('makes its folder', async () => {
    const folder = join(temporaryFolder(), 'not', 'yet', 'there')
    const file = await (await Spool.open(folder, 100, systemRandom)).create()
    expect(readdirSync(folder)).toHaveLength(1)
    await file.remove()
  })

  it('counts the bytes of all files and refuses those past its cap', async () => {
    const spool = await Spool.open(temporaryFolder(), 100, systemRandom)
    const [one, other] = [await spool.create(), await spool.create()]
    await one.append(new Uint8Array(60))
    await expect(other.append(new Uint8Array(41))).rejects.toThrow(SpoolFull)
    await other.append(new Uint8Array(40))
    expect(() => one.claim(1)).toThrow(SpoolFull)
    expect([spool.usedBytes, one.bytes, other.bytes]).toEqual([100, 60, 40])
    await one.remove()
    expect(spool.usedBytes).toBe(40)
    await other.append(new Uint8Array(60))
    expect(spool.usedBytes).toBe(100)
  })

  it('gives back what was claimed for others and not used', async () => {
    const spool = await Spool.open(temporaryFolder(), 100, systemRandom)
    const file = await spool.create()
    file.claim(100)
    file.settle(30)
    expect([spool.usedBytes, file.bytes]).toEqual([30, 30])
    await file.remove()
    await file.remove()
    expect(spool.usedBytes).toBe(0)
  })
})

describe('a file of a spool', () => {
  it('holds what was appended, reads from anywhere, and is gone when removed', async () => {
    const folder = temporaryFolder()
    const file = await (await Spool.open(folder, 100, systemRandom)).create()
    await file.append(Buffer.from('some '))
    await file.append(Buffer.from('bytes'))
    expect(readFileSync(file.path, 'utf8')).toBe('some bytes')
    expect(Buffer.from(await file.read(3, 4)).toString()).toBe('e by')
    expect(Buffer.from(await file.read(8, 100)).toString()).toBe('es')
    expect(await file.read(50, 4)).toHaveLength(0)
    await file.remove()
    expect(readdirSync(folder)).toEqual([])
  })
})

describe('a full disk', () => {
  it('is told from other faults', () => {
    expect(isDiskFull(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toBe(true)
    expect(isDiskFull(Object.assign(new Error('quota'), { code: 'EDQUOT' }))).toBe(true)
    expect(isDiskFull(Object.assign(new Error('access'), { code: 'EACCES' }))).toBe(false)
    expect(isDiskFull('ENOSPC')).toBe(false)
  })
})
