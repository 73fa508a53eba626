import { equaliserTaps } from '../audio/equaliser.ts'

/**
 * Cosines of a colour, without the constant one, which is loudness: slow changes along the bands are the voice and its room, fast ones
 * are what it said.
 */
export const COLOUR_COSINES = 7
const DB_MAX = 10

/** The first terms of the discrete cosine transform of what lies between two spectra in the same bands, both in dB. */
export function colourBetween(from: Float32Array, to: Float32Array): Float64Array {
  const count = from.length
  return Float64Array.from({ length: COLOUR_COSINES }, (_, index) => {
    const sum = to.reduce((total, level, band) => total + (level - from[band]!) * cosine(index + 1, band, count), 0)
    return (2 * sum) / count
  })
}

/** Gains of a colour in `bands` bands, in dB, ten at most either way. */
export function coloured(colour: ArrayLike<number>, bands: number): Float32Array {
  return Float32Array.from({ length: bands }, (_, band) => {
    const db = Array.from(colour).reduce((sum, size, index) => sum + size * cosine(index + 1, band, bands), 0)
    return Math.min(Math.max(db, -DB_MAX), DB_MAX)
  })
}

/**
 * Taps of a filter with these gains, in dB in bands whose middles are given in hertz, which makes speech with the long-term spectrum
 * `spectrum` no louder.
 */
export function colouringTaps(
  gains: Float32Array,
  spectrum: Float32Array,
  middles: Float32Array,
  sampleRate: number,
): Float32Array {
  const power = (levels: Float32Array) => levels.reduce((sum, db) => sum + 10 ** (db / 10), 0)
  const louder = 10 * Math.log10(power(spectrum.map((level, band) => level + gains[band]!)) / power(spectrum))
  return equaliserTaps(
    Array.from(middles, (hertz, band) => ({ hertz, db: gains[band]! - louder })),
    sampleRate,
  )
}

function cosine(term: number, band: number, bands: number): number {
  return Math.cos((Math.PI * term * (band + 0.5)) / bands)
}
