import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Test files that need programs which npm does not bring; all of them are packages of Debian under these names, or say which. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'test/e2e/playground.test.ts': ['chromium'],
}

/** Where programs lie, those for administrators included. */
export const PROGRAM_PATH = [process.env.PATH ?? '', '/usr/sbin', '/usr/local/sbin'].join(delimiter)

/**
 * Test files to leave out on this machine, each with a line that says so. In CI an absent program is an error instead: there, nothing
 * is left out.
 */
export function filesToLeaveOut(): string[] {
  const lacking = Object.entries(NEEDED)
    .map(([file, programs]) => ({ file, absent: programs.filter((program) => programPath(program) === undefined) }))
    .filter(({ absent }) => absent.length > 0)
  const lines = lacking.map(({ file, absent }) => `${file} needs ${absent.join(' and ')}`)
  if (lines.length > 0 && process.env.CI) throw new Error(lines.join('\n'))
  for (const line of lines) process.stdout.write(`left out: ${line}\n`)
  return lacking.map(({ file }) => file)
}

/** Where a program lies; undefined where it is not installed. */
export function programPath(program: string): string | undefined {
  return PROGRAM_PATH.split(delimiter)
    .filter((folder) => folder !== '')
    .map((folder) => join(folder, program))
    .find((path) => {
      try {
        accessSync(path, constants.X_OK)
        return true
      } catch {
        return false
      }
    })
}
