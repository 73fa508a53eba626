import { expect, test } from 'vitest'
import { lastLine, runCommand } from '../../models/command.ts'

const never = new AbortController().signal
const node = (script: string, signal = never) => runCommand(process.execPath, ['-e', script], signal)

test('a program that ends well has succeeded', async () => {
  expect(await node('process.stdout.write("unheard")')).toEqual({ status: 'ended', succeeded: true, errors: '' })
})

test('what a failing program said on stderr is kept', async () => {
  expect(await node('process.stderr.write("no index"); process.exitCode = 3')).toEqual({
    status: 'ended',
    succeeded: false,
    errors: 'no index',
  })
})

test('a program that is not installed is an answer, not an error', async () => {
  expect(await runCommand('syrinx-no-such-program', [], never)).toEqual({ status: 'not-found' })
})

test('the signal ends the program', async () => {
  await expect(node('setInterval(() => {}, 1000)', AbortSignal.abort())).rejects.toThrow('aborted')
})

test('the last line of what a program said is short', () => {
  expect(lastLine('a\nERROR: no\n\n')).toBe('ERROR: no')
  expect(lastLine(' \n')).toBeUndefined()
  expect(lastLine('x'.repeat(500))).toHaveLength(200)
})
