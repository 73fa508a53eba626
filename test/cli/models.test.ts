import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { registerModels } from '../../src/cli/models.ts'
import { createProgram, run } from '../../src/cli/program.ts'
import { fakeClients } from '../models/fake-clients.ts'
import { content, emptyFolder, filesIn, pack, packFile, write } from '../models/workplace.ts'

const model = content(5_000, 'model')
const amy = content(2_000, 'amy')
const catalog = [
  pack('speech', [packFile('model.onnx', model)], { needs: ['voices'] }),
  pack('voices', [packFile('amy.bin', amy)]),
  pack('extra', [packFile('extra.bin', amy)], { default: false }),
]

let modelsDir: string
let stick: string
let stdout: string
let stderr: string

beforeEach(async () => {
  modelsDir = await emptyFolder()
  stick = await emptyFolder()
  await write(join(stick, 'model.onnx'), model)
  await write(join(stick, 'amy.bin'), amy)
  stdout = ''
  stderr = ''
  // Where progress goes.
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    stderr += String(text)
    return true
  })
})
afterEach(() => void vi.restoreAllMocks())

/** Runs one command line and returns its exit code. */
function syrinx(...args: readonly string[]): Promise<number> {
  const output = {
    out: async (text: string) => {
      stdout += text
    },
    err: (text: string) => {
      stderr += text
    },
  }
  const program = createProgram(output)
  registerModels(program, output, { modelsDir, catalog, installers: {}, runCommand: fakeClients().run })
  return run(program, ['models', ...args], output)
}

test('list shows every pack with its size, licence and state', async () => {
  expect(await syrinx('list')).toBe(0)
  expect(stdout).toMatch(/speech .* 0\.0 MB .* MIT .* absent/)
  expect(stdout).toContain(`in ${modelsDir}\n`)
})

test('list --json is one document', async () => {
  await syrinx('list', '--json', '--data', stick)
  const { models_dir, packs } = JSON.parse(stdout)
  expect(models_dir).toBe(modelsDir)
  expect(packs[2]).toMatchObject({ name: 'extra', bytes: 2_000, licence: 'MIT', default: false, state: 'absent' })
})

test('pull without a name fetches the default packs, and a second pull has nothing to tell but that they are ready', async () => {
  expect(await syrinx('pull', '--from', stick)).toBe(0)
  expect(await filesIn(modelsDir)).toEqual([
    'speech/installed.json',
    'speech/model.onnx',
    'voices/amy.bin',
    'voices/installed.json',
  ])
  expect(stderr).toContain('voices: fetching 1 file')
  stderr = ''
  expect(await syrinx('pull')).toBe(0)
  expect(stderr).toBe('')
  expect(stdout).toBe(`voices, speech: ready in ${modelsDir}\n`.repeat(2))
})

test('pull --json keeps progress off stdout', async () => {
  await syrinx('pull', 'voices', '--from', stick, '--json')
  expect(JSON.parse(stdout)).toEqual({ models_dir: modelsDir, packs: ['voices'] })
  expect(stderr).toContain('voices: fetched\n')
})

test('pull of an unknown pack is a usage error and says which packs there are', async () => {
  expect(await syrinx('pull', 'speach')).toBe(2)
  expect(stderr).toBe('error: there is no pack named speach; there are speech, voices, extra\n')
  expect(await filesIn(modelsDir)).toEqual([])
})

test('pull of a pack that cannot be had fails with the message that helps', async () => {
  expect(await syrinx('pull', 'extra')).toBe(1)
  expect(stderr).toContain('extra: extra.bin (2,000 bytes)')
  expect(stderr).toContain('Any one of these helps')
  expect(stdout).toBe('')
})

test('verify fails while files are missing or damaged and names them, and succeeds afterwards', async () => {
  expect(await syrinx('verify')).toBe(1)
  expect(stdout).toContain('speech/model.onnx: missing (5000 bytes, sha256 ')
  await syrinx('pull', '--from', stick)
  stdout = ''
  expect(await syrinx('verify', '--json')).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({ ok: true, files: 2, differences: [], uninstalled: [] })
  await write(join(modelsDir, 'voices/amy.bin'), 'damaged')
  stdout = ''
  expect(await syrinx('verify', '--json')).toBe(1)
  expect(JSON.parse(stdout)).toMatchObject({ ok: false, differences: [{ pack: 'voices', path: 'amy.bin' }] })
})
