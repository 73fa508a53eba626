import { join } from 'node:path'
import type { Pack } from './catalog.ts'
import { digestFile, type FileDigest, sameDigest, stampFile } from './checked-file.ts'
import { bytesOf } from './pack-fetcher.ts'
import { fittingRecord, type InstallBasis, looksUntouched } from './pack-record.ts'
import { basisOf } from './packs.ts'

export interface PackStatus {
  readonly name: string
  readonly what: string
  readonly licence: string
  readonly default: boolean
  readonly bytes: number
  readonly files: number
  /** Judged by sizes and ages alone. `fetched`: every file is there, the installation is not. */
  readonly state: 'ready' | 'fetched' | 'partial' | 'absent'
}

/** Every pack of the catalog and how far it is in this folder. Reads no content and changes nothing. */
export async function listPacks(modelsDir: string, given: Partial<InstallBasis> = {}): Promise<readonly PackStatus[]> {
  const basis = basisOf(given)
  const list: PackStatus[] = []
  for (const pack of basis.catalog) {
    list.push({
      name: pack.name,
      what: pack.what,
      licence: pack.licence,
      default: pack.default,
      bytes: bytesOf(pack.files),
      files: pack.files.length,
      state: await stateOf(join(modelsDir, pack.name), pack, basis),
    })
  }
  return list
}

async function stateOf(packDir: string, pack: Pack, basis: InstallBasis): Promise<PackStatus['state']> {
  const record = await fittingRecord(packDir, pack, basis)
  if (record !== undefined && (await looksUntouched(packDir, record))) return 'ready'
  const stamps = await Promise.all(pack.files.map((file) => stampFile(join(packDir, file.path))))
  if (pack.files.every((file, index) => stamps[index]?.bytes === file.bytes)) return 'fetched'
  return stamps.some((stamp) => stamp !== undefined) ? 'partial' : 'absent'
}

export interface Verification {
  /** Packs that were looked at: the default ones, and others of which something is there. */
  readonly packs: readonly string[]
  /** Files whose content was read and compared. */
  readonly files: number
  readonly differences: readonly Difference[]
  /** Packs whose files are right but that still have to be installed; the next start or pull does it. */
  readonly uninstalled: readonly string[]
}

export interface Difference {
  readonly pack: string
  /** Relative to the pack's folder. */
  readonly path: string
  readonly expected: FileDigest
  /** null: there is no such file. */
  readonly found: FileDigest | null
}

/** Reads every file of the packs, fetched and made by installing, and compares its sha256. Changes nothing. */
export async function verifyPacks(modelsDir: string, given: Partial<InstallBasis> = {}): Promise<Verification> {
  const basis = basisOf(given)
  const packs: string[] = []
  const differences: Difference[] = []
  const uninstalled: string[] = []
  let files = 0
  for (const pack of basis.catalog) {
    const packDir = join(modelsDir, pack.name)
    const state = await stateOf(packDir, pack, basis)
    if (state === 'absent' && !pack.default) continue
    packs.push(pack.name)
    const record = await fittingRecord(packDir, pack, basis)
    const expected = new Map<string, FileDigest>(pack.files.map((file) => [file.path, file]))
    for (const [path, made] of Object.entries(record?.files ?? {})) if (!expected.has(path)) expected.set(path, made)
    const before = differences.length
    for (const [path, { bytes, sha256 }] of expected) {
      const found = await digestFile(join(packDir, path))
      files += 1
      if (found !== undefined && sameDigest(found, { bytes, sha256 })) continue
      differences.push({ pack: pack.name, path, expected: { bytes, sha256 }, found: found ?? null })
    }
    if (record === undefined && differences.length === before) uninstalled.push(pack.name)
  }
  return { packs, files, differences, uninstalled }
}
