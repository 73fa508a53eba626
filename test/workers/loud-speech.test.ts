import { describe, expect, it } from 'vitest'
import { loudSpeech } from '../../workers/loud-speech.ts'

const RATE = 16_000

/** Stretches of a tone; negative: of silence. */
function bursts(amplitude: number, ...seconds: readonly number[]): Float32Array {
  const parts = seconds.map((length) =>
    Float32Array.from({ length: Math.abs(length) * RATE }, (_, at) => (length > 0 ? amplitude * Math.sin(at / 10) : 0)),
  )
  return Float32Array.from(parts.flatMap((part) => [...part]))
}

function level(samples: Float32Array): number {
  return 10 * Math.log10(samples.reduce((sum, sample) => sum + sample ** 2, 0) / samples.length)
}

describe('speech without its pauses', () => {
  it('loses long pauses and keeps short ones', () => {
    const seconds = (samples: Float32Array) => samples.length / RATE
    expect(seconds(loudSpeech(bursts(0.1, 1, -2, 1)))).toBeCloseTo(2.4, 0)
    expect(seconds(loudSpeech(bursts(0.1, 1, -0.15, 1)))).toBeCloseTo(2.15, 1)
  })

  it('is made loud enough where it is quiet, and is left alone where it is loud', () => {
    expect(level(loudSpeech(bursts(0.001, 2)))).toBeCloseTo(-30, 0)
    expect(level(loudSpeech(bursts(0.5, 2)))).toBeCloseTo(-9, 0)
  })

  it('of nothing is nothing', () => {
    expect(loudSpeech(new Float32Array(0))).toHaveLength(0)
  })
})
