import { createWriteStream } from 'node:fs'
import { copyFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { create } from 'tar'
import { ZipFile } from 'yazl'
import type { CommandRunner } from '../../models/command.ts'

/** pip and npm without a network: they hand out local files, and remember what was asked of them. */
export interface FakeClients {
  readonly run: CommandRunner
  /** What was asked for, as `pip <name>==<version>` and `npm <name>@<version>`. */
  readonly asked: readonly string[]
  /** Files that the clients can download, by what is asked for. */
  readonly index: Map<string, string>
  /** Programs that are installed; `python3` means with pip. */
  readonly programs: Set<string>
  /** The next download leaves half a file and fails, as after a cut. */
  failNext(errors: string): void
}

export function fakeClients(): FakeClients {
  const index = new Map<string, string>()
  const programs = new Set(['python3', 'npm'])
  const asked: string[] = []
  let failure: string | undefined
  const run: CommandRunner = async (command, args, signal) => {
    signal.throwIfAborted()
    if (!programs.has(command)) return { status: 'not-found' }
    if (args.includes('--version')) return { status: 'ended', succeeded: true, errors: '' }
    const spec = command === 'npm' ? args[1] : args.at(-1)
    const destination = args[args.indexOf(command === 'npm' ? '--pack-destination' : '--dest') + 1]
    if (spec === undefined || destination === undefined) throw new Error(`unexpected: ${command} ${args.join(' ')}`)
    asked.push(`${command === 'npm' ? 'npm' : 'pip'} ${spec}`)
    const file = index.get(spec)
    const errors = failure ?? (file === undefined ? `ERROR: No matching distribution found for ${spec}\n` : undefined)
    failure = undefined
    if (errors !== undefined) {
      if (file !== undefined) await writeFile(join(destination, basename(file)), 'half a f')
      return { status: 'ended', succeeded: false, errors }
    }
    await copyFile(file!, join(destination, basename(file!)))
    return { status: 'ended', succeeded: true, errors: '' }
  }
  return {
    run,
    asked,
    index,
    programs,
    failNext: (errors) => {
      failure = errors
    },
  }
}

/** Writes a wheel (a zip file) with these members. */
export async function writeWheel(path: string, members: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const zip = new ZipFile()
  for (const [name, content] of Object.entries(members)) zip.addBuffer(Buffer.from(content), name)
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(path))
}

/** Packs `folder/package` into an npm tarball. */
export async function writeTarball(path: string, folder: string): Promise<void> {
  await create({ file: path, cwd: folder, gzip: true }, ['package'])
}
