import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { silentReporter } from '../../../models/reporter.ts'
import { installWhisper } from '../../../models/whisper/install.ts'
import { heardLanguages, readTexts, readWhisperManifest, WHISPER_VERSION } from '../../../models/whisper/manifest.ts'
import { ensureOwnWhisper } from '../../../models/whisper/own-folder.ts'
import { readDecodingSettings, readVocabulary } from '../../../models/whisper/vocabulary.ts'
import { SIGNS, TINY, VOCABULARY, writeTinyFolder } from './tiny-model.ts'

const root = mkdtempSync(join(tmpdir(), 'syrinx-whisper-'))
const model = join(root, 'my-whisper')
beforeAll(() => writeTinyFolder(model))
afterAll(() => rmSync(root, { recursive: true }))

async function folderOf(name: string, files: Readonly<Record<string, string>>): Promise<string> {
  const folder = join(root, name)
  await mkdir(folder, { recursive: true })
  for (const [file, text] of Object.entries(files)) writeFileSync(join(folder, file), text)
  return folder
}

describe('a vocabulary', () => {
  const signs = SIGNS.map((sign) => `<|${sign}|>`)

  it('is read from a list or from lines, with the same tokens', async () => {
    const lines = await folderOf('lines', { 'vocabulary.txt': `${['a', '', 'Ġb', ...signs].join('\n')}\n` })
    const list = await folderOf('list', { 'vocabulary.json': JSON.stringify(['a', '', 'Ġb', ...signs]) })
    expect(await readVocabulary(lines)).toEqual(await readVocabulary(list))
    expect(await readVocabulary(lines)).toEqual({
      texts: ['a', '', 'Ġb'],
      endOfText: 3,
      startOfTranscript: 4,
      noSpeech: 8,
      noTimestamps: 9,
      multilingual: undefined,
    })
  })

  it('of many languages is known by its size, and names them', async () => {
    const fillers = Array.from({ length: 51_865 }, (_, index) => `t${index}`)
    const tokens = [...fillers, ...signs.toSpliced(3, 0, '<|yue|>')]
    const folder = await folderOf('multilingual', { 'vocabulary.json': JSON.stringify(tokens) })
    const { multilingual } = await readVocabulary(folder)
    expect(multilingual).toEqual({ transcribe: 51_870, languages: { en: 51_867, yue: 51_868 } })
  })

  it('that is not of Whisper is refused', async () => {
    const other = await folderOf('other', { 'vocabulary.json': '["a"]' })
    await expect(readVocabulary(other)).rejects.toThrow('no token endoftext')
    await expect(readVocabulary(join(root, 'nowhere'))).rejects.toThrow('neither')
  })
})

describe('decoding settings', () => {
  it('may be missing from the configuration', async () => {
    const folder = await folderOf('bare', { 'config.json': '{"alignment_heads": null}' })
    const nothing = { suppressed: [], suppressedAtStart: [], alignmentHeads: undefined }
    expect(await readDecodingSettings(folder)).toEqual(nothing)
  })
})

describe('installing', () => {
  it('writes everything that the workers need, in the fastest form that computes right', async () => {
    const outputDir = await folderOf('installed', {})
    const steps: string[] = []
    const result = await installWhisper({
      folder: model,
      outputDir,
      onStep: (_, of, label) => steps.push(`${of} ${label}`),
    })
    expect(result).toEqual({ form: 'mixed' })
    expect(steps).toHaveLength(3)
    expect(readdirSync(outputDir).sort()).toEqual([
      'decoder.onnx',
      'encoder.onnx',
      'manifest.json',
      'texts.json',
      'whisper.weights',
    ])
    const manifest = await readWhisperManifest(outputDir)
    expect(manifest).toMatchObject({
      version: WHISPER_VERSION,
      form: 'mixed',
      shape: { melBands: TINY.melBands, vocabulary: VOCABULARY.length },
      suppressed: [3],
      suppressedAtStart: [4],
    })
    expect(manifest.difference).toBeLessThan(0.1)
    expect(heardLanguages(manifest)).toEqual(['en'])
    expect(await readTexts(outputDir)).toEqual(VOCABULARY.slice(0, -SIGNS.length))
  })

  it('refuses a folder without a model', async () => {
    const folder = await folderOf('empty', { 'vocabulary.json': JSON.stringify(VOCABULARY), 'config.json': '{}' })
    const outputDir = await folderOf('nothing', {})
    await expect(installWhisper({ folder, outputDir })).rejects.toThrow('model.bin')
  })
})

describe('a model in a folder of its own', () => {
  it('is installed once, beside the packs, and again when it changes, leaving nothing of the former', async () => {
    const modelsDir = await folderOf('models', {})
    const notes: string[] = []
    const reporter = { ...silentReporter, note: (line: string) => notes.push(line) }
    const first = await ensureOwnWhisper(model, modelsDir, reporter)
    expect((await readWhisperManifest(first)).form).toBe('mixed')
    expect(notes).not.toHaveLength(0)

    notes.length = 0
    expect(await ensureOwnWhisper(model, modelsDir, reporter)).toBe(first)
    expect(notes).toHaveLength(0)

    utimesSync(join(model, 'model.bin'), 1, 1)
    const second = await ensureOwnWhisper(model, modelsDir, reporter)
    expect(second).not.toBe(first)
    expect(readdirSync(join(second, '..'))).toHaveLength(1)
    expect(readdirSync(model).sort()).toEqual(['config.json', 'model.bin', 'vocabulary.json'])
  })

  it('that is none is refused with what is needed', async () => {
    const nowhere = join(root, 'nowhere')
    await expect(ensureOwnWhisper(nowhere, root, silentReporter)).rejects.toThrow('holds no model.bin')
  })
})
