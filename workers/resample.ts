/** Zero crossings of the kernel on each side, and how finely it is tabled between two of them. */
const CROSSINGS = 16
const STEPS = 256
/** Of the narrower of both bands, what is kept: the kernel needs the rest to fall off in. */
const KEPT = 0.92

/** `samples` at another rate, by a windowed sinc, in a fresh array: `ratio` is the rate they have, divided by the one they get. */
export function resample(samples: Float32Array, ratio: number): Float32Array {
  if (ratio === 1) return samples.slice()
  const cutoff = KEPT * Math.min(1, 1 / ratio)
  const reach = CROSSINGS / cutoff
  const output = new Float32Array(Math.floor(samples.length / ratio))
  for (let index = 0; index < output.length; index++) {
    const centre = index * ratio
    const from = Math.max(0, Math.ceil(centre - reach))
    const to = Math.min(samples.length - 1, Math.floor(centre + reach))
    let sum = 0
    for (let at = from; at <= to; at++) {
      const place = Math.abs(at - centre) * cutoff * STEPS
      const step = Math.floor(place)
      const low = KERNEL[step] ?? 0
      sum += samples[at]! * (low + ((KERNEL[step + 1] ?? 0) - low) * (place - step))
    }
    output[index] = sum * cutoff
  }
  return output
}

/** One side of sin(πx)/πx under a raised cosine. */
const KERNEL = Float64Array.from({ length: CROSSINGS * STEPS + 1 }, (_, index) => {
  const x = index / STEPS
  const window = 0.5 + 0.5 * Math.cos((Math.PI * x) / CROSSINGS)
  return index === 0 ? 1 : (window * Math.sin(Math.PI * x)) / (Math.PI * x)
})
