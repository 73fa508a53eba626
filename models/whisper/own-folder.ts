import { createHash } from 'node:crypto'
import { chmod, mkdir, mkdtemp, readdir, realpath, rename, rm } from 'node:fs/promises'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { stampFile } from '../checked-file.ts'
import { withModelsLock } from '../models-lock.ts'
import type { Reporter } from '../reporter.ts'
import { WHISPER_VERSION } from './manifest.ts'

/** Graphs of models that are not in the catalog, a folder a model. */
const OWN_FOLDERS = 'whisper-own'
const MODEL_FILES = ['model.bin', 'config.json', 'vocabulary.json', 'vocabulary.txt']

/**
 * Installs a Whisper model that somebody keeps in a folder of their own, unless this was done with the same files, the same graphs
 * and the same processor before; returns the folder for `WhisperEngine.load`. Nothing is written to the model's own folder, and
 * what an earlier state of it was installed as is removed. Throws where the folder holds no such model.
 */
export async function ensureOwnWhisper(folder: string, modelsDir: string, reporter: Reporter): Promise<string> {
  const path = await realpath(folder).catch(() => folder)
  const stamps = await Promise.all(MODEL_FILES.map((file) => stampFile(join(path, file))))
  if (stamps[0] === undefined) throw new Error(`${folder} holds no model.bin: a folder for faster-whisper is needed`)
  const home = join(modelsDir, OWN_FOLDERS, shortHash(path))
  const state = shortHash(JSON.stringify([stamps, WHISPER_VERSION, cpus()[0]?.model]))
  const installedDir = join(home, state)
  if (await isFolder(installedDir)) return installedDir

  await mkdir(home, { recursive: true })
  await withModelsLock(modelsDir, reporter, new AbortController().signal, async () => {
    if (await isFolder(installedDir)) return
    const { installWhisper } = await import('./install.ts')
    const outputDir = await mkdtemp(join(home, '.installing-'))
    const { warning } = await installWhisper({
      folder: path,
      outputDir,
      onStep: (step, of, label) => reporter.note(`${folder}: step ${step} of ${of}, ${label}`),
    })
    if (warning !== undefined) reporter.note(`${folder}: ${warning}`)
    await chmod(outputDir, 0o755)
    await rename(outputDir, installedDir)
    for (const other of await readdir(home)) {
      if (other !== state) await rm(join(home, other), { recursive: true, force: true })
    }
  })
  return installedDir
}

function shortHash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 16)
}

async function isFolder(path: string): Promise<boolean> {
  return readdir(path).then(
    () => true,
    () => false,
  )
}
