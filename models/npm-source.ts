import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { extract } from 'tar'
import type { FileSource } from './catalog.ts'
import { stampFile } from './checked-file.ts'
import { lastLine } from './command.ts'
import { type SourceContext, SourceError } from './source.ts'

export type NpmMember = Extract<FileSource, { kind: 'npm' }>

/** Files out of an npm package's tarball, which npm downloads from whatever registry it is set up for. */
export class NpmSource {
  readonly #context: SourceContext
  readonly #unpacked = new Map<string, Promise<string>>()

  constructor(context: SourceContext) {
    this.#context = context
  }

  /**
   * Path of the unpacked member, which the caller may move away. The package is downloaded and unpacked once a run, or
   * not at all when an earlier run left its tarball in the scratch folder. Throws `SourceError`.
   */
  async fetch(source: NpmMember): Promise<string> {
    const key = keyOf(source)
    const unpacked = this.#unpacked.get(key) ?? this.#unpack(source)
    this.#unpacked.set(key, unpacked)
    const path = join(await unpacked, source.member)
    if ((await stampFile(path)) === undefined) throw new SourceError(`npm package ${key} has no file ${source.member}`)
    return path
  }

  /** Forgets a downloaded tarball whose content proved wrong, so that the next run downloads it anew. */
  async discard(source: NpmMember): Promise<void> {
    await rm(this.#tarball(source), { force: true })
  }

  #tarball(source: NpmMember): string {
    return join(this.#context.scratchDir, 'npm', `${folderName(source)}.tgz`)
  }

  async #unpack(source: NpmMember): Promise<string> {
    const tarball = this.#tarball(source)
    if ((await stampFile(tarball)) === undefined) await this.#download(source, tarball)
    const folder = join(this.#context.scratchDir, 'npm', folderName(source))
    await rm(folder, { recursive: true, force: true })
    await mkdir(folder, { recursive: true })
    try {
      await extract({
        file: tarball,
        cwd: folder,
        strict: true,
        preserveOwner: false,
        preservePaths: false,
        filter: (_path, entry) => 'type' in entry && (entry.type === 'File' || entry.type === 'Directory'),
      })
    } catch (error) {
      await this.discard(source)
      throw new SourceError(`npm package ${keyOf(source)}: ${error instanceof Error ? error.message : String(error)}`)
    }
    return folder
  }

  async #download(source: NpmMember, tarball: string): Promise<void> {
    const { scratchDir, runCommand, signal } = this.#context
    // npm writes straight to its destination; only the rename below makes a tarball count as complete.
    const incoming = join(scratchDir, 'incoming', folderName(source))
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true })
    const result = await runCommand(
      'npm',
      [
        ...['pack', keyOf(source), '--pack-destination', incoming, '--ignore-scripts', '--loglevel', 'error'],
        // A service and a container have no home in which npm could keep its own.
        ...['--cache', join(scratchDir, 'npm-cache')],
        // Its own pauses between tries add up to more than a minute where the registry cannot be reached.
        ...['--fetch-retries', '2', '--fetch-retry-mintimeout', '1000', '--fetch-retry-maxtimeout', '5000'],
      ],
      signal,
    )
    if (result.status === 'not-found') throw new SourceError('npm is not installed')
    const name = (await readdir(incoming)).find((candidate) => candidate.endsWith('.tgz'))
    if (!result.succeeded || name === undefined) {
      const said = /^npm (?:error|ERR!) code (\S+)/m.exec(result.errors)?.[1] ?? lastLine(result.errors)
      throw new SourceError(`npm could not download ${keyOf(source)}${said === undefined ? '' : `: ${said}`}`)
    }
    await mkdir(join(scratchDir, 'npm'), { recursive: true })
    await rename(join(incoming, name), tarball)
  }
}

function keyOf(source: NpmMember): string {
  return `${source.package}@${source.version}`
}

/** A package's name as one folder name: scoped names contain a slash. */
function folderName(source: NpmMember): string {
  return `${source.package.replace('@', '').replaceAll('/', '-')}-${source.version}`
}
