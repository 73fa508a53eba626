import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { accumulatePhase, SOURCE_ROWS_PER_FRAME, SOURCE_WIDTH, sourceSpectra } from '../../workers/harmonic-source.ts'

const SOURCE = {
  harmonics: [-0.008, -0.018, -0.018, -0.018, -0.01, 0.008, 0.009, -0.039, -0.055],
  bias: -0.0295,
  unvoiced: Array.from({ length: SOURCE_WIDTH }, (_, i) => 0.001 * i),
}

function spectraOf(hertz: readonly number[], from = 0, to = hertz.length / 2): Float32Array {
  const f0 = Float32Array.from(hertz)
  return sourceSpectra(SOURCE, f0, accumulatePhase(f0), from, to)
}

describe('the harmonic source', () => {
  it('is made of numbers whatever the pitch, voiced from the first sample to the last or not at all', () => {
    const pitch = fc.oneof(fc.constantFrom(0, 10, 16.35, 80, 400), fc.float({ min: 0, max: 1_000, noNaN: true }))
    fc.assert(
      fc.property(fc.array(fc.tuple(pitch, pitch), { minLength: 1, maxLength: 6 }), (frames) => {
        const spectra = spectraOf(frames.flat())
        expect(spectra).toHaveLength((SOURCE_ROWS_PER_FRAME * frames.length + 1) * SOURCE_WIDTH)
        expect(spectra.every(Number.isFinite)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('gives unvoiced frames the spectrum of the shipped graph, bin for bin', () => {
    const middle = spectraOf(new Array(8).fill(0)).subarray(100 * SOURCE_WIDTH, 101 * SOURCE_WIDTH)
    expect([...middle]).toEqual([...Float32Array.from(SOURCE.unvoiced)])
  })

  it('is the same for a stretch alone as within the whole, so that windows line up', () => {
    const hertz = [0, 0, 120, 122, 124, 130, 128, 126, 120, 0, 0, 0, 200, 210, 220, 230]
    const whole = spectraOf(hertz)
    const part = spectraOf(hertz, 2, 6)
    const offset = 2 * SOURCE_ROWS_PER_FRAME * SOURCE_WIDTH
    for (let i = 0; i < part.length; i++) expect(part[i]).toBeCloseTo(whole[offset + i]!, 4)
  })
})
