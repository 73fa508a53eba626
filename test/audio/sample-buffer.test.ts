import { describe, expect, it } from 'vitest'
import { SampleBuffer } from '../../src/audio/sample-buffer.ts'

const counting = (from: number, to: number) => Float32Array.from({ length: to - from }, (_, i) => from + i)

describe('a buffer of samples', () => {
  it('gives back what is kept, by its position in the stream, however much came and was forgotten', () => {
    const buffer = new SampleBuffer()
    for (let at = 0; at < 200_000; at += 5_000) {
      buffer.append(counting(at, at + 5_000))
      buffer.forgetBefore(at - 40_000)
      const from = Math.max(0, at - 40_000)
      expect(buffer.slice(from, from + 3)).toEqual(counting(from, from + 3))
      expect(buffer.slice(at + 4_990, buffer.end)).toEqual(counting(at + 4_990, at + 5_000))
    }
  })

  it('hands out copies', () => {
    const buffer = new SampleBuffer()
    buffer.append(counting(0, 10))
    buffer.slice(0, 10).fill(7)
    expect(buffer.slice(3, 4)).toEqual(counting(3, 4))
  })

  it.each([
    [4, 6],
    [8, 11],
    [7, 6],
  ])('does not answer for [%i, %i), which it does not have', (from, to) => {
    const buffer = new SampleBuffer()
    buffer.append(counting(0, 10))
    buffer.forgetBefore(5)
    expect(() => buffer.slice(from, to)).toThrow('only what is kept')
  })
})
