import { fromPcm16 } from '../src/audio/pcm.ts'
import { WAV_HEADER_BYTES } from '../src/audio/wav.ts'
import { SAMPLE_RATE } from '../src/speech/task-protocol.ts'
import { PowerSpectrum } from '../workers/fourier.ts'

const FRAME = 512
const HOP = FRAME / 2
const WINDOW = Float64Array.from({ length: FRAME }, (_, n) => 0.5 - 0.5 * Math.cos((2 * Math.PI * n) / FRAME))

/** A band of frequencies, in hertz. */
export interface Band {
  readonly from: number
  readonly to: number
}

/**
 * Level of the band in all of a WAV of 16-bit samples at 24 kHz, in dB, of no absolute meaning. DNSMOS and recognisers hear up to
 * 8 kHz: what speech loses above that shows here alone.
 */
export function bandLevelDb(wav: Uint8Array, band: Band): number {
  const bytes = wav.slice(WAV_HEADER_BYTES)
  const samples = fromPcm16(new Int16Array(bytes.buffer, 0, bytes.length >> 1))
  const spectrum = new PowerSpectrum(FRAME)
  const power = new Float64Array(FRAME / 2 + 1)
  const bin = (hertz: number) => Math.round((hertz / SAMPLE_RATE) * FRAME)
  let sum = 0
  for (let at = 0; at + FRAME <= samples.length; at += HOP) {
    spectrum.write(
      WINDOW.map((weight, n) => weight * (samples[at + n] ?? 0)),
      power,
    )
    for (const value of power.subarray(bin(band.from), bin(band.to))) sum += value
  }
  return 10 * Math.log10(sum)
}
