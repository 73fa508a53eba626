import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { equalise } from '../../src/audio/equaliser.ts'
import { colouringTaps } from '../../src/speech/voice-colour.ts'
import { SpeakerEncoder } from '../../workers/speaker-encoder.ts'
import { clip, speakerClip } from './clips.ts'
import { ENCODER_DIR } from './packs.ts'

/**
 * What the published weights make of the clip of speaker 1034, in an implementation of its own with NumPy: every sixteenth of the
 * 256 numbers.
 */
const REFERENCE = [
  0.0, 0.1318, 0.0432, 0.0373, 0.055, 0.0, 0.0627, 0.0643, 0.0398, 0.0151, 0.015, 0.0476, 0.0326, 0.0057, 0.0, 0.134,
]

let encoder: SpeakerEncoder
beforeAll(async () => {
  encoder = await SpeakerEncoder.load(ENCODER_DIR)
})
afterAll(() => encoder.close())

function cosine(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, at) => sum + value * b[at]!, 0)
}

describe('the speaker encoder', () => {
  it('computes what the published weights say', async () => {
    const { embedding } = await encoder.measure(await speakerClip('1034'), 16_000)
    expect(Math.hypot(...embedding)).toBeCloseTo(1, 5)
    const found = embedding.filter((_, at) => at % 16 === 0)
    for (const [at, value] of found.entries()) expect(value).toBeCloseTo(REFERENCE[at]!, 2)
  })

  it('finds a person more like themself than like anybody else', async () => {
    const speakers = ['1034', '1069', '1263', '150']
    const clips = await Promise.all(speakers.map(speakerClip))
    const first = await Promise.all(clips.map((samples) => embedded(samples.slice(0, samples.length / 2))))
    const second = await Promise.all(clips.map((samples) => embedded(samples.slice(samples.length / 2))))
    for (const [index, own] of first.entries()) {
      const likeness = second.map((other) => cosine(own, other))
      expect(likeness.indexOf(Math.max(...likeness))).toBe(index)
      expect(likeness[index]).toBeGreaterThan(0.75)
    }
  })

  it('hears the same voice at another level, at another rate, and behind silence', async () => {
    const samples = await speakerClip('150')
    const own = await encoder.measure(samples, 16_000)
    const faint = await encoder.measure(
      samples.map((sample) => sample / 50),
      16_000,
    )
    expect(cosine(own.embedding, faint.embedding)).toBeGreaterThan(0.98)
    const late = new Float32Array(3 * 16_000 + samples.length)
    late.set(samples, 3 * 16_000)
    expect(cosine(own.embedding, (await encoder.measure(late, 16_000)).embedding)).toBeGreaterThan(0.97)
    const higher = await encoder.measure(samples, 20_000)
    expect(higher.pitch / own.pitch).toBeCloseTo(1.25, 1)
  })

  it('tells how high a voice is and how it is coloured', async () => {
    const { pitch, spectrum, bands } = await encoder.measure(clip('ljspeech/LJ001-0004.wav'), 16_000)
    expect(pitch).toBeGreaterThan(180)
    expect(pitch).toBeLessThan(260)
    expect(spectrum).toHaveLength(40)
    expect(spectrum.reduce((sum, level) => sum + level, 0)).toBeCloseTo(0, 3)
    expect(spectrum[5]! - spectrum[35]!).toBeGreaterThan(10)
    expect(bands[0]).toBeLessThan(100)
    expect(bands[39]).toBeGreaterThan(7_000)
  })

  it('finds a colour in which a trial is more like a voice, and hears it as through the filter', async () => {
    const spoken = (await speakerClip('1034')).slice(0, 3 * 16_000)
    const target = await encoder.measure(await speakerClip('1263'), 16_000)
    const trial = await encoder.measureTrial(spoken, 16_000, target, 2)
    const { print, gains, coloured } = trial
    expect(print).toEqual(await encoder.measure(spoken, 16_000))
    expect(cosine(coloured, target.embedding)).toBeGreaterThan(cosine(print.embedding, target.embedding) + 0.005)
    const filtered = equalise(spoken, colouringTaps(gains, print.spectrum, print.bands, 16_000))
    const { embedding } = await encoder.measure(filtered, 16_000)
    expect(cosine(embedding, coloured)).toBeGreaterThan(0.998)
    expect(await encoder.measureTrial(spoken, 16_000, target, 2)).toEqual(trial)
  })

  it('takes a word as well as a speech, and finds no pitch in silence', async () => {
    const samples = await speakerClip('150')
    const { embedding } = await encoder.measure(samples.slice(16_000, 24_000), 16_000)
    expect(embedding.every(Number.isFinite)).toBe(true)
    for (const length of [0, 16_000]) {
      expect((await encoder.measure(new Float32Array(length), 16_000)).pitch).toBe(0)
    }
  })

  async function embedded(samples: Float32Array): Promise<Float32Array> {
    return (await encoder.measure(samples, 16_000)).embedding
  }
})
