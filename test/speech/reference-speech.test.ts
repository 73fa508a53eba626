import { describe, expect, it } from 'vitest'
import { DETECTION_WINDOW_SAMPLES } from '../../src/speech/detection.ts'
import { checkReferenceLength, referenceSpeech, SPEECH_SECONDS_MAX } from '../../src/speech/reference-speech.ts'
import { UnfitReference } from '../../src/speech/voice-fitting.ts'

const RATE = 16_000

interface Stretch {
  readonly seconds: number
  readonly probability: number
  readonly amplitude: number
}
const speech = (seconds: number, amplitude = 0.1): Stretch => ({ seconds, probability: 0.95, amplitude })
const pause = (seconds: number, amplitude = 0): Stretch => ({ seconds, probability: 0.02, amplitude })

function clipOf(...stretches: readonly Stretch[]) {
  const windows = stretches.flatMap((stretch) =>
    Array<Stretch>(Math.round((stretch.seconds * RATE) / DETECTION_WINDOW_SAMPLES)).fill(stretch),
  )
  const samples = new Float32Array(windows.length * DETECTION_WINDOW_SAMPLES)
  for (const at of samples.keys()) {
    samples[at] = windows[Math.floor(at / DETECTION_WINDOW_SAMPLES)]!.amplitude * Math.sin(at / 9)
  }
  return { samples, probabilities: Float32Array.from(windows, ({ probability }) => probability) }
}

function ruleFor(...stretches: readonly Stretch[]): string | undefined {
  const { samples, probabilities } = clipOf(...stretches)
  try {
    referenceSpeech(samples, probabilities)
    return undefined
  } catch (error) {
    if (error instanceof UnfitReference) return error.rule
    throw error
  }
}

function bytesOf({ buffer, byteOffset, byteLength }: Float32Array): Uint8Array {
  return new Uint8Array(buffer, byteOffset, byteLength)
}

describe('the speech of a reference clip', () => {
  it('is what is said in it, without long pauses', () => {
    const { samples, probabilities } = clipOf(pause(1), speech(2), pause(3), speech(1), pause(1))
    const found = referenceSpeech(samples, probabilities).length / RATE
    expect(found).toBeGreaterThan(3)
    expect(found).toBeLessThan(3.5)
  })

  it('is the first half minute of a long clip', () => {
    const { samples, probabilities } = clipOf(speech(40))
    const found = referenceSpeech(samples, probabilities)
    expect(found.length / RATE).toBeCloseTo(SPEECH_SECONDS_MAX, 1)
    expect(Buffer.compare(bytesOf(found), bytesOf(samples.subarray(0, found.length)))).toBe(0)
  })

  it.each<[string, readonly Stretch[], string | undefined]>([
    ['a second and a half of speech', [pause(0.5), speech(1.5), pause(0.5)], undefined],
    ['speech in some noise', [pause(1, 0.02), speech(2), pause(1, 0.02)], undefined],
    ['music or silence without speech', [pause(5, 0.1)], 'min_speech'],
    ['half a second of speech in a long clip', [pause(3), speech(0.5), pause(3)], 'min_speech'],
    ['speech that can hardly be heard', [pause(1), speech(3, 0.001), pause(1)], 'min_level'],
    ['speech that was recorded far too loud', [pause(1), speech(3, 1), pause(1)], 'not_clipped'],
    ['speech as loud as what is around it', [pause(2, 0.08), speech(3), pause(2, 0.08)], 'max_noise'],
  ])('%s: %#', (_, stretches, rule) => {
    expect(ruleFor(...stretches)).toBe(rule)
  })

  it('is not looked for in less than a second', () => {
    expect(() => checkReferenceLength(new Float32Array(RATE - 1))).toThrow(UnfitReference)
    expect(() => checkReferenceLength(new Float32Array(RATE))).not.toThrow()
  })
})
