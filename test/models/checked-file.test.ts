import { readFile, utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { digestFile, placeChecked, stampFile, WrongContentError } from '../../models/checked-file.ts'
import { emptyFolder, filesIn, sha256, write } from './workplace.ts'

const expected = { bytes: 5, sha256: sha256(Buffer.from('hello')) }

test('a file with the expected content gets its real name, in a folder that is made for it', async () => {
  const folder = await emptyFolder()
  await write(join(folder, 'part'), 'hello')
  await placeChecked(join(folder, 'part'), join(folder, 'deep/er/model.onnx'), expected)
  expect(await filesIn(folder)).toEqual(['deep/er/model.onnx'])
})

test.each(['hell', 'jello', 'hello!'])(
  'the content %j never gets the real name and replaces nothing',
  async (content) => {
    const folder = await emptyFolder()
    await write(join(folder, 'part'), content)
    await write(join(folder, 'model.onnx'), 'before')
    const placed = placeChecked(join(folder, 'part'), join(folder, 'model.onnx'), expected)
    await expect(placed).rejects.toThrow(WrongContentError)
    await expect(placed).rejects.toThrow(/^wrong content: \d bytes with sha256 \w{12}… instead of 5 bytes with sha256 /)
    expect(await readFile(join(folder, 'model.onnx'), 'utf8')).toBe('before')
  },
)

test('a file that is not there has neither digest nor stamp', async () => {
  const path = join(await emptyFolder(), 'no/such')
  expect(await digestFile(path)).toBeUndefined()
  expect(await stampFile(path)).toBeUndefined()
})

test('ages are compared in whole seconds', async () => {
  const path = join(await emptyFolder(), 'file')
  await write(path, 'hello')
  await utimes(path, 1_700_000_000.9, 1_700_000_000.9)
  expect(await stampFile(path)).toEqual({ bytes: 5, changed: 1_700_000_000 })
})
