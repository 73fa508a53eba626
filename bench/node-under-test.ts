import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const SYRINX = fileURLToPath(new URL('../src/cli/syrinx.js', import.meta.url))

/** A whole node in a process of its own, as a user would run it, on a free port and an empty data folder. */
export interface NodeUnderTest {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string
  readonly pid: number
  readonly dataDir: string
  /** A voice key without ceiling, of an account without quota, bound to this preset voice. */
  voiceKey(voiceId: string): Promise<string>
  /** Runs a command of the `syrinx` command line on the node's data and returns its JSON. */
  command(...words: string[]): Promise<unknown>
  /** Ends the node and removes its data. */
  stop(): Promise<void>
}

/** `settings`: environment variables beside the defaults. Rejects with what the node printed if it ends before it listens. */
export async function startNode(settings: Readonly<Record<string, string>> = {}): Promise<NodeUnderTest> {
  const dataDir = await mkdtemp(join(tmpdir(), 'syrinx-bench-'))
  const env = {
    ...process.env,
    SYRINX_PORT: '0',
    SYRINX_BOOTSTRAP: 'off',
    SYRINX_LOG_LEVEL: 'warn',
    ...settings,
    SYRINX_DATA: dataDir,
  }
  const child = spawn(process.execPath, [SYRINX, 'serve'], { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const url = await listeningUrl(child.stdout, once(child, 'exit'))
  const command = async (...words: string[]): Promise<unknown> => {
    const { stdout } = await promisify(execFile)(process.execPath, [SYRINX, ...words, '--json', '--data', dataDir])
    return JSON.parse(stdout)
  }
  return {
    url,
    pid: child.pid!,
    dataDir,
    command,
    async voiceKey(voiceId) {
      const account = (await command('account', 'create', '--name', 'bench', '--tts-quota', 'unlimited')) as {
        id: string
      }
      const words = ['--account', account.id, '--kind', 'voice', '--name', 'bench', '--voice', voiceId]
      return ((await command('key', 'create', ...words)) as { key: string }).key
    },
    async stop() {
      if (child.exitCode === null) {
        child.kill('SIGTERM')
        await once(child, 'exit')
      }
      await rm(dataDir, { recursive: true, force: true })
    },
  }
}

async function listeningUrl(output: NodeJS.ReadableStream, exit: Promise<unknown>): Promise<string> {
  const printed: string[] = []
  const lines = createInterface({ input: output })
  const found = new Promise<string>((resolve) => {
    lines.on('line', (line) => {
      printed.push(line)
      const url = /listening on (http:\/\/\S+)/.exec(line)?.[1]
      if (url) resolve(url)
    })
  })
  const ended = exit.then(() => {
    throw new Error(`the node ended before it listened:\n${printed.join('\n')}`)
  })
  return Promise.race([found, ended])
}
