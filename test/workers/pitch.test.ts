import { describe, expect, it } from 'vitest'
import { medianPitch } from '../../workers/pitch.ts'

const RATE = 16_000

/** A buzz with the harmonics of a voice. */
function voice(hertz: number, seconds: number): Float32Array {
  return Float32Array.from({ length: seconds * RATE }, (_, at) => {
    const phase = (2 * Math.PI * hertz * at) / RATE
    return [1, 2, 3, 4, 5, 6].reduce((sum, order) => sum + (0.1 * Math.sin(order * phase)) / order, 0)
  })
}

describe('the pitch of a voice', () => {
  it.each([75, 110, 180, 260, 350])('of %i Hz is found', (hertz) => {
    expect(medianPitch(voice(hertz, 0.5)) / hertz).toBeCloseTo(1, 2)
  })

  it('is that of its louder part, whatever hums below it', () => {
    const hum = Float32Array.from({ length: RATE }, (_, at) => 0.2 * Math.sin((2 * Math.PI * 50 * at) / RATE))
    const both = voice(200, 1).map((sample, at) => sample + hum[at]!)
    expect(medianPitch(both) / 200).toBeCloseTo(1, 1)
  })

  it('is 0 where there is none, or too little to tell', () => {
    const noise = Float32Array.from({ length: RATE }, (_, at) => Math.sin(at * at * 0.37) * 0.1)
    expect(medianPitch(noise)).toBe(0)
    expect(medianPitch(new Float32Array(RATE))).toBe(0)
    expect(medianPitch(voice(200, 0.1))).toBe(0)
    expect(medianPitch(new Float32Array(0))).toBe(0)
  })
})
