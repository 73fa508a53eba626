import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Test files that need programs which npm does not bring; all of them are packages of Debian under these names, or say which. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'test/deploy/nginx.test.ts': ['nginx', 'openssl'],
  'test/deploy/service.test.ts': ['systemd-analyze'],
  'test/faults/system-calls.test.ts': ['strace'],
}

/** Where programs lie, those for administrators included. */
export const PROGRAM_PATH = [process.env.PATH ?? '', '/usr/sbin', '/usr/local/sbin'].join(delimiter)

/**
 * Test files to leave out on this machine, each with a line that says so. In CI an absent program is an error instead: there, nothing
 * is left out.
 */
export function filesToLeaveOut(): string[] {
  const lacking = Object.entries(NEEDED)
    .map(([file, programs]) => ({ file, absent: programs.filter((program) => !isInstalled(program)) }))
    .filter(({ absent }) => absent.length > 0)
  const lines = lacking.map(({ file, absent }) => `${file} needs ${absent.join(' and ')}`)
  if (lines.length > 0 && process.env.CI) throw new Error(lines.join('\n'))
  for (const line of lines) process.stdout.write(`left out: ${line}\n`)
  return lacking.map(({ file }) => file)
}

function isInstalled(program: string): boolean {
  return PROGRAM_PATH.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return folder !== ''
    } catch {
      return false
    }
  })
}
