import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

/** npm runs every script in the root of the project. */
const SYRINX = resolve('dist/src/cli/syrinx.js')

/** A whole node in a process of its own, as a user would run it, on a free port and an empty data folder. */
export interface NodeUnderTest {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  /** Everything it printed so far, line by line. */
  readonly printed: readonly string[]
  /** A voice key without ceiling, of an account without quota, bound to this preset voice. */
  voiceKey(voiceId: string): Promise<string>
  /** A speech-to-text key without ceiling, of an account without quota. */
  sttKey(): Promise<string>
  /** Runs a command of the `syrinx` command line on the node's data and returns its JSON. */
  command(...words: string[]): Promise<unknown>
  /** Sends a signal and resolves with the exit code when the process has ended. */
  end(signal: 'SIGTERM' | 'SIGKILL'): Promise<number | null>
  /** Ends the node and removes its data. */
  stop(): Promise<void>
}

/**
 * `settings`: environment variables beside the defaults. `launcher`: a command that turns into the one behind it, as `exec` does.
 * Rejects with what the node printed if it ends before it listens.
 */
export async function startNode(
  settings: Readonly<Record<string, string>> = {},
  launcher: readonly string[] = [],
): Promise<NodeUnderTest> {
  const dataDir = settings.SYRINX_DATA ?? (await mkdtemp(join(tmpdir(), 'syrinx-node-')))
  // The first is what `npm start` sets.
  const defaults = { MALLOC_ARENA_MAX: '2', SYRINX_PORT: '0', SYRINX_BOOTSTRAP: 'off', SYRINX_LOG_LEVEL: 'warn' }
  const env = { ...process.env, ...defaults, ...settings, SYRINX_DATA: dataDir }
  const [program = '', ...words] = [...launcher, process.execPath, SYRINX, 'serve']
  const child = spawn(program, words, { env, stdio: ['ignore', 'pipe', 'pipe'] })
  // When it has ended and everything it printed has been read.
  const closed = once(child, 'close')
  const printed: string[] = []
  const url = await listeningUrl([child.stdout, child.stderr], printed, closed)
  const command = async (...words: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [SYRINX, ...words, '--json', '--data', dataDir])
    return JSON.parse(stdout)
  }
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    child.kill(signal)
    await closed
    return child.exitCode
  }
  return {
    url,
    pid: child.pid!,
    dataDir,
    printed,
    command,
    async voiceKey(voiceId) {
      const account = await command('account', 'create', '--name', 'bench', '--tts-quota', 'unlimited')
      const words = [
        '--account',
        (account as { id: string }).id,
        '--kind',
        'voice',
        '--name',
        'bench',
        '--voice',
        voiceId,
      ]
      return ((await command('key', 'create', ...words)) as { key: string }).key
    },
    async sttKey() {
      const account = await command('account', 'create', '--name', 'bench', '--stt-quota', 'unlimited')
      const words = ['--account', (account as { id: string }).id, '--kind', 'stt', '--name', 'bench']
      return ((await command('key', 'create', ...words)) as { key: string }).key
    },
    end,
    async stop() {
      await end('SIGTERM')
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function listeningUrl(
  outputs: NodeJS.ReadableStream[],
  printed: string[],
  closed: Promise<unknown>,
): Promise<string> {
  const found = new Promise<string>((resolve) => {
    for (const output of outputs) {
      createInterface({ input: output }).on('line', (line) => {
        printed.push(line)
        const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
        if (url) resolve(url)
      })
    }
  })
  const ended = closed.then(() => {
    throw new Error(`the node ended before it listened:\n${printed.join('\n')}`)
  })
  return Promise.race([found, ended])
}
