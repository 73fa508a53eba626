import { execFile, spawn } from 'node:child_process'
import { access } from 'node:fs/promises'
import { resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'

// npm runs every script in the root of the project.
const VENV = resolve('bench/.venv')
const PYTHON = `${VENV}/bin/python`
const FASTER_WHISPER = 'faster-whisper==1.2.1'
/** Microsoft's speech quality model, kept beside the repository. */
const DNSMOS = resolve('../shared/quality/dnsmos/sig_bak_ovr.onnx')

export interface Judgement {
  /** What an independent recogniser understood. */
  readonly text: string
  /** DNSMOS P.835 overall, 1 (bad) to 5. */
  readonly overall: number
}

/** A word and the seconds in which it was heard. */
export interface HeardWord {
  readonly word: string
  readonly start: number
  readonly end: number
}

/** Listens to files in a process of its own. */
export interface Judge {
  /** `language`: ISO 639-1. */
  judge(path: string, language: string): Promise<Judgement>
  /** When the recogniser hears each word. */
  words(path: string, language: string): Promise<readonly HeardWord[]>
  close(): void
}

/** Starts the judge in a virtual environment of its own, made at the first call. `whisperDir`: the pack `whisper-base`. */
export async function startJudge(whisperDir: string): Promise<Judge> {
  await access(DNSMOS)
  const { ask, close } = await startScript('judge.py', [whisperDir, DNSMOS])
  return {
    judge: async (path, language) => (await ask(path, language)) as Judgement,
    words: async (path, language) => ((await ask(path, language, 'words')) as { words: HeardWord[] }).words,
    close,
  }
}

/** A Python script of this folder that answers every line of fields with one of JSON, in an environment that has faster-whisper. */
export async function startScript(name: string, args: readonly string[]) {
  const run = promisify(execFile)
  await run(PYTHON, ['-c', 'import faster_whisper']).catch(async () => {
    await run('python3', ['-m', 'venv', VENV])
    await run(PYTHON, ['-m', 'pip', 'install', '--quiet', FASTER_WHISPER], { maxBuffer: 2 ** 26 })
  })
  const child = spawn(PYTHON, [resolve('bench', name), ...args], { stdio: ['pipe', 'pipe', 'inherit'] })
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]()
  const ask = async (...fields: readonly string[]): Promise<unknown> => {
    child.stdin.write(`${fields.join('\t')}\n`)
    const { value, done } = await lines.next()
    if (done) throw new Error(`${name} ended`)
    return JSON.parse(value)
  }
  return { ask, close: () => void child.kill() }
}
