import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { DecoderPool } from '../../src/inference/decoder-pool.ts'
import { EncoderPool } from '../../src/inference/encoder-pool.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { frequency } from '../tones.ts'

const RATE = 24_000
const encoders = new EncoderPool('dist/workers/encoder.js')
const decoders = new DecoderPool('dist/workers/decoder.js', systemClock)
afterAll(() => Promise.all([encoders.close(), decoders.close()]))

const tone = () => Int16Array.from({ length: 2 * RATE }, (_, i) => 8_000 * Math.sin((2 * Math.PI * 440 * i) / RATE))

describe('the encoder thread', () => {
  it.each([
    ['opus', 'OggS'],
    ['flac', 'fLaC'],
  ] as const)('makes %s files that can be heard', async (format, magic) => {
    const bytes = await encoders.encode(tone(), RATE, format)
    expect(Buffer.from(bytes).toString('latin1', 0, 4)).toBe(magic)

    const folder = await mkdtemp(join(tmpdir(), 'syrinx-encoder-'))
    const [input, output] = [join(folder, 'input'), join(folder, 'output')]
    await Promise.all([writeFile(input, bytes), writeFile(output, '')])
    const result = await decoders.decode(input, output, new AbortController().signal)
    const decoded = await readFile(output)
    await rm(folder, { recursive: true })
    expect(result).toMatchObject({ status: 'decoded' })
    const samples = new Int16Array(decoded.buffer, decoded.byteOffset, decoded.length / 2)
    expect(samples.length / 16_000).toBeCloseTo(2, 1)
    expect(frequency(samples, 16_000)).toBeCloseTo(440, -1)
  })

  it('says in a FLAC file how long it is', async () => {
    const bytes = Buffer.from(await encoders.encode(tone(), RATE, 'flac'))
    // STREAMINFO: the last 36 bits of its first 18 bytes count the samples.
    expect(bytes.readUInt32BE(8 + 14)).toBe(2 * RATE)
  })
})
