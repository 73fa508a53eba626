import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fromPcm16 } from '../src/audio/pcm.ts'
import { DecoderPool } from '../src/inference/decoder-pool.ts'
import { workerFile } from '../src/inference/worker-file.ts'
import { systemClock } from '../src/runtime/clock.ts'

/** People who read aloud, one clip each, kept beside the repository. */
const FOLDER = resolve('../shared/audio/speakers')

/** Ten men and ten women whom nothing was trained or tuned with. */
export const JUDGED_SPEAKERS = [
  ...['1034', '1040', '1081', '1235', '1263', '1334', '1455', '163', '1743', '1867'],
  ...['1069', '1088', '1116', '1246', '150', '1553', '1841', '1898', '1926', '198'],
]

/** The others, who tell how recordings of people differ from synthesised speech. */
export const CALIBRATION_SPEAKERS = (await readdir(FOLDER))
  .map((file) => file.split('-')[0]!)
  .filter((speaker) => !JUDGED_SPEAKERS.includes(speaker))

/** The clip of a speaker: mono at 16 kHz. */
export async function recordingOf(speaker: string): Promise<Float32Array> {
  const file = (await readdir(FOLDER)).find((name) => name.startsWith(`${speaker}-`))
  if (file === undefined) throw new Error(`there is no clip of speaker ${speaker}`)
  return decoded(join(FOLDER, file))
}

const decoder = new DecoderPool(workerFile('decoder'), systemClock)

async function decoded(path: string): Promise<Float32Array> {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-clip-'))
  try {
    const output = join(folder, 'samples')
    await writeFile(output, '')
    const { status } = await decoder.decode(path, output, new AbortController().signal)
    if (status !== 'decoded') throw new Error(`${path}: ${status}`)
    const bytes = new Uint8Array(await readFile(output))
    return fromPcm16(new Int16Array(bytes.buffer))
  } finally {
    await rm(folder, { recursive: true })
  }
}
