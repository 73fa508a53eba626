import { createHmac, timingSafeEqual } from 'node:crypto'
import { mkdir, readdir, rename, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { AUDIO_DISK_BYTES_MIN, AUDIO_URL_LIFETIME_MS } from '../limits.ts'
import type { AudioFormat } from '../pipelines/encode-file.ts'
import type { Clock } from '../runtime/clock.ts'
import { base32Id, type Random } from '../runtime/random.ts'
import { WavWriter } from './wav-writer.ts'

/** A finished file and until when its address holds, in milliseconds since the epoch. */
export interface AudioFile {
  readonly name: string
  readonly format: AudioFormat
  readonly path: string
  readonly bytes: number
  readonly expiresAt: number
}

/**
 * The finished audio of this node, and the signed addresses under which it may be fetched (D25). Names are made here from
 * random letters and checked against that pattern before they touch the file system, so no request can name another path.
 * Files appear whole: they are written under another name first. Disk errors reject.
 */
export class AudioFiles {
  readonly #folder: string
  readonly #secret: Uint8Array
  readonly #clock: Clock
  readonly #random: Random

  /** `secret` signs addresses: it must survive a restart, or the addresses handed out before it stop working. */
  static async open(folder: string, secret: Uint8Array, clock: Clock, random: Random): Promise<AudioFiles> {
    await mkdir(folder, { recursive: true, mode: OWNER_ONLY })
    return new AudioFiles(folder, secret, clock, random)
  }

  private constructor(folder: string, secret: Uint8Array, clock: Clock, random: Random) {
    this.#folder = folder
    this.#secret = secret
    this.#clock = clock
    this.#random = random
  }

  /** Whether the disk has room for a file of any length that may be asked for. */
  async hasRoom(): Promise<boolean> {
    const { bavail, bsize } = await statfs(this.#folder)
    return bavail * bsize >= AUDIO_DISK_BYTES_MIN
  }

  /** Stores a whole file; returns its name. */
  async store(bytes: Uint8Array, format: AudioFormat): Promise<string> {
    const name = this.#newName(format)
    const partial = this.#path(`${name}.part`)
    try {
      await writeFile(partial, bytes, { flag: 'wx' })
      await rename(partial, this.#path(name))
    } catch (error) {
      await rm(partial, { force: true })
      throw error
    }
    return name
  }

  /** A WAV file that grows while it is spoken. */
  createWav(sampleRate: number): WavWriter {
    const name = this.#newName('wav')
    return new WavWriter(name, this.#path(`${name}.part`), this.#path(name), sampleRate)
  }

  /** Relative address of a file, valid for 24 hours from now. */
  link(name: string): string {
    const expires = Math.ceil((this.#clock.now() + AUDIO_URL_LIFETIME_MS) / 1000)
    return `/audio/${name}?expires=${expires}&signature=${this.#sign(name, expires).toString('base64url')}`
  }

  /** The file behind an address that `link` made, or undefined: forged, expired or removed. */
  async find(name: string, query: URLSearchParams): Promise<AudioFile | undefined> {
    const format = NAME.exec(name)?.[1]
    if (format !== 'mp3' && format !== 'wav') return undefined
    const expires = Number(query.get('expires'))
    const given = Buffer.from(query.get('signature') ?? '', 'base64url')
    const expected = this.#sign(name, expires)
    if (given.length !== expected.length || !timingSafeEqual(given, expected)) return undefined
    if (expires * 1000 <= this.#clock.now()) return undefined
    const path = this.#path(name)
    const stats = await stat(path).catch(() => undefined)
    return stats && { name, format, path, bytes: stats.size, expiresAt: expires * 1000 }
  }

  /** Removes what no valid address leads to any more, and what a crash left half-written. Returns how many went. */
  async sweep(now: number): Promise<number> {
    const ours = (await readdir(this.#folder)).filter((name) => NAME.test(name.replace(/\.part$/, '')))
    const old = await Promise.all(
      ours.map(async (name) => {
        const stats = await stat(this.#path(name)).catch(() => undefined)
        return stats !== undefined && stats.mtimeMs + AUDIO_URL_LIFETIME_MS + SWEEP_DELAY_MS <= now
      }),
    )
    const gone = ours.filter((_, index) => old[index])
    await Promise.all(gone.map((name) => rm(this.#path(name), { force: true })))
    return gone.length
  }

  #newName(format: AudioFormat): string {
    return `${base32Id(this.#random, ID_LENGTH)}.${format}`
  }

  #path(name: string): string {
    return join(this.#folder, name)
  }

  #sign(name: string, expires: number): Buffer {
    return createHmac('sha256', this.#secret).update(`${name}\n${expires}`).digest()
  }
}

/** What was spoken is nobody else's on this machine. */
const OWNER_ONLY = 0o700
/** 130 random bits: the names alone can't be guessed either. */
const ID_LENGTH = 26
const NAME = /^[a-z2-7]{26}\.(mp3|wav)$/
/** An address is made after its file is written, and so ends a little later than the file's age says. */
const SWEEP_DELAY_MS = 60_000
