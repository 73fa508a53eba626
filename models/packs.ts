import { mkdir, rename, rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { dirname, join } from 'node:path'
import type { Clock } from '../src/runtime/clock.ts'
import { type Pack, packsInOrder, catalog as shippedCatalog } from './catalog.ts'
import { type CommandRunner, runCommand } from './command.ts'
import { installers as shippedInstallers } from './installers.ts'
import { MissingFilesError } from './missing-files.ts'
import { isWritable, withModelsLock } from './models-lock.ts'
import { type MissingFile, PackFetcher } from './pack-fetcher.ts'
import {
  fittingRecord,
  hasContent,
  INSTALLED_FOLDER,
  type InstallBasis,
  looksUntouched,
  originOf,
  type PackRecord,
  readRecord,
  removeRecord,
  sameOrigin,
  writeRecord,
} from './pack-record.ts'
import type { Reporter } from './reporter.ts'

/**
 * Makes sure that the named packs, and those they need, are fetched, checked and installed: at once when they are, by
 * looking at sizes and ages only. One process at a time changes a models folder; whatever a run that fails or is killed
 * has fetched is used by the next.
 *
 * Throws `UnknownPackError`, `MissingFilesError` when no source has some file, the signal's reason, and disk errors.
 */
export async function ensurePacks(
  names: readonly string[],
  options: PackOptions,
): Promise<ReadonlyMap<string, InstalledPack>> {
  const basis = basisOf(options)
  const folder = new ModelsFolder(options, basis)
  const packs = packsInOrder(basis.catalog, names)
  const found = await folder.readyPacks(packs)
  if (found !== undefined) return found

  await mkdir(options.modelsDir, { recursive: true })
  const writable = await (options.isWritable ?? isWritable)(options.modelsDir)
  if (!writable) return folder.readOnlyPacks(packs)
  const { signal = new AbortController().signal } = options
  return withModelsLock(options.modelsDir, options.reporter, signal, (held) => folder.completePacks(packs, held))
}

export interface PackOptions extends Partial<InstallBasis> {
  readonly modelsDir: string
  readonly clock: Clock
  readonly reporter: Reporter
  /** Stops fetching; partial downloads stay for the next run. */
  readonly signal?: AbortSignal
  /** Folders to take files from before anything is downloaded. */
  readonly folders?: readonly string[]
  readonly runCommand?: CommandRunner
  /** Whether this process may change a folder; asked of the file system unless given. */
  readonly isWritable?: (folder: string) => Promise<boolean>
}

/** The shipped catalog, installers and this machine, where the caller names nothing else. */
export function basisOf(given: Partial<InstallBasis>): InstallBasis {
  return {
    catalog: given.catalog ?? shippedCatalog,
    installers: given.installers ?? shippedInstallers,
    processor: given.processor ?? cpus()[0]?.model ?? 'unknown',
  }
}

export interface InstalledPack {
  readonly name: string
  /** Folder of the files as they were fetched. */
  readonly dir: string
  /** Folder of the files that the pack's installer made; it does not exist for a pack without one. */
  readonly installedDir: string
  /** What the installer said about them. */
  readonly result: unknown
}

/** Partial downloads and installations, inside the models folder; removed when everything is ready. */
const SCRATCH_FOLDER = '.fetch'

/** One models folder during one call. */
class ModelsFolder {
  readonly #options: PackOptions
  readonly #basis: InstallBasis

  constructor(options: PackOptions, basis: InstallBasis) {
    this.#options = options
    this.#basis = basis
  }

  /** The packs if all of them are installed and look untouched. */
  async readyPacks(packs: readonly Pack[]): Promise<ReadonlyMap<string, InstalledPack> | undefined> {
    const ready = new Map<string, InstalledPack>()
    for (const pack of packs) {
      const record = await fittingRecord(this.#dir(pack), pack, this.#basis)
      if (record === undefined || !(await looksUntouched(this.#dir(pack), record))) return undefined
      ready.set(pack.name, this.#installed(pack, record))
    }
    return ready
  }

  /** The packs of a folder that cannot be written, an image's for example: whatever the files' ages, their content decides. */
  async readOnlyPacks(packs: readonly Pack[]): Promise<ReadonlyMap<string, InstalledPack>> {
    const ready = new Map<string, InstalledPack>()
    for (const pack of packs) {
      const record = await readRecord(this.#dir(pack))
      const origin = originOf(pack, { ...this.#basis, processor: record?.processor ?? '' })
      if (record === undefined || !sameOrigin(record, origin) || !(await hasContent(this.#dir(pack), record))) {
        throw new Error(`${this.#options.modelsDir} has no complete ${pack.name}, and it cannot be written to fetch it`)
      }
      if (record.processor !== originOf(pack, this.#basis).processor) {
        this.#options.reporter.note(`${pack.name} was installed on another processor (${record.processor})`)
      }
      ready.set(pack.name, this.#installed(pack, record))
    }
    return ready
  }

  /** Fetches and installs what is not ready. The caller holds the lock. */
  async completePacks(packs: readonly Pack[], signal: AbortSignal): Promise<ReadonlyMap<string, InstalledPack>> {
    const { modelsDir, clock, reporter, folders = [] } = this.#options
    const scratchDir = join(modelsDir, SCRATCH_FOLDER)
    const context = { scratchDir, clock, runCommand: this.#options.runCommand ?? runCommand, signal }
    const fetcher = new PackFetcher(modelsDir, folders, context, reporter)
    const ready = new Map<string, InstalledPack>()
    const missing: MissingFile[] = []
    for (const pack of packs) {
      signal.throwIfAborted()
      const known = await fittingRecord(this.#dir(pack), pack, this.#basis)
      if (known !== undefined && (await looksUntouched(this.#dir(pack), known))) {
        ready.set(pack.name, this.#installed(pack, known))
        continue
      }
      missing.push(...(await fetcher.fetch(pack)))
      if (missing.length === 0) ready.set(pack.name, this.#installed(pack, await this.#install(pack, known)))
    }
    if (missing.length > 0) throw new MissingFilesError(missing, modelsDir)
    await rm(scratchDir, { recursive: true, force: true })
    return ready
  }

  /** Installs a fetched pack; a record whose files only changed their age is renewed without installing again. */
  async #install(pack: Pack, known: PackRecord | undefined): Promise<PackRecord> {
    const dir = this.#dir(pack)
    const origin = originOf(pack, this.#basis)
    if (known !== undefined && (await hasContent(dir, known))) return writeRecord(dir, origin, pack, known.result)

    const installedDir = join(dir, INSTALLED_FOLDER)
    const installer = this.#basis.installers[pack.name]
    if (installer === undefined) {
      await rm(installedDir, { recursive: true, force: true })
      return writeRecord(dir, origin, pack, null)
    }

    const { modelsDir, reporter } = this.#options
    const started = this.#options.clock.monotonic()
    reporter.note(`${pack.name}: installing`)
    // Apart from the pack's folder, so that nothing remains in it of an installation that was cut off.
    const outputDir = join(modelsDir, SCRATCH_FOLDER, 'install', pack.name, INSTALLED_FOLDER)
    await rm(dirname(outputDir), { recursive: true, force: true })
    await mkdir(outputDir, { recursive: true })
    const result = await installer.install({
      outputDir,
      path: (name, file) => join(modelsDir, name, file),
      onStep: (step) => reporter.note(`${pack.name}: ${step}`),
    })
    await removeRecord(dir)
    await rm(installedDir, { recursive: true, force: true })
    await rename(outputDir, installedDir)
    const record = await writeRecord(dir, origin, pack, result)
    reporter.note(`${pack.name}: installed in ${Math.ceil((this.#options.clock.monotonic() - started) / 1000)} s`)
    return record
  }

  #dir(pack: Pack): string {
    return join(this.#options.modelsDir, pack.name)
  }

  #installed(pack: Pack, record: PackRecord): InstalledPack {
    const dir = this.#dir(pack)
    return { name: pack.name, dir, installedDir: join(dir, INSTALLED_FOLDER), result: record.result }
  }
}
