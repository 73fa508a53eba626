import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { parseConfig } from '../../src/config.ts'

const SHIPPED = fileURLToPath(new URL('../../deploy/syrinx.service', import.meta.url))

// systemd goes by the name of the file.
const folder = mkdtempSync(join(tmpdir(), 'syrinx-service-'))
const unit = join(folder, 'syrinx.service')
// It asks whether the program is there.
writeFileSync(unit, readFileSync(SHIPPED, 'utf8').replace('/usr/bin/node', process.execPath))
afterAll(() => rmSync(folder, { recursive: true }))

it('the unit has no mistake that systemd knows of', () => {
  // Says what it finds on standard error, and fails only for the worst of it.
  const said = execFileSync('sh', ['-c', 'systemd-analyze verify --man=no "$1" 2>&1', 'sh', unit]).toString()
  expect(said.split('\n').filter((line) => line.includes('syrinx'))).toEqual([])
})

it('the unit leaves a process little to do harm with: at most 2 of the 10 points of systemd', () => {
  const said = execFileSync('systemd-analyze', ['security', '--offline=yes', '--no-pager', unit]).toString()
  const points = Number(/Overall exposure level for syrinx.service: ([\d.]+)/.exec(said)?.[1])
  expect(points).toBeLessThanOrEqual(2)
})

it('the unit sets only what the node knows, and lets JavaScript be compiled', () => {
  const lines = readFileSync(SHIPPED, 'utf8').split('\n')
  const settings = lines
    .filter((line) => line.startsWith('Environment='))
    .flatMap((line) => line.slice('Environment='.length).split(' '))
    .map((setting) => setting.split('='))
  const config = parseConfig(Object.fromEntries(settings))
  expect([config.unknownNames, config.bootstrap, config.dataDir]).toEqual([[], false, '/var/lib/syrinx'])
  expect(lines.some((line) => line.startsWith('MemoryDenyWriteExecute=yes'))).toBe(false)
})
