import { type FileHandle, open, rename, rm } from 'node:fs/promises'
import { pcmBytes } from '../audio/pcm.ts'
import { wavHeader } from '../audio/wav.ts'

/**
 * Writes a WAV file while it is spoken. The sizes in its header are known only at the end and written then; until it has
 * its final name, nobody sees the file. A disk error is kept and comes out of `finish`, so that a full disk does not stop
 * a listener's stream.
 */
export class WavWriter {
  /** Name of the finished file, without a folder. */
  readonly name: string
  readonly #partialPath: string
  readonly #path: string
  readonly #sampleRate: number
  readonly #onDrain: (() => void)[] = []
  /** Everything asked so far; each step waits for the one before. Never rejects. */
  #written: Promise<void>
  #file: FileHandle | undefined
  #dataBytes = 0
  #pendingBytes = 0
  #failure: { readonly error: unknown } | undefined

  constructor(name: string, partialPath: string, path: string, sampleRate: number) {
    this.name = name
    this.#partialPath = partialPath
    this.#path = path
    this.#sampleRate = sampleRate
    this.#written = this.#keepingFailure(async () => {
      this.#file = await open(partialPath, 'wx')
      await this.#file.appendFile(wavHeader(sampleRate, 0))
    })
  }

  /** Bytes that wait for the disk. */
  get pendingBytes(): number {
    return this.#pendingBytes
  }

  /** Calls back each time waiting bytes have reached the disk, or were given up. */
  onDrain(callback: () => void): void {
    this.#onDrain.push(callback)
  }

  /** Appends samples. The writer reads them later: they must not change. */
  write(samples: Int16Array): void {
    const bytes = pcmBytes(samples)
    this.#dataBytes += bytes.byteLength
    this.#pendingBytes += bytes.byteLength
    this.#written = this.#written
      .then(() => this.#keepingFailure(async () => this.#file?.appendFile(bytes)))
      .then(() => {
        this.#pendingBytes -= bytes.byteLength
        for (const callback of this.#onDrain) callback()
      })
  }

  /** Completes the file under its final name. Rejects with the first error of the disk, and then leaves nothing behind. */
  async finish(): Promise<void> {
    await this.#written
    await this.#keepingFailure(async () => {
      const header = wavHeader(this.#sampleRate, this.#dataBytes)
      await this.#file?.write(header, 0, header.byteLength, 0)
      await this.#file?.close()
      await rename(this.#partialPath, this.#path)
    })
    if (this.#failure === undefined) return
    await this.discard()
    throw this.#failure.error
  }

  /** Gives the file up. */
  async discard(): Promise<void> {
    await this.#written
    await this.#file?.close().catch(() => {})
    await rm(this.#partialPath, { force: true })
  }

  /** Runs a step unless an earlier one failed; keeps the failure. */
  async #keepingFailure(step: () => Promise<unknown>): Promise<void> {
    if (this.#failure !== undefined) return
    try {
      await step()
    } catch (error) {
      this.#failure = { error }
    }
  }
}
