import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fromPcm16, pcmBytes } from '../../src/audio/pcm.ts'
import { PcmReader } from '../../src/audio/pcm-reader.ts'

describe('PCM16 in frames of any size', () => {
  it('is read as if it had come in one', () => {
    const cuts = fc.array(fc.nat({ max: 9 }), { minLength: 1 })
    fc.assert(
      fc.property(fc.int16Array(), cuts, (samples, lengths) => {
        const bytes = pcmBytes(samples)
        const reader = new PcmReader()
        const read: number[] = []
        let at = 0
        for (const length of [...lengths, bytes.length]) {
          read.push(...reader.read(bytes.slice(at, at + length)))
          at += length
        }
        expect(read).toEqual([...fromPcm16(samples)])
      }),
    )
  })

  it('that ends in half a sample is read up to the last whole one', () => {
    expect([...new PcmReader().read(Uint8Array.of(0, 64, 255))]).toEqual([0.5])
  })
})
