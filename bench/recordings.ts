import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'

/** Sixty recordings and what is said in them, kept beside the repository. */
const AUDIO = resolve('../shared/audio')

export interface Recording {
  readonly path: string
  readonly transcript: string
  readonly seconds: number
}

/** People who read aloud. */
export async function recordings(): Promise<readonly Recording[]> {
  const [, ...lines] = (await readFile(join(AUDIO, 'transcripts.tsv'), 'utf8')).trim().split('\n')
  return lines.map((line) => {
    const [path = '', transcript = '', , seconds] = line.split('\t')
    return { path: join(AUDIO, path), transcript, seconds: Number(seconds) }
  })
}
