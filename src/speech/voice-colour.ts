import { equaliserTaps } from '../audio/equaliser.ts'

/** Cosines by which a difference of spectra is described: slow changes are the voice and its room, fast ones are what it said. */
const COSINES = 8
const DB_MAX = 10
/** How much of the difference is made up for. */
const SHARE = 1

/**
 * Taps of a filter that gives speech with one long-term spectrum the colour of another, without making it louder. Both in dB, in the
 * same bands, whose middles are given in hertz.
 */
export function colouringTaps(
  from: Float32Array,
  to: Float32Array,
  middles: Float32Array,
  sampleRate: number,
): Float32Array {
  const wanted = smooth(from.map((level, band) => SHARE * (to[band]! - level)))
  const gains = wanted.map((db) => Math.min(Math.max(db, -DB_MAX), DB_MAX))
  const power = (levels: Float32Array) => levels.reduce((sum, db) => sum + 10 ** (db / 10), 0)
  const louder = 10 * Math.log10(power(from.map((level, band) => level + gains[band]!)) / power(from))
  return equaliserTaps(
    Array.from(middles, (hertz, band) => ({ hertz, db: gains[band]! - louder })),
    sampleRate,
  )
}

/** The values without their faster changes: the first terms of the discrete cosine transform, without their mean. */
function smooth(values: Float32Array): Float32Array {
  const count = values.length
  const cosine = (term: number, at: number) => Math.cos((Math.PI * term * (at + 0.5)) / count)
  const terms = Array.from({ length: COSINES - 1 }, (_, index) => {
    const term = index + 1
    const sum = values.reduce((total, value, at) => total + value * cosine(term, at), 0)
    return { term, size: (2 * sum) / count }
  })
  return values.map((_, at) => terms.reduce((sum, { term, size }) => sum + size * cosine(term, at), 0))
}
