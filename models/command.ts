import { spawn } from 'node:child_process'

/** Runs a program found on the path, without a shell, and waits for its end. Rejects only when `signal` aborts. */
export type CommandRunner = (command: string, args: readonly string[], signal: AbortSignal) => Promise<CommandResult>

export type CommandResult =
  | { readonly status: 'ended'; readonly succeeded: boolean; readonly errors: string }
  | { readonly status: 'not-found' }

/** What a program says on stderr is kept for the reason of a failure; the end of it is enough. */
const ERROR_CHARACTERS_MAX = 8_192

export const runCommand: CommandRunner = (command, args, signal) =>
  new Promise((resolve, reject) => {
    let errors = ''
    const child = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'], signal })
    child.stderr.setEncoding('utf8')
    child.stderr.on('data', (text: string) => {
      errors = (errors + text).slice(-ERROR_CHARACTERS_MAX)
    })
    child.on('error', (error) => {
      if (signal.aborted) reject(error)
      else resolve({ status: 'not-found' })
    })
    child.on('close', (code) => resolve({ status: 'ended', succeeded: code === 0, errors }))
  })

/** The last thing that a program said, short enough for one line of a message. */
export function lastLine(text: string): string | undefined {
  const line = text.trimEnd().split('\n').at(-1)?.trim()
  return line === undefined || line === '' ? undefined : line.slice(0, 200)
}
