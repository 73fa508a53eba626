import { basename, dirname } from 'node:path'
import { Readable } from 'node:stream'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'

/*
 * Stands in for `node:fs/promises`: files in memory that outlive processes. Each call takes its time, and has its effect at the end of
 * it; a process that dies meanwhile never hears of it, and what it asked for has happened or not.
 */

interface Inode {
  bytes: Uint8Array
  length: number
  modifiedAt: number
}

export class FileDisk {
  readonly files = new Map<string, Inode>()
  readonly folders = new Set<string>()
  /** Writes fail as on a full disk while this is set. */
  isFull = false
  /** The process that calls. */
  caller: Life
  readonly #chance: Chance
  readonly #slowMs: number

  constructor(chance: Chance, caller: Life, slowMs: number) {
    this.#chance = chance
    this.caller = caller
    this.#slowMs = slowMs
  }

  /** A file that was there before. */
  put(path: string, bytes: Uint8Array): void {
    this.makeFolder(dirname(path))
    this.files.set(path, { bytes, length: bytes.length, modifiedAt: 0 })
  }

  /** With those that it is in. */
  makeFolder(path: string): void {
    for (let folder = path; !this.folders.has(folder); folder = dirname(folder)) this.folders.add(folder)
  }

  /** Paths of what is in a folder. */
  within(folder: string): string[] {
    return [...this.folders, ...this.files.keys()].filter((path) => path !== folder && dirname(path) === folder)
  }

  /** Runs `effect` when the disk gets to it. */
  call<T>(effect: () => T): Promise<T> {
    return new Promise((resolve, reject) => {
      this.caller.after(this.#chance.between(0.02, this.#slowMs), () => {
        try {
          resolve(effect())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  inode(path: string): Inode {
    const inode = this.files.get(path)
    if (inode === undefined) throw failure('ENOENT', path)
    return inode
  }

  create(path: string, flags: string): Inode {
    if (this.isFull) throw failure('ENOSPC', path)
    if (flags.includes('x') && this.files.has(path)) throw failure('EEXIST', path)
    if (!this.folders.has(dirname(path))) throw failure('ENOENT', path)
    const inode = { bytes: new Uint8Array(0), length: 0, modifiedAt: 0 }
    this.files.set(path, inode)
    return inode
  }

  write(inode: Inode, bytes: Uint8Array, position = inode.length): void {
    if (this.isFull) throw failure('ENOSPC', 'write')
    const end = position + bytes.length
    if (end > inode.bytes.length) {
      const grown = new Uint8Array(Math.max(end, inode.bytes.length * 2))
      grown.set(inode.bytes)
      inode.bytes = grown
    }
    inode.bytes.set(bytes, position)
    inode.length = Math.max(inode.length, end)
    inode.modifiedAt = this.caller.clock.now()
  }

  rename(from: string, to: string): void {
    if (!this.folders.has(dirname(to))) throw failure('ENOENT', to)
    if (!this.folders.has(from)) {
      this.files.set(to, this.inode(from))
      this.files.delete(from)
      return
    }
    if (this.folders.has(to)) throw failure('ENOTEMPTY', to)
    for (const path of this.within(from)) this.rename(path, this.#moved(path, to))
    this.folders.delete(from)
    this.folders.add(to)
  }

  #moved(path: string, to: string): string {
    this.folders.add(to)
    return `${to}/${basename(path)}`
  }

  removeFolder(path: string): void {
    if (this.within(path).length > 0) throw failure('ENOTEMPTY', path)
    this.folders.delete(path)
  }

  remove(path: string, force: boolean): void {
    if (!this.files.delete(path) && !force) throw failure('ENOENT', path)
  }
}

let mounted: FileDisk | undefined

/** Whatever uses files from here on uses these. */
export function mountFiles(disk: FileDisk): void {
  mounted = disk
}

function disk(): FileDisk {
  if (mounted === undefined) throw new Error('no disk is mounted')
  return mounted
}

// As the module's, as far as the node uses it.

export const constants = { COPYFILE_EXCL: 1 }

export function mkdir(path: string): Promise<void> {
  return disk().call(() => {
    if (disk().isFull && !disk().folders.has(path)) throw failure('ENOSPC', path)
    disk().makeFolder(path)
  })
}

export function readdir(folder: string): Promise<string[]> {
  return disk().call(() => {
    if (!disk().folders.has(folder)) throw failure('ENOENT', folder)
    return disk()
      .within(folder)
      .map((path) => basename(path))
  })
}

export function readFile(path: string): Promise<Buffer> {
  return disk().call(() => {
    const { bytes, length } = disk().inode(path)
    return Buffer.from(bytes.subarray(0, length))
  })
}

export function writeFile(path: string, content: Uint8Array, { flag = 'w' } = {}): Promise<void> {
  return disk().call(() => {
    const known = flag === 'w' ? disk().files.get(path) : undefined
    disk().write(known ?? disk().create(path, flag), bytesOf(content), 0)
  })
}

export function rename(from: string, to: string): Promise<void> {
  return disk().call(() => disk().rename(from, to))
}

/** A file appears, and then what is in it. */
export async function copyFile(from: string, to: string): Promise<void> {
  const inode = await disk().call(() => disk().create(to, 'wx'))
  await disk().call(() => {
    const { bytes, length } = disk().inode(from)
    disk().write(inode, bytes.subarray(0, length))
  })
}

export function chmod(path: string): Promise<void> {
  return disk().call(() => void disk().inode(path))
}

/** A folder goes file by file. */
export async function rm(path: string, { force = false, recursive = false } = {}): Promise<void> {
  const inside = await disk().call(() => (recursive && disk().folders.has(path) ? disk().within(path) : undefined))
  if (inside === undefined) return disk().call(() => disk().remove(path, force))
  for (const one of inside) await rm(one, { force, recursive })
  await disk().call(() => disk().removeFolder(path))
}

export function createReadStream(path: string): Readable {
  return Readable.from(
    (async function* () {
      yield await readFile(path)
    })(),
  )
}

export function stat(path: string): Promise<{ size: number; mtimeMs: number }> {
  return disk().call(() => {
    const { length, modifiedAt } = disk().inode(path)
    return { size: length, mtimeMs: modifiedAt }
  })
}

/** A disk that has room has plenty. */
export function statfs(): Promise<{ bavail: number; bsize: number }> {
  return disk().call(() => ({ bavail: disk().isFull ? 0 : 2 ** 28, bsize: 4_096 }))
}

export function open(path: string, flags: string) {
  return disk().call(() => {
    if (flags === 'r' && disk().folders.has(path)) return handleOf(undefined)
    return handleOf(flags === 'r' ? disk().inode(path) : disk().create(path, flags))
  })
}

function handleOf(opened: Inode | undefined) {
  const inode = opened ?? { bytes: new Uint8Array(0), length: 0, modifiedAt: 0 }
  return {
    appendFile: (bytes: Uint8Array) => disk().call(() => disk().write(inode, bytes)),
    write: (bytes: Uint8Array, offset: number, length: number, position: number) =>
      disk().call(() => disk().write(inode, bytes.subarray(offset, offset + length), position)),
    read: (into: Uint8Array, offset: number, length: number, position: number) =>
      disk().call(() => {
        const found = inode.bytes.subarray(position, Math.min(inode.length, position + length))
        into.set(found, offset)
        return { bytesRead: found.length }
      }),
    writeFile: (bytes: Uint8Array) => disk().call(() => disk().write(inode, bytes)),
    sync: () => disk().call(() => {}),
    close: () => disk().call(() => {}),
  }
}

/** Of any typed array, its bytes. */
function bytesOf(content: ArrayBufferView): Uint8Array {
  return new Uint8Array(content.buffer, content.byteOffset, content.byteLength)
}

function failure(code: string, path: string): Error {
  return Object.assign(new Error(`${code}: ${path}`), { code })
}
