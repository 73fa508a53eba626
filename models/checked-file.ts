import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

export interface FileDigest {
  readonly bytes: number
  /** 64 lower-case hexadecimal digits. */
  readonly sha256: string
}

/**
 * Gives the file `candidate` its real name `destination`, on the same disk, if its content is the expected one: nothing
 * half-written or wrong ever carries the real name, not even after a power cut. Throws `WrongContentError`.
 */
export async function placeChecked(candidate: string, destination: string, expected: FileDigest): Promise<void> {
  const found = await digestFile(candidate)
  if (found === undefined || !sameDigest(found, expected)) throw new WrongContentError(found, expected)
  await mkdir(dirname(destination), { recursive: true })
  await syncToDisk(candidate)
  await rename(candidate, destination)
  await syncToDisk(dirname(destination))
}

export class WrongContentError extends Error {
  constructor(found: FileDigest | undefined, expected: FileDigest) {
    super(`wrong content: ${describe(found)} instead of ${describe(expected)}`)
  }
}

export function sameDigest(a: FileDigest, b: FileDigest): boolean {
  return a.bytes === b.bytes && a.sha256 === b.sha256
}

function describe(digest: FileDigest | undefined): string {
  return digest === undefined ? 'no file' : `${digest.bytes} bytes with sha256 ${digest.sha256.slice(0, 12)}…`
}

/** Reads the whole file (about half a second a gigabyte); undefined when there is none. */
export async function digestFile(path: string): Promise<FileDigest | undefined> {
  const hash = createHash('sha256')
  let bytes = 0
  try {
    for await (const chunk of createReadStream(path, { highWaterMark: 1 << 20 })) {
      hash.update(chunk)
      bytes += chunk.length
    }
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
  return { bytes, sha256: hash.digest('hex') }
}

export interface FileStamp {
  readonly bytes: number
  /** Last change in whole seconds since the Unix epoch: container images and archives keep no finer time. */
  readonly changed: number
}

/** Size and age without reading the content; undefined when there is no such file. */
export async function stampFile(path: string): Promise<FileStamp | undefined> {
  try {
    const found = await stat(path)
    return found.isFile() ? { bytes: found.size, changed: Math.floor(found.mtimeMs / 1000) } : undefined
  } catch (error) {
    if (isAbsent(error)) return undefined
    throw error
  }
}

/** Makes a file's content, or a folder's list of names, survive a power cut. */
export async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** True for the errors that mean "nothing of that name". */
export function isAbsent(error: unknown): boolean {
  const code = errorCode(error)
  return code === 'ENOENT' || code === 'ENOTDIR'
}

/** The system's code of an error (`ENOENT`, `ENOTFOUND`), if it has one. */
export function errorCode(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}
