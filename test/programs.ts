import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Test files that need programs which npm does not bring; Debian has all of them. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'test/deploy/nginx.test.ts': ['nginx', 'openssl'],
  'test/deploy/service.test.ts': ['systemd-analyze'],
  'test/faults/full-disk.test.ts': ['unshare'],
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
    .map(([file, programs]) => ({ file, absent: programs.filter((program) => !isUsable(program)) }))
    .filter(({ absent }) => absent.length > 0)
  const lines = lacking.map(({ file, absent }) => `${file} needs ${absent.join(' and ')}`)
  if (lines.length > 0 && process.env.CI) throw new Error(lines.join('\n'))
  for (const line of lines) process.stdout.write(`left out: ${line}\n`)
  return lacking.map(({ file }) => file)
}

/** Programs that are everywhere, but not allowed everywhere, and what shows whether they are. */
const PROBES: Readonly<Record<string, readonly string[]>> = {
  unshare: ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'],
  strace: ['-qq', '-o', '/dev/null', 'true'],
}

function isUsable(program: string): boolean {
  const probe = PROBES[program]
  return isInstalled(program) && (probe === undefined || spawnSync(program, probe).status === 0)
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
