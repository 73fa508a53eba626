/** Full scale of a float sample as 16-bit PCM; symmetric, so that silence and polarity survive. */
const FULL_SCALE = 32_767

/** Float samples in [-1, 1] as PCM16, rounded and clamped, in a fresh array. */
export function toPcm16(samples: Float32Array): Int16Array {
  const pcm = new Int16Array(samples.length)
  for (let i = 0; i < samples.length; i++) {
    pcm[i] = Math.max(-FULL_SCALE, Math.min(FULL_SCALE, Math.round(samples[i]! * FULL_SCALE)))
  }
  return pcm
}

/** PCM16 as float samples in [-1, 1), in a fresh array. */
export function fromPcm16(pcm: Int16Array): Float32Array {
  const samples = new Float32Array(pcm.length)
  for (let i = 0; i < pcm.length; i++) samples[i] = pcm[i]! / 32_768
  return samples
}

/** The samples as little-endian bytes. A view, not a copy: every platform Node runs on is little-endian. */
export function pcmBytes(samples: Int16Array): Uint8Array {
  return new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength)
}

/** One array with the samples of all parts. */
export function joinPcm(parts: readonly Int16Array[]): Int16Array<ArrayBuffer> {
  return joinInto(new Int16Array(lengthOf(parts)), parts)
}

/** The same of samples in [-1, 1]. */
export function joinSamples(parts: readonly Float32Array[]): Float32Array<ArrayBuffer> {
  return joinInto(new Float32Array(lengthOf(parts)), parts)
}

function lengthOf(parts: readonly { readonly length: number }[]): number {
  return parts.reduce((total, { length }) => total + length, 0)
}

function joinInto<T extends Int16Array | Float32Array>(joined: T, parts: readonly (Int16Array | Float32Array)[]): T {
  let at = 0
  for (const part of parts) {
    joined.set(part, at)
    at += part.length
  }
  return joined
}
