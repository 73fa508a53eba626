import { open, readdir, readFile, rename, rm } from 'node:fs/promises'
import { join, sep } from 'node:path'
import { z } from 'zod'
import type { Catalog, Pack } from './catalog.ts'
import { digestFile, isAbsent, stampFile, syncToDisk } from './checked-file.ts'
import type { Installers } from './installers.ts'

/**
 * `installed.json` beside a pack's files: what the pack was installed from and every file that belongs to it. It is written
 * last, so a pack with a fitting record is complete, and its files need no new hash as long as size and age are the same.
 */
const RECORD_FILE = 'installed.json'

const PackRecord = z.strictObject({
  pack: z.string(),
  /** Of the installer; empty when the pack has none. */
  version: z.string(),
  /** Model of the processor that an installer was tested on; empty when that does not matter. */
  processor: z.string(),
  /** `<pack>/<path>` → sha256 of every fetched file that the installation was made from. */
  sources: z.record(z.string(), z.string()),
  /** Path in the pack's folder → what lies there, fetched and made. `changed` is in seconds since the Unix epoch. */
  files: z.record(z.string(), z.strictObject({ bytes: z.int(), sha256: z.string(), changed: z.int() })),
  /** What the installer said about its files. */
  result: z.json(),
})

export type PackRecord = z.infer<typeof PackRecord>

/** Folder of the files that a pack's installer makes, inside the pack's folder. */
export const INSTALLED_FOLDER = 'installed'

/** The record of a pack, or undefined when there is none that can be read. */
export async function readRecord(packDir: string): Promise<PackRecord | undefined> {
  try {
    return PackRecord.safeParse(JSON.parse(await readFile(join(packDir, RECORD_FILE), 'utf8'))).data
  } catch (error) {
    if (isAbsent(error) || error instanceof SyntaxError) return undefined
    throw error
  }
}

/** Hashes every file of the pack, fetched and made, and writes the record that vouches for them. */
export async function writeRecord(packDir: string, origin: Origin, pack: Pack, result: unknown): Promise<PackRecord> {
  const files: PackRecord['files'] = {}
  for (const path of [...pack.files.map((file) => file.path), ...(await filesBelow(packDir, INSTALLED_FOLDER))]) {
    const whole = join(packDir, path)
    await syncToDisk(whole)
    const [digest, stamp] = [await digestFile(whole), await stampFile(whole)]
    if (digest === undefined || stamp === undefined) throw new Error(`${whole} disappeared while it was installed`)
    files[path] = { ...digest, changed: stamp.changed }
  }
  const record = PackRecord.parse({ pack: pack.name, ...origin, files, result: result ?? null })
  const half = join(packDir, `${RECORD_FILE}.half`)
  const handle = await open(half, 'w')
  try {
    await handle.writeFile(`${JSON.stringify(record, null, 2)}\n`)
    await handle.sync()
  } finally {
    await handle.close()
  }
  await rename(half, join(packDir, RECORD_FILE))
  await syncToDisk(packDir)
  return record
}

export async function removeRecord(packDir: string): Promise<void> {
  await rm(join(packDir, RECORD_FILE), { force: true })
}

/** What an installation is made from. An installation with another origin is not used. */
export type Origin = Pick<PackRecord, 'version' | 'processor' | 'sources'>

/** What decides how packs are installed on this machine. */
export interface InstallBasis {
  readonly catalog: Catalog
  readonly installers: Installers
  /** Model of the processor, as the operating system names it. */
  readonly processor: string
}

/** The origin that the pack would have if it was installed now. */
export function originOf(pack: Pack, { catalog, installers, processor }: InstallBasis): Origin {
  const installer = installers[pack.name]
  const involved = installer === undefined ? [pack] : [pack, ...catalog.filter(({ name }) => pack.needs.includes(name))]
  return {
    version: installer?.version ?? '',
    processor: installer?.perProcessor ? processor : '',
    sources: Object.fromEntries(
      involved.flatMap(({ name, files }) => files.map((file) => [`${name}/${file.path}`, file.sha256])),
    ),
  }
}

/** The pack's record if the pack would be installed the same way now. */
export async function fittingRecord(packDir: string, pack: Pack, basis: InstallBasis): Promise<PackRecord | undefined> {
  const record = await readRecord(packDir)
  return record !== undefined && sameOrigin(record, originOf(pack, basis)) ? record : undefined
}

export function sameOrigin(a: Origin, b: Origin): boolean {
  const names = Object.keys(a.sources)
  return (
    a.version === b.version &&
    a.processor === b.processor &&
    names.length === Object.keys(b.sources).length &&
    names.every((name) => a.sources[name] === b.sources[name])
  )
}

/** Whether every recorded file has its size and age: a look at the folder, nothing is read. */
export async function looksUntouched(packDir: string, record: PackRecord): Promise<boolean> {
  for (const [path, expected] of Object.entries(record.files)) {
    const stamp = await stampFile(join(packDir, path))
    if (stamp?.bytes !== expected.bytes || stamp.changed !== expected.changed) return false
  }
  return true
}

/** Whether every recorded file has its content. */
export async function hasContent(packDir: string, record: PackRecord): Promise<boolean> {
  for (const [path, expected] of Object.entries(record.files)) {
    const digest = await digestFile(join(packDir, path))
    if (digest?.sha256 !== expected.sha256) return false
  }
  return true
}

async function filesBelow(packDir: string, folder: string): Promise<readonly string[]> {
  try {
    const files: string[] = []
    for (const name of await readdir(join(packDir, folder), { recursive: true })) {
      const path = join(folder, name)
      if ((await stampFile(join(packDir, path))) !== undefined) files.push(path.split(sep).join('/'))
    }
    return files.sort()
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}
