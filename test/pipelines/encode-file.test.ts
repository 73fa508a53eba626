import { NEVER, of } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { FileEncoder, type Mp3Encoder } from '../../src/pipelines/encode-file.ts'

const frames = of({ samples: Int16Array.of(1, 2), sequence: 1 }, { samples: Int16Array.of(3), sequence: 2 })
const mp3: Mp3Encoder = { encodeMp3: async (samples, rate) => Uint8Array.of(samples.length, rate / 1_000) }
const open = () => new AbortController().signal

describe('FileEncoder', () => {
  it('makes a WAV file with one header and the samples of all frames', async () => {
    const { bytes, durationMs } = await new FileEncoder(mp3).encode(frames, 'wav', 1_000, open())
    const file = Buffer.from(bytes)
    expect(file.readUInt32LE(40)).toBe(6)
    expect([...file.subarray(44)]).toEqual([1, 0, 2, 0, 3, 0])
    expect(durationMs).toBe(3)
  })

  it('hands all samples and their rate to the MP3 encoder', async () => {
    const { bytes } = await new FileEncoder(mp3).encode(frames, 'mp3', 24_000, open())
    expect([...bytes]).toEqual([3, 24])
  })

  it('gives up at once, with the reason, when told to', async () => {
    const abort = new AbortController()
    const encoding = new FileEncoder(mp3).encode(NEVER, 'wav', 24_000, abort.signal)
    abort.abort(new Error('the client left'))
    await expect(encoding).rejects.toThrow('the client left')
    await expect(new FileEncoder(mp3).encode(frames, 'wav', 24_000, abort.signal)).rejects.toThrow('the client left')
  })
})
