import { describe, expect, it } from 'vitest'
import { equalise } from '../../src/audio/equaliser.ts'
import { colourBetween, coloured, colouringTaps } from '../../src/speech/voice-colour.ts'

const RATE = 24_000
const BANDS = 40
const MIDDLES = Float32Array.from({ length: BANDS }, (_, band) => 100 * 1.115 ** band)

function gainAt(taps: Float32Array, hertz: number): number {
  const tone = Float32Array.from({ length: 4_000 }, (_, at) => Math.sin((2 * Math.PI * hertz * at) / RATE))
  const power = (samples: Float32Array) => samples.subarray(200, -200).reduce((sum, sample) => sum + sample ** 2, 0)
  return 10 * Math.log10(power(equalise(tone, taps)) / power(tone))
}

describe('the colour of a voice', () => {
  const flat = new Float32Array(BANDS)
  const falling = Float32Array.from({ length: BANDS }, (_, band) => 5 - band / 4)

  it('between two spectra, on speech with the one, gives that of the other', () => {
    const gains = coloured(colourBetween(flat, falling), BANDS)
    const taps = colouringTaps(gains, flat, MIDDLES, RATE)
    const slope = gainAt(taps, MIDDLES[10]!) - gainAt(taps, MIDDLES[30]!)
    expect(slope).toBeCloseTo(5, 0)
  })

  it('changes by ten decibels at most', () => {
    const steep = falling.map((level) => 10 * level)
    const gains = coloured(colourBetween(flat, steep), BANDS)
    expect(Math.max(...gains)).toBe(10)
    expect(Math.min(...gains)).toBe(-10)
  })

  it('is no louder than the voice was', () => {
    const taps = colouringTaps(coloured(colourBetween(falling, flat), BANDS), falling, MIDDLES, RATE)
    const power = (levels: Float32Array) => levels.reduce((sum, level) => sum + 10 ** (level / 10), 0)
    const after = falling.map((level, band) => level + gainAt(taps, MIDDLES[band]!))
    expect(10 * Math.log10(power(after) / power(falling))).toBeCloseTo(0, 0)
  })

  it('stays as it is where it is right already', () => {
    const taps = colouringTaps(coloured(colourBetween(falling, falling), BANDS), falling, MIDDLES, RATE)
    for (const hertz of [150, 1_000, 4_000]) expect(gainAt(taps, hertz)).toBeCloseTo(0, 1)
  })

  it('knows nothing of changes from band to band', () => {
    const rough = flat.map((_, band) => (band % 2 === 0 ? 3 : -3))
    for (const size of colourBetween(flat, rough)) expect(Math.abs(size)).toBeLessThan(0.3)
  })
})
