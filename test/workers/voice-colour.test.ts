import { describe, expect, it } from 'vitest'
import type { VoicePrint } from '../../src/speech/task-protocol.ts'
import { type ColouredHearing, fitColour } from '../../workers/voice-colour.ts'

const BANDS = 40

function printOf(embedding: Float32Array, level: (band: number) => number): VoicePrint {
  const spectrum = Float32Array.from({ length: BANDS }, (_, band) => level(band))
  return { embedding, pitch: 120, spectrum, bands: spectrum.map((_, band) => 100 * (band + 1)) }
}

const flat = printOf(Float32Array.of(1, 0), () => 0)
/** Dark, and in an encoder that hears nothing but brightness in another place. */
const dark = printOf(Float32Array.of(0, 1), (band) => 4 * Math.cos((Math.PI * (band + 0.5)) / BANDS))

/** Hears a likeness that is the greatest where the first band is this many dB louder than the last. */
function hearing(slope: number): { hear: ColouredHearing; heard: number[] } {
  const heard: number[] = []
  const hear: ColouredHearing = async (colours) =>
    colours.map((gains) => {
      heard.push(gains.length)
      const angle = Math.min(Math.abs(gains[0]! - gains[BANDS - 1]! - slope) / 20, Math.PI / 2)
      return Float32Array.of(Math.sin(angle), Math.cos(angle))
    })
  return { hear, heard }
}

describe('the colour that makes speech like a voice', () => {
  it('is that of the spectra where the encoder hears no better', async () => {
    const { gains } = await fitColour(hearing(8).hear, flat, dark, 2)
    expect(gains[0]! - gains[BANDS - 1]!).toBeCloseTo(8, 0)
    for (const [band, gain] of gains.entries()) expect(Math.abs(gain - dark.spectrum[band]!)).toBeLessThan(1.5)
  })

  it('turns from the spectra where the encoder hears that they hold something else than the voice', async () => {
    const { gains, embedding } = await fitColour(hearing(-3).hear, flat, dark, 2)
    expect(Math.abs(gains[0]! - gains[BANDS - 1]! + 3)).toBeLessThan(2)
    expect(embedding[1]).toBeGreaterThan(0.99)
  })

  it('strays from the spectra only for what the encoder clearly hears', async () => {
    const faint = (rise: number) => async (colours: readonly Float32Array[]) =>
      colours.map((gains) => Float32Array.of(0, 0.5 + rise * (gains[0]! - gains[BANDS - 1]!)))
    const slope = async (rise: number) => {
      const { gains } = await fitColour(faint(rise), flat, dark, 2)
      return gains[0]! - gains[BANDS - 1]!
    }
    expect(await slope(0.00005)).toBeLessThan(12)
    expect(await slope(0.01)).toBeGreaterThan(14)
  })

  it('is the same each time, and found with as many looks', async () => {
    const [first, second] = [hearing(3), hearing(3)]
    expect(await fitColour(first.hear, flat, dark, 2)).toEqual(await fitColour(second.hear, flat, dark, 2))
    expect(first.heard).toHaveLength(second.heard.length)
    expect(first.heard.length).toBeLessThanOrEqual(30)
  })
})
