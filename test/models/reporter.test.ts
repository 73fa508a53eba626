import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { lineReporter, reporterFor } from '../../models/reporter.ts'

test('a pack is told in one line at its start, at every tenth and at its end', () => {
  const lines: string[] = []
  const reporter = lineReporter((line) => lines.push(line))
  reporter.begin('tiny', 2, 1_000_000)
  for (let bytes = 0; bytes <= 1_000_000; bytes += 25_000) reporter.at(bytes)
  reporter.end(true)
  expect(lines).toEqual([
    'tiny: fetching 2 files, 1.0 MB',
    ...[10, 20, 30, 40, 50, 60, 70, 80, 90].map((percent) => `tiny: ${percent} %`),
    'tiny: fetched',
  ])
})

test('progress that steps back to another source is not told twice', () => {
  const lines: string[] = []
  const reporter = lineReporter((line) => lines.push(line))
  reporter.begin('tiny', 1, 100)
  for (const bytes of [30, 55, 0, 30, 60]) reporter.at(bytes)
  reporter.end(false)
  expect(lines).toEqual([
    'tiny: fetching 1 file, 0.0 MB',
    'tiny: 30 %',
    'tiny: 50 %',
    'tiny: 60 %',
    'tiny: could not be fetched',
  ])
})

test('a terminal gets a bar, and a plain line when no bar is drawn', () => {
  const terminal = Object.assign(new PassThrough(), {
    isTTY: true,
    columns: 100,
    cursorTo: () => true,
    clearLine: () => true,
  })
  const reporter = reporterFor(terminal)
  reporter.begin('tiny', 1, 2_000_000)
  reporter.at(1_000_000)
  reporter.end(true)
  reporter.note('tiny: installing')
  const text = String(terminal.read())
  expect(text).toContain('tiny ')
  expect(text).toContain('50 % of 2.0 MB')
  expect(text.endsWith('tiny: installing\n')).toBe(true)
})
