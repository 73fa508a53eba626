import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { runCommand } from '../../models/command.ts'
import { type NpmMember, NpmSource } from '../../models/npm-source.ts'
import { writeTarball } from './fake-clients.ts'
import { startOrigin } from './fake-origin.ts'
import { content, emptyFolder, sourceContext, type TestContext, write } from './workplace.ts'

const voices = { amy: content(2_000, 'amy'), ben: content(2_000, 'ben') }
const member = (name: string): NpmMember => ({
  kind: 'npm',
  package: '@songs/voices',
  version: '1.2.1',
  member: `package/voices/${name}.bin`,
})

let context: TestContext
let shelf: string

beforeEach(async () => {
  context = await sourceContext()
  shelf = await emptyFolder()
  for (const [name, voice] of Object.entries(voices)) await write(join(shelf, `package/voices/${name}.bin`), voice)
  await writeTarball(join(shelf, 'songs-voices-1.2.1.tgz'), shelf)
  context.clients.index.set('@songs/voices@1.2.1', join(shelf, 'songs-voices-1.2.1.tgz'))
})

test('one download serves every file of the package', async () => {
  const source = new NpmSource(context)
  expect(new Uint8Array(await readFile(await source.fetch(member('amy'))))).toEqual(voices.amy)
  expect(new Uint8Array(await readFile(await source.fetch(member('ben'))))).toEqual(voices.ben)
  expect(context.clients.asked).toEqual(['npm @songs/voices@1.2.1'])
})

test('a tarball that an interrupted run downloaded is used by the next', async () => {
  await new NpmSource(context).fetch(member('amy'))
  await new NpmSource(context).fetch(member('ben'))
  expect(context.clients.asked).toHaveLength(1)
})

test('a file that the package lacks is refused by name', async () => {
  await expect(new NpmSource(context).fetch(member('cat'))).rejects.toThrow(
    'npm package @songs/voices@1.2.1 has no file package/voices/cat.bin',
  )
})

test('half a tarball that npm left behind is never taken for one, and a failed download is tried once a run', async () => {
  const source = new NpmSource(context)
  context.clients.failNext('npm error code ENOTFOUND\nnpm error syscall getaddrinfo\n')
  await expect(source.fetch(member('amy'))).rejects.toThrow('npm could not download @songs/voices@1.2.1: ENOTFOUND')
  await expect(source.fetch(member('ben'))).rejects.toThrow('ENOTFOUND')
  expect(context.clients.asked).toHaveLength(1)
  await new NpmSource(context).fetch(member('amy'))
})

test('a tarball that cannot be unpacked is thrown away', async () => {
  await write(join(shelf, 'songs-voices-1.2.1.tgz'), content(5_000, 'not a tarball'))
  await expect(new NpmSource(context).fetch(member('amy'))).rejects.toThrow(/^npm package @songs\/voices@1.2.1: /)
  expect(await readdir(join(context.scratchDir, 'npm'))).not.toContain('songs-voices-1.2.1.tgz')
})

test('a machine without npm is told so', async () => {
  context.clients.programs.clear()
  await expect(new NpmSource(context).fetch(member('amy'))).rejects.toThrow('npm is not installed')
})

test('the real npm needs no home to write to', async () => {
  const registry = await startOrigin()
  onTestFinished(() => registry.close())
  registry.serve('/voices.tgz', await readFile(join(shelf, 'songs-voices-1.2.1.tgz')))
  const dist = { tarball: `${registry.url}/voices.tgz` }
  const version = { name: '@songs/voices', version: '1.2.1', dist }
  const entry = { name: '@songs/voices', 'dist-tags': { latest: '1.2.1' }, versions: { '1.2.1': version } }
  registry.serve('/@songs%2fvoices', Buffer.from(JSON.stringify(entry)))
  vi.stubEnv('npm_config_registry', registry.url)
  // Nobody can make a folder there.
  vi.stubEnv('npm_config_cache', '/dev/null/.npm')
  onTestFinished(() => void vi.unstubAllEnvs())
  const fetched = await new NpmSource({ ...context, runCommand }).fetch(member('amy'))
  expect(new Uint8Array(await readFile(fetched))).toEqual(voices.amy)
})
