import { type FileHandle, mkdir, open, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { base32Id, type Random } from './random.ts'

/** No room: the cap of the spool is reached, or the disk is full. */
export class SpoolFull extends Error {}

/**
 * A folder of files that live no longer than the request they belong to: uploads and decoded audio. Counts their bytes, all requests
 * together. What an earlier run left behind when it was killed goes at the start; hence one process a folder.
 */
export class Spool {
  readonly #folder: string
  readonly #bytesMax: number
  readonly #random: Random
  #usedBytes = 0

  static async open(folder: string, bytesMax: number, random: Random): Promise<Spool> {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY })
    const left = (await readdir(folder)).filter((name) => NAME.test(name))
    await Promise.all(left.map((name) => rm(join(folder, name), { force: true })))
    return new Spool(folder, bytesMax, random)
  }

  private constructor(folder: string, bytesMax: number, random: Random) {
    this.#folder = folder
    this.#bytesMax = bytesMax
    this.#random = random
  }

  /** Bytes that files have or have claimed. */
  get usedBytes(): number {
    return this.#usedBytes
  }

  /** An empty file. Rejects with `SpoolFull`. */
  async create(): Promise<SpoolFile> {
    const path = join(this.#folder, `${base32Id(this.#random, ID_LENGTH)}.spool`)
    const handle = await open(path, 'wx+').catch(asFull)
    return new SpoolFile(path, handle, {
      take: (bytes) => {
        if (this.#usedBytes + bytes > this.#bytesMax) throw new SpoolFull(`the spool holds ${this.#usedBytes} bytes`)
        this.#usedBytes += bytes
      },
      give: (bytes) => {
        this.#usedBytes -= bytes
      },
    })
  }
}

/** One file of the spool. Whoever created it removes it. */
export class SpoolFile {
  readonly path: string
  readonly #handle: FileHandle
  readonly #room: Room
  #bytes = 0
  #removed = false

  constructor(path: string, handle: FileHandle, room: Room) {
    this.path = path
    this.#handle = handle
    this.#room = room
  }

  /** Bytes written or claimed. */
  get bytes(): number {
    return this.#bytes
  }

  /** Writes at the end. One at a time. Rejects with `SpoolFull`. */
  async append(bytes: Uint8Array): Promise<void> {
    this.claim(bytes.length)
    await this.#handle.appendFile(bytes).catch(asFull)
  }

  /** Counts bytes that somebody else will write to `path`. Throws `SpoolFull`. */
  claim(bytes: number): void {
    this.#room.take(bytes)
    this.#bytes += bytes
  }

  /** The file turned out to have this many bytes, fewer than were claimed. */
  settle(bytes: number): void {
    this.#room.give(this.#bytes - bytes)
    this.#bytes = bytes
  }

  /** Up to `length` bytes from `position` on, fewer only at the end of the file; the caller owns them. */
  async read(position: number, length: number): Promise<Uint8Array<ArrayBuffer>> {
    const bytes = new Uint8Array(length)
    let filled = 0
    while (filled < length) {
      const { bytesRead } = await this.#handle.read(bytes, filled, length - filled, position + filled)
      if (bytesRead === 0) break
      filled += bytesRead
    }
    return filled === length ? bytes : bytes.slice(0, filled)
  }

  /** Takes the file away; again: nothing. */
  async remove(): Promise<void> {
    if (this.#removed) return
    this.#removed = true
    this.settle(0)
    await this.#handle.close()
    await rm(this.path, { force: true })
  }
}

interface Room {
  /** Throws `SpoolFull`. */
  take(bytes: number): void
  give(bytes: number): void
}

/** What was uploaded is nobody else's on this machine. */
const OWNER_ONLY = 0o700
const ID_LENGTH = 20
const NAME = /^[a-z2-7]{20}\.spool$/

function asFull(error: unknown): never {
  throw isDiskFull(error) ? new SpoolFull('the disk is full', { cause: error }) : error
}

/** Whether writing failed because the disk, or what a user may take of it, is full. */
export function isDiskFull(error: unknown): boolean {
  return error instanceof Error && 'code' in error && (error.code === 'ENOSPC' || error.code === 'EDQUOT')
}
