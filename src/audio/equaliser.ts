/** Taps of the filter, 10 ms at 24 kHz: enough to tell bands of some 100 Hz apart. */
export const EQUALISER_TAPS = 255

/** A point of a frequency response. */
export interface Gain {
  readonly hertz: number
  readonly db: number
}

/**
 * Taps of a filter with these gains, by frequency sampling under a Hamming window. Between the points the gain runs straight, on a
 * linear scale; beyond the outermost it stays. `gains` rise in frequency. The taps are symmetric: every frequency is delayed by the
 * same (taps - 1) / 2 samples.
 */
export function equaliserTaps(gains: readonly Gain[], sampleRate: number): Float32Array {
  const middle = (EQUALISER_TAPS - 1) / 2
  const bins = 512
  const response = Float64Array.from({ length: bins + 1 }, (_, bin) => gainAt(gains, (bin * sampleRate) / (2 * bins)))
  return Float32Array.from({ length: EQUALISER_TAPS }, (_, tap) => {
    const offset = tap - middle
    let sum = (response[0]! + response[bins]! * (offset % 2 === 0 ? 1 : -1)) / 2
    for (let bin = 1; bin < bins; bin++) sum += response[bin]! * Math.cos((Math.PI * bin * offset) / bins)
    const window = 0.54 + 0.46 * Math.cos((Math.PI * offset) / middle)
    return (window * sum) / bins
  })
}

/**
 * The samples through a symmetric filter, undelayed, in a fresh array of the same length. Beyond both ends there is silence: of a
 * signal in pieces, each piece needs (taps - 1) / 2 samples of its neighbours.
 */
export function equalise(samples: Float32Array, taps: Float32Array): Float32Array {
  const middle = (taps.length - 1) / 2
  const padded = new Float32Array(samples.length + 2 * middle)
  padded.set(samples, middle)
  return samples.map((_, at) => {
    const centre = at + middle
    let sum = taps[middle]! * padded[centre]!
    for (let offset = 1; offset <= middle; offset++) {
      sum += taps[middle + offset]! * (padded[centre - offset]! + padded[centre + offset]!)
    }
    return sum
  })
}

function gainAt(gains: readonly Gain[], hertz: number): number {
  const above = gains.findIndex((gain) => gain.hertz >= hertz)
  if (above <= 0) return linear(above === 0 ? gains[0]! : gains.at(-1)!)
  const [low, high] = [gains[above - 1]!, gains[above]!]
  const part = (hertz - low.hertz) / (high.hertz - low.hertz)
  return linear(low) * (1 - part) + linear(high) * part
}

function linear({ db }: Gain): number {
  return 10 ** (db / 20)
}
