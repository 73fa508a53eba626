import { expect, test } from 'vitest'
import { catalog, defaultPackNames, packsInOrder, parseCatalog, UnknownPackError } from '../../models/catalog.ts'
import { installers } from '../../models/installers.ts'
import { GRAPH_VERSION } from '../../models/kokoro/manifest.ts'
import { WHISPER_VERSION } from '../../models/whisper/manifest.ts'
import { pack } from './workplace.ts'

const file = { path: 'model.onnx', bytes: 10, sha256: 'a'.repeat(64) }
const entry = {
  name: 'tiny',
  what: 'a tiny model',
  licence: 'MIT',
  home: 'https://models.example/',
  default: false,
  needs: [],
  files: [file],
  sources: [{ kind: 'web', url: 'https://models.example/{path}' }],
}

test('a shared source serves each file under its own path, and a file may name its own sources', () => {
  const own = [{ kind: 'npm', package: 'tiny', version: '1.0.0', member: 'package/x.bin' }]
  const files = [file, { ...file, path: 'voices/amy.bin', sources: own }]
  const [tiny] = parseCatalog({ packs: [{ ...entry, files }] })
  expect(tiny?.files.map(({ sources }) => sources)).toEqual([
    [{ kind: 'web', url: 'https://models.example/model.onnx' }],
    own,
  ])
})

test.each(['../model.onnx', '/etc/model.onnx', 'a/../../b', 'a//b', './a'])('the path %s is refused', (path) => {
  expect(() => parseCatalog({ packs: [{ ...entry, files: [{ ...file, path }] }] })).toThrow()
})

test('packs come after the packs they need, each once', () => {
  const packs = [
    pack('speech', [], { needs: ['voices', 'base'] }),
    pack('voices', [], { needs: ['base'] }),
    pack('base', []),
  ]
  expect(packsInOrder(packs, ['speech', 'base']).map(({ name }) => name)).toEqual(['base', 'voices', 'speech'])
})

test('an unknown pack is refused with the names there are', () => {
  expect(() => packsInOrder(catalog, ['kokoro'])).toThrow(UnknownPackError)
  expect(() => packsInOrder(catalog, ['kokoro'])).toThrow('no pack named kokoro; there are kokoro-82m, kokoro-voices')
})

test('packs that need each other are refused instead of looping', () => {
  const packs = [pack('a', [], { needs: ['b'] }), pack('b', [], { needs: ['a'] })]
  expect(() => packsInOrder(packs, ['a'])).toThrow('a → b → a')
})

test('every file of the shipped catalog has a home on the web over HTTPS and a source behind a package registry', () => {
  const sources = catalog.flatMap(({ files }) => files).map((file) => file.sources)
  for (const list of sources) {
    const [web, ...others] = list
    expect(web?.kind === 'web' && new URL(web.url).protocol).toBe('https:')
    expect(others.map(({ kind }) => kind)).not.toContain('web')
    expect(others).not.toHaveLength(0)
  }
})

test('the shipped packs fit together: needed packs exist, no file is named twice, installers have a pack', () => {
  const names = packsInOrder(catalog, defaultPackNames()).map(({ name }) => name)
  expect(names).toEqual(['kokoro-voices', 'kokoro-82m', 'whisper-base', 'silero-vad', 'speaker-encoder'])
  const paths = catalog.flatMap(({ name, files }) => files.map(({ path }) => `${name}/${path}`))
  expect(new Set(paths).size).toBe(paths.length)
  expect(catalog.map(({ name }) => name)).toEqual(expect.arrayContaining(Object.keys(installers)))
})

test('a shipped voice is a table of 510 rows of 256 32-bit numbers', () => {
  const voices = catalog.find(({ name }) => name === 'kokoro-voices')?.files ?? []
  expect(voices).toHaveLength(54)
  expect(new Set(voices.map(({ bytes }) => bytes))).toEqual(new Set([510 * 256 * 4]))
  expect(new Set(voices.map(({ sha256 }) => sha256)).size).toBe(54)
})

test("a change of Kokoro's graphs installs them anew", () => {
  expect(installers['kokoro-82m']?.version).toBe(String(GRAPH_VERSION))
})

test("a change of Whisper's graphs installs every one of its packs anew", () => {
  const packs = catalog.filter(({ name }) => name.startsWith('whisper-'))
  expect(packs).not.toHaveLength(0)
  for (const { name } of packs) expect(installers[name]?.version).toBe(String(WHISPER_VERSION))
})
