import { describe, expect, it } from 'vitest'
import { joinPcm, joinSamples, pcmBytes, toPcm16 } from '../../src/audio/pcm.ts'
import { WAV_HEADER_BYTES, wavHeader } from '../../src/audio/wav.ts'

describe('PCM16', () => {
  it('rounds, keeps polarity and clamps what is out of range', () => {
    const pcm = toPcm16(Float32Array.of(0, 1, -1, 2, -2, 0.5, 1 / 32_767))
    expect([...pcm]).toEqual([0, 32_767, -32_767, 32_767, -32_767, 16_384, 1])
  })

  it('is little-endian and covers exactly the samples of a view', () => {
    const view = Int16Array.of(9, 0x0102, -2, 9).subarray(1, 3)
    expect([...pcmBytes(view)]).toEqual([0x02, 0x01, 0xfe, 0xff])
  })

  it('joins parts in order', () => {
    expect([...joinPcm([Int16Array.of(1, 2), new Int16Array(), Int16Array.of(3)])]).toEqual([1, 2, 3])
    expect([...joinSamples([Float32Array.of(0.5), new Float32Array(), Float32Array.of(-1, 1)])]).toEqual([0.5, -1, 1])
  })
})

describe('wavHeader', () => {
  it('describes mono 16-bit PCM of the given rate and length', () => {
    const header = Buffer.from(wavHeader(24_000, 96_000))
    expect(header).toHaveLength(WAV_HEADER_BYTES)
    expect(header.toString('latin1', 0, 4) + header.toString('latin1', 8, 16)).toBe('RIFFWAVEfmt ')
    expect(header.readUInt32LE(4)).toBe(96_036)
    expect([header.readUInt16LE(20), header.readUInt16LE(22), header.readUInt32LE(24)]).toEqual([1, 1, 24_000])
    expect([header.readUInt32LE(28), header.readUInt16LE(32), header.readUInt16LE(34)]).toEqual([48_000, 2, 16])
    expect(header.readUInt32LE(40)).toBe(96_000)
  })
})
