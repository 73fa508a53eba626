import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { DecodeTask } from '../../src/audio/decode-protocol.ts'
import { DecoderPool } from '../../src/inference/decoder-pool.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import decode from '../../workers/decoder.ts'
import { encodeWav, frequency, toneSamples, WAV_ENCODINGS } from '../tones.ts'

const FIXTURES = fileURLToPath(new URL('../fixtures/audio/', import.meta.url))
const RATE = 16_000
const never = new AbortController().signal
const pool = new DecoderPool('dist/workers/decoder.js', systemClock)

let folder = ''
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'syrinx-decoder-'))
})
afterAll(async () => {
  await pool.close()
  await rm(folder, { recursive: true })
})

let files = 0
async function emptyFile(bytes: Uint8Array = new Uint8Array(0)): Promise<string> {
  files += 1
  const path = join(folder, `file-${files}`)
  await writeFile(path, bytes)
  return path
}

async function decodeFile(input: string) {
  const output = await emptyFile()
  const result = await pool.decode(input, output, never)
  const bytes = await readFile(output)
  return { result, samples: new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2) }
}

const decodeBytes = async (bytes: Uint8Array) => decodeFile(await emptyFile(bytes))

/** The tones of the fixtures, away from where they begin, change and end. */
function expectTones(samples: Int16Array): void {
  expect(frequency(samples.subarray(0.15 * RATE, 0.5 * RATE), RATE)).toBeCloseTo(440, -1)
  expect(frequency(samples.subarray(0.75 * RATE, 1.1 * RATE), RATE)).toBeCloseTo(880, -1)
}

describe('a decoder', () => {
  it.each([
    ...['tone.mp3', 'tagged.mp3', 'opus.ogg', 'vorbis.ogg', 'flac.ogg', 'tone.opus', 'tone.webm', 'vorbis.weba'],
    ...['tone.m4a', 'alac.m4a', 'faststart.mp4', 'fragmented.mp4', 'video.mp4', 'tone.flac', 'tone.aac', 'tone.aiff'],
    ...['float.aifc', 'tone.caf', 'tone.wma', 'tone.amr', 'mulaw.wav', 'adpcm.wav', 'tone.wav'],
    'tone.m4b',
  ])('makes 16 kHz mono of %s', async (name) => {
    const { result, samples } = await decodeFile(join(FIXTURES, name))
    expect(result).toEqual({ status: 'decoded', samples: samples.length })
    // Encoders without an index pad to whole frames.
    expect(Math.abs(samples.length / RATE - 1.2)).toBeLessThan(0.08)
    expectTones(samples)
    expect(samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeGreaterThan(8_000)
  })

  it.each(
    WAV_ENCODINGS.flatMap((encoding) =>
      [8_000, 16_000, 22_050, 48_000].flatMap((rate) => [1, 2].map((channels) => [encoding, rate, channels] as const)),
    ),
  )('makes 16 kHz mono of a WAV file of %s at %i Hz with %i channels', async (encoding, rate, channels) => {
    const { result, samples } = await decodeBytes(encodeWav(toneSamples(rate), rate, encoding, channels))
    expect(result.status).toBe('decoded')
    expect(Math.abs(samples.length - 1.2 * RATE)).toBeLessThanOrEqual(2)
    expectTones(samples)
  })

  it('hears all of a WAV file that was still being written', async () => {
    const wav = Buffer.from(encodeWav(toneSamples(16_000), 16_000, 'int16', 1))
    // What a recorder that can't seek leaves in the header.
    wav.writeUInt32LE(0xffffffff, 4)
    wav.writeUInt32LE(0xffffffff, 40)
    expectTones((await decodeBytes(wav)).samples)
  })

  it.each(['tone.mp3', 'tone.webm', 'faststart.mp4', 'tone.flac', 'tone.aac', 'tone.wma'])(
    'hears the half of %s that is there',
    async (name) => {
      const whole = await readFile(join(FIXTURES, name))
      const { result, samples } = await decodeBytes(whole.subarray(0, whole.length * 0.6))
      expect(result.status).toBe('decoded')
      expect(samples.length / RATE).toBeGreaterThan(0.3)
    },
  )

  it.each(['tone.mp3', 'tone.aac'])('hears %s without the first half of its first frame', async (name) => {
    const { result, samples } = await decodeBytes((await readFile(join(FIXTURES, name))).subarray(777))
    expect(result.status).toBe('decoded')
    expect(samples.length / RATE).toBeGreaterThan(0.9)
  })

  it('says that a container is unknown', async () => {
    const { result } = await decodeBytes(Buffer.from('this is not audio'))
    expect(result).toEqual({ status: 'unsupported', message: 'the container of the audio is not supported' })
    expect((await decodeBytes(new Uint8Array(0))).result.status).toBe('unsupported')
  })

  it('says that an encoding is unknown', async () => {
    const wav = Buffer.from(encodeWav(toneSamples(16_000), 16_000, 'int16', 1))
    wav.writeUInt16LE(0x1234, 20)
    expect((await decodeBytes(wav)).result).toEqual({
      status: 'unsupported',
      message: 'the encoding of the audio is not supported',
    })
  })

  it('says that a file holds no audio', async () => {
    const { result } = await decodeFile(join(FIXTURES, 'video-only.mp4'))
    expect(result).toEqual({ status: 'undecodable', message: 'the file holds no audio' })
  })

  it.each([
    ['whose index is missing', 'tone.m4a', 0.5],
    ['of which only the header is there', 'tone.flac', 0.003],
  ])('says that a file is broken %s', async (_, name, share) => {
    const whole = await readFile(join(FIXTURES, name))
    const { result } = await decodeBytes(whole.subarray(0, whole.length * share))
    expect(result.status).toBe('undecodable')
  })

  it('rejects when it may not read or write', async () => {
    await expect(pool.decode(join(folder, 'missing'), await emptyFile(), never)).rejects.toThrow(/ENOENT/)
  })
})

describe('a decoder’s bounds', () => {
  const task = async (overrides: Partial<DecodeTask>): Promise<DecodeTask> => ({
    input: join(FIXTURES, 'tone.mp3'),
    output: await emptyFile(),
    sampleRate: RATE,
    secondsMax: 10,
    longer: 'refused',
    msMax: 60_000,
    cancel: new Int32Array(new SharedArrayBuffer(4)),
    ...overrides,
  })

  it('end a file that decodes to more than it may, whatever its own size', async () => {
    const bounded = await task({ secondsMax: 1 })
    expect(await decode(bounded)).toEqual({ status: 'too_long' })
    expect((await readFile(bounded.output)).length).toBeLessThanOrEqual(RATE * 2)
  })

  it('keep the beginning of a longer file where that is wanted, at the rate that is wanted', async () => {
    const bounded = await task({ secondsMax: 0.5, longer: 'cut', sampleRate: 24_000 })
    expect(await decode(bounded)).toEqual({ status: 'decoded', samples: 12_000 })
    const bytes = await readFile(bounded.output)
    const samples = new Int16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2)
    expect(samples).toHaveLength(12_000)
    expect(frequency(samples.subarray(3_600), 24_000)).toBeCloseTo(440, -1)
  })

  it('end a file that takes too long', async () => {
    const result = await decode(await task({ msMax: -1 }))
    expect(result).toEqual({ status: 'undecodable', message: 'the audio takes too long to decode' })
  })

  it('end work that nobody wants any more', async () => {
    const cancel = new Int32Array(new SharedArrayBuffer(4)).fill(1)
    expect(await decode(await task({ cancel }))).toEqual({ status: 'cancelled' })
    expect(await pool.decode(join(FIXTURES, 'tone.mp3'), await emptyFile(), AbortSignal.abort())).toEqual({
      status: 'cancelled',
    })
  })

  it('leave the thread as good as new', async () => {
    expect((await decode(await task({ secondsMax: 0.1 }))).status).toBe('too_long')
    expect((await decode(await task({}))).status).toBe('decoded')
  })
})

describe('broken files', () => {
  /** Seeded, so that a failure can be run again. */
  const seed = Number(process.env.SEED ?? 1)
  const MUTATIONS = 16
  const names = ['tone.mp3', 'tagged.mp3', 'opus.ogg', 'vorbis.ogg', 'flac.ogg', 'tone.webm', 'vorbis.weba', 'tone.m4a']
  names.push('alac.m4a', 'faststart.mp4', 'fragmented.mp4', 'video.mp4', 'tone.flac', 'tone.aac', 'tone.aiff')
  names.push('tone.caf', 'tone.wma', 'tone.amr', 'mulaw.wav', 'adpcm.wav')

  it.each(names)('made of %s never break a decoder or hang it', async (name) => {
    const whole = await readFile(join(FIXTURES, name))
    const random = randomNumbers(seed)
    for (let round = 0; round < MUTATIONS; round++) {
      const { result, samples } = await decodeBytes(mutate(whole, random))
      expect(['decoded', 'unsupported', 'undecodable', 'too_long'], `SEED=${seed} round ${round}`).toContain(
        result.status,
      )
      if (result.status === 'decoded') expect(result.samples).toBe(samples.length)
    }
    const { result } = await decodeFile(join(FIXTURES, name))
    expect(result.status).toBe('decoded')
  })
})

/** Changes bytes anywhere or only near the start, where the headers are; cuts, doubles or swaps stretches. */
function mutate(whole: Uint8Array, random: (below: number) => number): Uint8Array {
  let bytes = Buffer.from(whole)
  for (let changes = 1 + random(4); changes > 0; changes--) {
    const reach = random(2) === 0 ? Math.min(bytes.length, 600) : bytes.length
    const at = random(reach)
    const length = 1 + random(Math.min(64, bytes.length - at))
    switch (random(5)) {
      case 0:
        for (let i = 0; i < length; i++) bytes[at + i] = random(256)
        break
      case 1:
        bytes.fill(random(2) === 0 ? 0xff : 0, at, at + length)
        break
      case 2:
        bytes = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + length)])
        break
      case 3:
        bytes = Buffer.concat([bytes.subarray(0, at + length), bytes.subarray(at)])
        break
      default:
        bytes = bytes.subarray(0, Math.max(16, at))
    }
  }
  return bytes
}

/** A linear congruential generator: the same numbers for the same seed. */
function randomNumbers(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
