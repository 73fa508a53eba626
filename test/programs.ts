import { spawnSync } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Test files that need programs which npm does not bring. Debian has all of them but Schemathesis and Autobahn's `wstest`, which
 * `.ci/run` gets from pip.
 */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  'test/deploy/nginx.test.ts': ['nginx', 'openssl'],
  'test/deploy/service.test.ts': ['systemd-analyze'],
  'test/e2e/playground.test.ts': ['chromium'],
  'test/faults/autobahn.test.ts': ['wstest'],
  'test/faults/full-disk.test.ts': ['unshare'],
  'test/faults/schemathesis.test.ts': ['schemathesis'],
  'test/faults/system-calls.test.ts': ['strace'],
}

/** Programs that CI may lack too: `wstest` runs on Python 2 alone, which can't be had everywhere. */
const OPTIONAL: readonly string[] = ['wstest']

/** Programs that a machine may have and yet not allow, as a container does without its kernel's leave, and what shows whether it does. */
const PROBES: Readonly<Record<string, readonly string[]>> = {
  unshare: ['-Urm', 'mount', '-t', 'tmpfs', 'tmpfs', '/tmp'],
  strace: ['-qq', '-o', '/dev/null', 'true'],
}

/** Where programs lie, those for administrators included. */
export const PROGRAM_PATH = [process.env.PATH ?? '', '/usr/sbin', '/usr/local/sbin'].join(delimiter)

/**
 * Test files to leave out on this machine, each with a line that says so. In CI a program that isn't installed is an error instead,
 * if it is not optional: there, only what the machine itself forbids is left out.
 */
export function filesToLeaveOut(): string[] {
  const files = Object.keys(NEEDED)
  const lacking = (file: string, isMissing: (program: string) => boolean) => (NEEDED[file] ?? []).filter(isMissing)
  const absent = (file: string) => lacking(file, (program) => programPath(program) === undefined)
  const forbidden = (file: string) => lacking(file, (program) => !isAllowed(program))
  const uninstalled = files.filter((file) => absent(file).length > 0)
  const needs = (file: string) => `${file} needs ${absent(file).join(' and ')}`
  const faults = uninstalled.filter((file) => absent(file).some((program) => !OPTIONAL.includes(program)))
  if (faults.length > 0 && process.env.CI) throw new Error(faults.map(needs).join('\n'))
  const lines = uninstalled.map(needs)
  const barred = files.filter((file) => !uninstalled.includes(file) && forbidden(file).length > 0)
  lines.push(...barred.map((file) => `${file} may not use ${forbidden(file).join(' and ')} here`))
  for (const line of lines) process.stdout.write(`left out: ${line}\n`)
  return [...uninstalled, ...barred]
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

function isAllowed(program: string): boolean {
  const probe = PROBES[program]
  return probe === undefined || spawnSync(program, probe).status === 0
}
