import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import type { Pack } from '../../models/catalog.ts'
import { listPacks, verifyPacks } from '../../models/pack-survey.ts'
import { ensurePacks } from '../../models/packs.ts'
import { silentReporter } from '../../models/reporter.ts'
import { content, emptyFolder, heldClock, pack, packFile, sha256, write } from './workplace.ts'

const model = content(5_000, 'model')
const amy = content(2_000, 'amy')
const catalog: readonly Pack[] = [
  pack('speech', [packFile('model.onnx', model)], { needs: ['voices'] }),
  pack('voices', [packFile('amy.bin', amy)]),
  pack('extra', [packFile('extra.bin', amy)], { default: false }),
]
const installers = {
  speech: {
    version: '1',
    perProcessor: false,
    install: ({ outputDir }: { outputDir: string }) => write(join(outputDir, 'fast.onnx'), 'fast'),
  },
}
const given = { catalog, installers }

let modelsDir: string

beforeEach(async () => {
  modelsDir = await emptyFolder()
})

async function putFiles(): Promise<void> {
  await write(join(modelsDir, 'speech/model.onnx'), model)
  await write(join(modelsDir, 'voices/amy.bin'), amy)
}

async function install(): Promise<void> {
  await putFiles()
  await ensurePacks(['speech'], { modelsDir, clock: heldClock(), reporter: silentReporter, ...given })
}

const states = async () => (await listPacks(modelsDir, given)).map(({ state }) => state)

test('a pack is absent, partial, fetched or ready', async () => {
  expect(await states()).toEqual(['absent', 'absent', 'absent'])
  await write(join(modelsDir, 'speech/model.onnx'), model.subarray(0, 100))
  expect(await states()).toEqual(['partial', 'absent', 'absent'])
  await putFiles()
  expect(await states()).toEqual(['fetched', 'fetched', 'absent'])
  await install()
  expect(await states()).toEqual(['ready', 'ready', 'absent'])
})

test('the list names size, licence and purpose of each pack', async () => {
  const [speech] = await listPacks(modelsDir, given)
  expect(speech).toEqual({
    name: 'speech',
    what: 'the speech pack',
    licence: 'MIT',
    default: true,
    bytes: 5_000,
    files: 1,
    state: 'absent',
  })
})

test('verifying an installed folder reads what was fetched and what was made, and finds no difference', async () => {
  await install()
  expect(await verifyPacks(modelsDir, given)).toEqual({
    packs: ['speech', 'voices'],
    files: 3,
    differences: [],
    uninstalled: [],
  })
})

test('files put there by hand verify before they are installed, and are said to wait for it', async () => {
  await putFiles()
  expect(await verifyPacks(modelsDir, given)).toMatchObject({ differences: [], uninstalled: ['speech', 'voices'] })
})

test('missing and changed files of default packs are told with what was expected and what was found', async () => {
  await install()
  await rm(join(modelsDir, 'voices/amy.bin'))
  const changed = new Uint8Array(Buffer.from('slow'))
  await write(join(modelsDir, 'speech/installed/fast.onnx'), changed)
  expect((await verifyPacks(modelsDir, given)).differences).toEqual([
    {
      pack: 'speech',
      path: 'installed/fast.onnx',
      expected: { bytes: 4, sha256: sha256(Buffer.from('fast')) },
      found: { bytes: 4, sha256: sha256(changed) },
    },
    { pack: 'voices', path: 'amy.bin', expected: { bytes: 2_000, sha256: sha256(amy) }, found: null },
  ])
})

test('a pack that is not there by default is verified once something of it is', async () => {
  await install()
  await write(join(modelsDir, 'extra/extra.bin'), 'half')
  const { packs, differences } = await verifyPacks(modelsDir, given)
  expect(packs).toContain('extra')
  expect(differences.map(({ path }) => path)).toEqual(['extra.bin'])
})
