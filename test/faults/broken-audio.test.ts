import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { seededRandom } from '../../bench/seeded-random.ts'
import { DecoderPool } from '../../src/inference/decoder-pool.ts'
import { STT_SECONDS_MAX } from '../../src/limits.ts'
import { systemClock } from '../../src/runtime/clock.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/audio/', import.meta.url))
/** `FILES=5000 SEED=7` tries others, and more of them. */
const FILES = Number(process.env.FILES ?? 240)
const SEED = Number(process.env.SEED ?? 1)
/** Half an hour at 16 kHz, and what its tolerance adds. */
const BYTES_MAX = (STT_SECONDS_MAX + 1) * 16_000 * 2

const pool = new DecoderPool('dist/workers/decoder.js', systemClock)
let folder = ''
let originals: Buffer[] = []

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syrinx-broken-'))
  const names = (await readdir(FIXTURES)).filter((name) => !name.endsWith('.md'))
  originals = await Promise.all(names.map((name) => readFile(join(FIXTURES, name))))
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

const random = seededRandom(SEED)
const below = (limit: number) => Math.floor(random() * limit)

/** What happens to files on their way, and what somebody does who wishes the decoder ill. */
const DAMAGES: readonly ((file: Buffer) => Buffer)[] = [
  (file) => file.subarray(0, below(file.length)),
  (file) => file.subarray(below(file.length)),
  (file) => {
    for (let i = 0; i < 1 + below(30); i++) file[below(file.length)] = below(256)
    return file
  },
  // Lengths and counts stand in the head.
  (file) => {
    const at = below(Math.min(file.length, 256) - 4)
    file.writeUInt32BE([0, 1, 0x7fffffff, 0x80000000, 0xffffffff][below(5)] ?? 0, Math.max(0, at))
    return file
  },
  (file) => {
    const at = below(file.length)
    return Buffer.concat([file.subarray(0, at), file.subarray(at, at + below(5_000)), file.subarray(at)])
  },
  (file) => file.fill(0, below(file.length)),
  // The head of one container, the body of another.
  (file) => Buffer.concat([file.subarray(0, 16 + below(200)), originals[below(originals.length)] ?? file]),
  (file) => Buffer.concat(Array.from({ length: 2 + below(20) }, () => file)),
]

function broken(): Buffer {
  let file = Buffer.from(originals[below(originals.length)] ?? [])
  for (let i = 0; i <= below(3); i++) file = Buffer.from(DAMAGES[below(DAMAGES.length)]?.(file) ?? file)
  return file
}

it('decoders survive whatever was done to a file, answer with one of their words, and write no more than half an hour', async () => {
  const outcomes: Record<string, number> = {}
  const decodeOne = async (index: number) => {
    const [input, output] = [join(folder, `${index}.in`), join(folder, `${index}.out`)]
    await writeFile(input, broken())
    await writeFile(output, '')
    const { status } = await pool.decode(input, output, new AbortController().signal)
    outcomes[status] = (outcomes[status] ?? 0) + 1
    expect((await stat(output)).size).toBeLessThanOrEqual(BYTES_MAX)
    await Promise.all([rm(input), rm(output)])
  }
  for (let index = 0; index < FILES; index += 2) await Promise.all([decodeOne(index), decodeOne(index + 1)])
  const known = ['decoded', 'undecodable', 'unsupported', 'too_long']
  expect(Object.keys(outcomes).filter((status) => !known.includes(status))).toEqual([])
  // Both: damage that is heard over, and damage that is told.
  expect(outcomes.decoded).toBeGreaterThan(FILES / 10)
  expect(outcomes.undecodable).toBeGreaterThan(FILES / 20)

  const output = join(folder, 'good.out')
  await writeFile(output, '')
  const good = await pool.decode(join(FIXTURES, 'tone.mp3'), output, new AbortController().signal)
  expect(good.status).toBe('decoded')
})
