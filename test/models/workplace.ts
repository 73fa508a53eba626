import { createHash } from 'node:crypto'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { FileSource, Pack, PackFile } from '../../models/catalog.ts'
import type { SourceContext } from '../../models/source.ts'
import type { Clock } from '../../src/runtime/clock.ts'
import { type FakeClients, fakeClients } from './fake-clients.ts'

/** An empty folder that goes when the test ends. */
export async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-models-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function write(path: string, content: Uint8Array | string): Promise<void> {
  await mkdir(dirname(path), { recursive: true })
  await writeFile(path, content)
}

/** Paths of all files below a folder, sorted. */
export async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true })
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name).slice(folder.length + 1))
    .sort()
}

/** Bytes that compress badly and differ from seed to seed. */
export function content(bytes: number, seed: string): Uint8Array {
  const blocks: Buffer[] = []
  for (let i = 0; i * 32 < bytes; i++) blocks.push(createHash('sha256').update(`${seed} ${i}`).digest())
  return new Uint8Array(Buffer.concat(blocks).subarray(0, bytes))
}

export function sha256(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex')
}

export function packFile(path: string, bytes: Uint8Array, ...sources: readonly FileSource[]): PackFile {
  return { path, bytes: bytes.length, sha256: sha256(bytes), sources }
}

export function pack(name: string, files: readonly PackFile[], more: Partial<Pack> = {}): Pack {
  return {
    name,
    what: `the ${name} pack`,
    licence: 'MIT',
    home: 'https://models.example/',
    default: true,
    needs: [],
    files,
    ...more,
  }
}

/** A clock whose timers fire only when they are told to. */
export interface HeldClock extends Clock {
  /** Delays of the timers that are set. */
  readonly armed: readonly number[]
  /** Fires every timer of this delay. */
  fire(delayMs: number): void
}

export function heldClock(): HeldClock {
  const timers = new Map<() => void, number>()
  return {
    now: () => 0,
    monotonic: () => 0,
    after(delayMs, callback) {
      const timer = () => callback()
      timers.set(timer, delayMs)
      return () => timers.delete(timer)
    },
    get armed() {
      return [...timers.values()]
    },
    fire(delayMs) {
      for (const [timer, delay] of [...timers]) {
        if (delay !== delayMs) continue
        timers.delete(timer)
        timer()
      }
    },
  }
}

export interface TestContext extends SourceContext {
  readonly clock: HeldClock
  readonly clients: FakeClients
}

export async function sourceContext(signal: AbortSignal = new AbortController().signal): Promise<TestContext> {
  const clients = fakeClients()
  return { scratchDir: await emptyFolder(), clock: heldClock(), runCommand: clients.run, clients, signal }
}
