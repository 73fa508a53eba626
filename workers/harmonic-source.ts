/** What the generator is excited with: sine waves at the harmonics of the pitch, as short-time spectra. */
export interface HarmonicSource {
  /** Weight of each harmonic, the fundamental first. */
  readonly harmonics: readonly number[]
  readonly bias: number
  /**
   * Magnitudes and phases of a constant signal, as the shipped graph computes them. Most of its bins are rounding noise, yet the
   * phases reach the network like any other and it was trained with them: exact zeros in their place are heard as roughness.
   */
  readonly unvoiced: readonly number[]
}

/** Magnitude and phase of 11 bins. */
export const SOURCE_WIDTH = 22
/** Spectra in a frame. A stretch of n frames has one more at its end. */
export const SOURCE_ROWS_PER_FRAME = 120

const BINS = 11
const TRANSFORM = 20
const HALF = TRANSFORM / 2
const HOP = 5
const SAMPLE_RATE = 24_000
const FRAME_SAMPLES = 600
/** Pitch is given twice a frame. */
const PITCH_SAMPLES = 300
const UNVOICED_BELOW_HZ = 10

/** Phase of the fundamental, in cycles from 0 to 1, at the middle of each value of `f0` (hertz). */
export function accumulatePhase(f0: Float32Array): Float32Array {
  let cycles = 0
  return f0.map((hertz) => {
    cycles += (hertz * PITCH_SAMPLES) / SAMPLE_RATE
    cycles -= Math.floor(cycles)
    return cycles
  })
}

/**
 * Spectra of frames [from, to) of a stretch, row-major [120 × (to - from) + 1, 22]. `f0` and its `phase` are those of the stretch;
 * its ends are mirrored, as the model does at the ends of an utterance.
 */
export function sourceSpectra(
  source: HarmonicSource,
  f0: Float32Array,
  phase: Float32Array,
  from: number,
  to: number,
): Float32Array {
  const length = f0.length * PITCH_SAMPLES
  const start = Math.max(0, from * FRAME_SAMPLES - HALF)
  const wave = harmonicWave(source, f0, phase, start, Math.min(length, to * FRAME_SAMPLES + HALF))
  const rows = SOURCE_ROWS_PER_FRAME * (to - from) + 1
  const spectra = new Float32Array(rows * SOURCE_WIDTH)
  const samples = new Float64Array(TRANSFORM)
  const silence = tanh(source.bias)
  for (let row = 0; row < rows; row++) {
    const first = from * FRAME_SAMPLES + row * HOP - HALF
    for (let n = 0; n < TRANSFORM; n++) samples[n] = wave[mirror(first + n, length) - start] ?? 0
    writeSpectrum(samples, silence, source, spectra, row * SOURCE_WIDTH)
  }
  return spectra
}

/** Samples [from, to) of the stretch: tanh(bias + Σ weight × sin(harmonic × phase)), the sines only where there is pitch. */
function harmonicWave(
  source: HarmonicSource,
  f0: Float32Array,
  phase: Float32Array,
  from: number,
  to: number,
): Float64Array {
  const { harmonics, bias } = source
  const wave = new Float64Array(to - from)
  let at = from
  while (at < to) {
    // Phase runs straight from the middle of one value to the middle of the next, and stands still before and after all of them.
    const before = Math.floor((at - PITCH_SAMPLES / 2) / PITCH_SAMPLES)
    const end = Math.min(to, (before + 1) * PITCH_SAMPLES + PITCH_SAMPLES / 2)
    const inside = before >= 0 && before + 1 < f0.length
    const step = inside ? (f0[before + 1] ?? 0) / SAMPLE_RATE : 0
    const offset = at + 0.5 - (before * PITCH_SAMPLES + PITCH_SAMPLES / 2)
    const angle = 2 * Math.PI * ((phase[Math.min(Math.max(before, 0), f0.length - 1)] ?? 0) + step * offset)
    const cosStep = Math.cos(2 * Math.PI * step)
    const sinStep = Math.sin(2 * Math.PI * step)
    let cos = Math.cos(angle)
    let sin = Math.sin(angle)
    for (; at < end; at++) {
      let sum = bias
      if ((f0[Math.floor(at / PITCH_SAMPLES)] ?? 0) > UNVOICED_BELOW_HZ) {
        // sin((k + 1)θ) = 2 cos θ sin(kθ) - sin((k - 1)θ)
        const twice = 2 * cos
        let last = 0
        let current = sin
        for (let k = 0; k < harmonics.length; k++) {
          sum += (harmonics[k] ?? 0) * current
          const next = twice * current - last
          last = current
          current = next
        }
      }
      wave[at - from] = tanh(sum)
      const turned = cos * cosStep - sin * sinStep
      sin = sin * cosStep + cos * sinStep
      cos = turned
    }
  }
  return wave
}

const WINDOWED_COS = basis((k, n) => Math.cos((2 * Math.PI * k * n) / TRANSFORM))
const WINDOWED_SIN = basis((k, n) => -Math.sin((2 * Math.PI * k * n) / TRANSFORM))

/** Window and transform are symmetric about sample 10, and the window is zero at sample 0: half the products suffice. */
function writeSpectrum(
  x: Float64Array,
  silence: number,
  source: HarmonicSource,
  spectra: Float32Array,
  at: number,
): void {
  const level = x[0] ?? 0
  if (x.every((sample) => sample === level)) {
    // Silence, or pitch standing still where speech is voiced from its first sample or to its last.
    for (let k = 0; k < BINS; k++) {
      spectra[at + k] = (source.unvoiced[k] ?? 0) * Math.abs(level / silence)
      spectra[at + BINS + k] = source.unvoiced[BINS + k] ?? 0
    }
    return
  }
  const centre = x[HALF] ?? 0
  for (let k = 0; k < BINS; k++) {
    let re = k % 2 === 0 ? centre : -centre
    let im = 0
    for (let n = 1; n < HALF; n++) {
      const left = x[n] ?? 0
      const right = x[TRANSFORM - n] ?? 0
      re += (left + right) * (WINDOWED_COS[k * HALF + n] ?? 0)
      im += (left - right) * (WINDOWED_SIN[k * HALF + n] ?? 0)
    }
    spectra[at + k] = Math.sqrt(re * re + im * im)
    // Half a turn is added only where im > 0. At frequency 0, im is rounding noise that comes out positive in the shipped graph;
    // with the other sign its phase is a whole turn off, and speech sounds rougher (DNSMOS -0.1).
    const turn = re < 0 ? (im > 0 || k === 0 ? Math.PI : -Math.PI) : 0
    spectra[at + BINS + k] = (re === 0 && im === 0 ? 0 : Math.atan(im / re)) + turn
  }
}

function basis(wave: (k: number, n: number) => number): Float64Array {
  return Float64Array.from({ length: BINS * HALF }, (_, index) => {
    const n = index % HALF
    const hann = 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / TRANSFORM)
    return hann * wave(Math.floor(index / HALF), n)
  })
}

/** Position of a sample in a signal that is mirrored at both ends. */
function mirror(at: number, length: number): number {
  if (at < 0) return -at
  return at < length ? at : 2 * length - 2 - at
}

/** The sum of weights and bias stays below 0.3, where four terms are exact to 1e-6. */
function tanh(x: number): number {
  const square = x * x
  return x * (1 - square * (1 / 3 - square * (2 / 15 - (square * 17) / 315)))
}
