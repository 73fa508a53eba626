import { NEVER, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import type { CompressedEncoder, Mp3Encoder } from '../../src/audio/encoding.ts'
import { FileEncoder } from '../../src/pipelines/encode-file.ts'

const frames = of({ samples: Int16Array.of(1, 2), sequence: 1 }, { samples: Int16Array.of(3), sequence: 2 })
const mp3: Mp3Encoder = {
  encodeMp3: async (samples, rate) => Uint8Array.of(samples.length, rate / 1_000),
  openMp3: () => {
    throw new Error('a file is not a stream')
  },
}
const compressed: CompressedEncoder = {
  encode: async (samples, rate, format) => Buffer.from(`${samples.length} ${rate} ${format}`),
}
const encoder = new FileEncoder(mp3, compressed)
const open = () => new AbortController().signal

describe('FileEncoder', () => {
  it('makes a WAV file with one header and the samples of all frames', async () => {
    const { bytes, durationMs } = await encoder.encode(frames, 'wav', 1_000, open())
    const file = Buffer.from(bytes)
    expect(file.readUInt32LE(40)).toBe(6)
    expect([...file.subarray(44)]).toEqual([1, 0, 2, 0, 3, 0])
    expect(durationMs).toBe(3)
  })

  it('hands all samples and their rate to the MP3 encoder', async () => {
    const { bytes } = await encoder.encode(frames, 'mp3', 24_000, open())
    expect([...bytes]).toEqual([3, 24])
  })

  it.each(['opus', 'flac'] as const)('hands all samples and their rate to the encoder of %s', async (format) => {
    const { bytes } = await encoder.encode(frames, format, 24_000, open())
    expect(String(bytes)).toBe(`3 24000 ${format}`)
  })

  it('gives up at once, with the reason, when told to', async () => {
    const abort = new AbortController()
    const encoding = encoder.encode(NEVER, 'wav', 24_000, abort.signal)
    abort.abort(new Error('the client left'))
    await expect(encoding).rejects.toThrow('the client left')
    await expect(encoder.encode(frames, 'wav', 24_000, abort.signal)).rejects.toThrow('the client left')
  })
})
