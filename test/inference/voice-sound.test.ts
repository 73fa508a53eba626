import { describe, expect, it } from 'vitest'
import { EQUALISER_TAPS } from '../../src/audio/equaliser.ts'
import { decodeVoiceSound, encodeVoiceSound, stateOfFeatures } from '../../src/inference/voice-sound.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'

const sound = {
  pitch: 1.25,
  hertz: 187.5,
  rows: Float32Array.from({ length: STYLE_CLASSES.length * STYLE_WIDTH }, (_, index) => Math.sin(index)),
  equaliser: Float32Array.from({ length: EQUALISER_TAPS }, (_, index) => Math.cos(index)),
  isSketch: false,
}

describe('a fitted voice as bytes', () => {
  it('is the same voice again, in a few kilobytes', () => {
    const bytes = encodeVoiceSound(sound)
    expect(bytes.length).toBeLessThan(8 * 1024)
    expect(decodeVoiceSound(bytes)).toEqual(sound)
    // Wherever they lie in a larger buffer.
    const around = new Uint8Array(bytes.length + 3)
    around.set(bytes, 3)
    expect(decodeVoiceSound(around.subarray(3))).toEqual(sound)
    expect(decodeVoiceSound(Buffer.from(around.buffer, 3))).toEqual(sound)
  })

  it('is told from its sketch, and from what is neither', () => {
    const [sketch, refined] = [true, false].map((isSketch) => encodeVoiceSound({ ...sound, isSketch }))
    expect(decodeVoiceSound(sketch!)).toEqual({ ...sound, isSketch: true })
    expect([sketch!, refined!, refined!.subarray(1)].map(stateOfFeatures)).toEqual(['sketch', 'refined', 'lost'])
  })

  it('is nothing once a bit of it has changed, or a byte is missing', () => {
    const bytes = encodeVoiceSound(sound)
    for (let at = 0; at < bytes.length; at += 97) {
      const damaged = bytes.slice()
      damaged[at]! ^= 1
      expect(decodeVoiceSound(damaged)).toBeUndefined()
    }
    expect(decodeVoiceSound(bytes.subarray(1))).toBeUndefined()
    expect(decodeVoiceSound(new Uint8Array(0))).toBeUndefined()
  })
})
