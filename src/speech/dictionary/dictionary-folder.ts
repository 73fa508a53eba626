import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { PronunciationDictionary } from './pronunciation-dictionary.ts'

/** The dictionary in a folder's `.tsv` files; empty where there is no such folder. Throws `DictionaryError`. */
export async function loadDictionary(folder: string): Promise<PronunciationDictionary> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
  const files = names.filter((name) => name.endsWith('.tsv')).sort()
  return PronunciationDictionary.parse(
    await Promise.all(files.map(async (name) => ({ name, content: await readFile(join(folder, name), 'utf8') }))),
  )
}
