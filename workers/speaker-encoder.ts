import assert from 'node:assert/strict'
import { join } from 'node:path'
import { ENCODER_BANDS, ENCODER_FRAMES, ENCODER_GRAPH } from '../models/speaker/manifest.ts'
import { LISTENING_SAMPLE_RATE } from '../src/speech/recognition.ts'
import type { HeardTrial, VoicePrint } from '../src/speech/task-protocol.ts'
import { loudSpeech } from './loud-speech.ts'
import { HOP_SAMPLES, MelPower, melMiddles } from './mel-power.ts'
import { medianPitch } from './pitch.ts'
import { resample } from './resample.ts'
import { openSession, type Session, tensor } from './session.ts'
import { fitColour } from './voice-colour.ts'

/** Frames from one part that the model hears to the next; the published encoder's 1.3 parts a second. */
const STEP_FRAMES = 77
/** A last part with less speech than this is left out, unless it is the only one. */
const COVERAGE_MIN = 0.75
/** Frames quieter than this share of all say little of how speech is coloured. */
const QUIET_SHARE = 0.4

type MeasuredTrial = Omit<HeardTrial, 'spoken'>

/** Measures voices, on one thread. Every result is in fresh arrays. */
export class SpeakerEncoder {
  readonly #session: Session
  readonly #mel = new MelPower(ENCODER_BANDS)

  private constructor(session: Session) {
    this.#session = session
  }

  /** `installedDir`: what the pack's installer wrote. */
  static async load(installedDir: string): Promise<SpeakerEncoder> {
    return new SpeakerEncoder(await openSession(join(installedDir, ENCODER_GRAPH)))
  }

  /** `samples`: speech of one person at `sampleRate`. Of silence the pitch is 0 and the rest means nothing. */
  async measure(samples: Float32Array, sampleRate: number): Promise<VoicePrint> {
    return (await this.#heard(samples, sampleRate)).print
  }

  /** As `measure`, and in which colour the speech resembles `target` most: `climbs` steps are taken towards it. */
  async measureTrial(
    samples: Float32Array,
    sampleRate: number,
    target: VoicePrint,
    climbs: number,
  ): Promise<MeasuredTrial> {
    const { print, powers } = await this.#heard(samples, sampleRate)
    const { gains, embedding } = await fitColour((colours) => this.#embed(powers, colours), print, target, climbs)
    return { print, gains, coloured: embedding }
  }

  async close(): Promise<void> {
    await this.#session.release()
  }

  async #heard(samples: Float32Array, sampleRate: number): Promise<{ print: VoicePrint; powers: Float32Array }> {
    const speech = loudSpeech(resample(samples, sampleRate / LISTENING_SAMPLE_RATE))
    const powers = this.#powers(speech)
    const [embedding] = await this.#embed(powers, [new Float32Array(ENCODER_BANDS)])
    const print = {
      embedding: embedding!,
      pitch: medianPitch(speech),
      spectrum: longTermSpectrum(powers),
      bands: Float32Array.from(melMiddles(ENCODER_BANDS)),
    }
    return { print, powers }
  }

  /** [frames, bands] */
  #powers(speech: Float32Array): Float32Array {
    const frames = 1 + Math.floor(speech.length / HOP_SAMPLES)
    const powers = new Float64Array(ENCODER_BANDS)
    const picture = new Float32Array(frames * ENCODER_BANDS)
    for (let frame = 0; frame < frames; frame++) {
      this.#mel.write(speech, frame * HOP_SAMPLES, powers)
      picture.set(powers, frame * ENCODER_BANDS)
    }
    return picture
  }

  /** With each of these gains, in dB, the mean over overlapping parts, again of length one. */
  async #embed(powers: Float32Array, colours: readonly Float32Array[]): Promise<Float32Array[]> {
    const starts = partStarts(powers.length / ENCODER_BANDS)
    const size = ENCODER_FRAMES * ENCODER_BANDS
    const mel = new Float32Array(colours.length * starts.length * size)
    for (const [index, gains] of colours.entries()) {
      const picture = coloured(powers, gains)
      for (const [part, start] of starts.entries()) {
        const from = start * ENCODER_BANDS
        mel.set(picture.subarray(from, from + size), (index * starts.length + part) * size)
      }
    }
    const dims = [colours.length * starts.length, ENCODER_FRAMES, ENCODER_BANDS]
    const { embedding } = await this.#session.run({ mel: tensor('float32', mel, dims) })
    assert.ok(embedding?.data instanceof Float32Array)
    const all = embedding.data
    const length = all.length / colours.length
    return colours.map((_, index) => meanDirection(all.subarray(index * length, (index + 1) * length), starts.length))
  }
}

/** The picture as speech would have it that came through a filter with these gains and was made as loud again. */
function coloured(powers: Float32Array, gains: Float32Array): Float32Array {
  const factors = gains.map((db) => 10 ** (db / 10))
  const filtered = powers.map((power, at) => power * factors[at % ENCODER_BANDS]!)
  const sum = (values: Float32Array) => values.reduce((total, value) => total + value, 0)
  const louder = sum(filtered) / sum(powers) || 1
  return filtered.map((power) => power / louder)
}

/** `vectors`: one after the other. */
function meanDirection(vectors: Float32Array, count: number): Float32Array {
  const sum = new Float32Array(vectors.length / count)
  for (const [at, value] of vectors.entries()) sum[at % sum.length]! += value
  const length = Math.hypot(...sum)
  return sum.map((value) => value / (length || 1))
}

/** First frames of the parts. The last may reach over the end, into silence. */
function partStarts(frames: number): number[] {
  const count = Math.max(1, Math.ceil((frames - ENCODER_FRAMES + STEP_FRAMES + 1) / STEP_FRAMES))
  const starts = Array.from({ length: count }, (_, index) => index * STEP_FRAMES)
  const covered = (frames - starts.at(-1)!) / ENCODER_FRAMES
  return starts.length > 1 && covered < COVERAGE_MIN ? starts.slice(0, -1) : starts
}

/** Mean level of each band in the louder frames, each frame counting the same, in dB around the mean of all bands. */
function longTermSpectrum(powers: Float32Array): Float32Array {
  const frames = Array.from({ length: powers.length / ENCODER_BANDS }, (_, frame) => {
    const bands = powers.subarray(frame * ENCODER_BANDS, (frame + 1) * ENCODER_BANDS)
    return { bands, total: bands.reduce((sum, power) => sum + power, 0) }
  })
  const loud = frames.sort((a, b) => b.total - a.total).slice(0, Math.ceil((1 - QUIET_SHARE) * frames.length))
  const sums = new Float64Array(ENCODER_BANDS)
  for (const { bands, total } of loud) {
    for (let band = 0; band < ENCODER_BANDS; band++) sums[band]! += bands[band]! / (total + 1e-12)
  }
  const levels = Float32Array.from(sums, (sum) => 10 * Math.log10(sum / loud.length + 1e-9))
  const mean = levels.reduce((sum, level) => sum + level, 0) / ENCODER_BANDS
  return levels.map((level) => level - mean)
}
