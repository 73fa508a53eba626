import { describe, expect, it } from 'vitest'
import { PowerSpectrum } from '../../workers/fourier.ts'
import { LogMel } from '../../workers/log-mel.ts'
import { noise } from '../models/onnx/run-graph.ts'

/** |X[k]|² by definition. */
function plainPower(frame: ArrayLike<number>): number[] {
  const { length } = frame
  return Array.from({ length: length / 2 + 1 }, (_, bin) => {
    let [re, im] = [0, 0]
    for (let at = 0; at < length; at++) {
      const angle = (2 * Math.PI * bin * at) / length
      re += frame[at]! * Math.cos(angle)
      im -= frame[at]! * Math.sin(angle)
    }
    return re * re + im * im
  })
}

describe('PowerSpectrum', () => {
  it.each([400, 4, 10, 20, 50, 1_000])('of %i samples is that of the plain transform', (length) => {
    const frame = Float64Array.from(noise(length))
    const power = new Float64Array(length / 2 + 1)
    new PowerSpectrum(length).write(frame, power)
    const expected = plainPower(frame)
    for (const [bin, value] of expected.entries()) expect(power[bin]).toBeCloseTo(value, 8)
  })

  it('refuses a length that it has no transform for', () => {
    expect(() => new PowerSpectrum(14)).toThrow('no transform of 14 samples')
  })
})

describe('LogMel', () => {
  /** The definition, written out: mirrored start, Hann window, plain transform, triangles on Slaney's scale. */
  function plainLogMel(samples: Float32Array, bands: number, frames: number): number[] {
    const toHertz = (mel: number) => (mel < 15 ? (mel * 200) / 3 : 1_000 * 6.4 ** ((mel - 15) / 27))
    const top = 15 + (27 * Math.log(8)) / Math.log(6.4)
    const corner = (index: number) => toHertz((top * index) / (bands + 1))
    const levels: number[][] = Array.from({ length: bands }, () => [])
    for (let frame = 0; frame < frames; frame++) {
      const windowed = Array.from({ length: 400 }, (_, at) => {
        const sample = samples[Math.abs(frame * 160 - 200 + at)] ?? 0
        return sample * Math.sin((Math.PI * at) / 400) ** 2
      })
      const power = plainPower(windowed)
      for (let band = 0; band < bands; band++) {
        const [low, middle, high] = [corner(band), corner(band + 1), corner(band + 2)]
        const sum = power.reduce((total, value, bin) => {
          const rise = (bin * 40 - low) / (middle - low)
          const fall = (high - bin * 40) / (high - middle)
          return total + (value * Math.max(0, Math.min(rise, fall)) * 2) / (high - low)
        }, 0)
        levels[band]?.push(Math.log10(Math.max(sum, 1e-10)))
      }
    }
    const loudest = Math.max(...levels.flat())
    return levels.flat().map((level) => (Math.max(level, loudest - 8) + 4) / 4)
  }

  it.each([80, 128])('with %i bands follows its definition, and pads with silence', (bands) => {
    const samples = noise(2_000).map((value, at) => value * 0.1 + Math.sin(at * 0.3))
    const mel = new LogMel(bands).compute(samples, 16)
    const expected = plainLogMel(samples, bands, 16)
    expect(mel).toHaveLength(bands * 16)
    for (const [at, value] of expected.entries()) expect(mel[at]).toBeCloseTo(value, 4)
  })

  it('of silence is the same low number everywhere', () => {
    expect(new Set(new LogMel(80).compute(new Float32Array(3_200), 20))).toEqual(new Set([-1.5]))
  })
})
