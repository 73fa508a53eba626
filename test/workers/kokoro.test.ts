import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { spectralDistanceDb } from '../../models/kokoro/spectral-distance.ts'
import { SYMBOLS_MAX } from '../../models/kokoro/symbols.ts'
import { equalise, equaliserTaps } from '../../src/audio/equaliser.ts'
import { SeamJoiner } from '../../src/audio/seam.ts'
import { sliceFeatures } from '../../src/speech/features.ts'
import { STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import {
  FRAME_SAMPLES,
  OVERLAP_SAMPLES,
  type PlanTask,
  SAMPLE_RATE,
  type SpeechPlan,
  type WindowTask,
} from '../../src/speech/task-protocol.ts'
import { layWindows } from '../../src/speech/windows.ts'
import { KokoroEngine } from '../../workers/kokoro.ts'
import { medianPitch } from '../../workers/pitch.ts'
import { resample } from '../../workers/resample.ts'
import { KOKORO_DIR, styleRows } from './packs.ts'

/** "The quick brown fox jumps over the lazy dog near the river." The engine is given phonemes where it expects text. */
const SENTENCE = 'ðə kwˈɪk bɹˈWn fˈɑːks ʤˈʌmps ˌOvəɹ ðə lˈAzi dˈɑːɡ nˌɪɹ ðə ɹˈɪvəɹ.'
const styles = styleRows('af_heart')

let engine: KokoroEngine
let plan: SpeechPlan
let style: Float32Array

function planTask(text: string, change: Partial<PlanTask> = {}): PlanTask {
  return { kind: 'plan', part: 'all', text, pronunciation: 'en-us', styles, speed: 1, ...change }
}

async function planned(text: string, change?: Partial<PlanTask>): Promise<SpeechPlan> {
  const result = await engine.plan(planTask(text, change))
  if (result.status !== 'planned') throw new Error(result.status)
  return result
}

beforeAll(async () => {
  engine = await KokoroEngine.load(KOKORO_DIR, { phonemes: (text) => text })
  plan = await planned(SENTENCE)
  style = styles.slice(plan.styleClass * STYLE_WIDTH, (plan.styleClass + 1) * STYLE_WIDTH)
})

afterAll(() => engine.close())

describe('a plan', () => {
  it('has tracks for every frame, and says where the silence at both ends is', () => {
    const { frames, tracks } = plan.features
    expect(frames).toBeGreaterThan(120)
    expect(frames).toBeLessThan(200)
    for (const { data, width } of Object.values(tracks)) expect(data).toHaveLength(frames * width)
    expect(plan.leadFrames).toBeGreaterThan(0)
    expect(plan.tailFrames).toBeGreaterThan(0)
    expect(plan.leadFrames + plan.tailFrames).toBeLessThan(frames / 2)
  })

  it('is as long as it was measured', async () => {
    const measured = await engine.measure({ kind: 'measure', text: SENTENCE, pronunciation: 'en-us', styles })
    expect(measured).toEqual({ status: 'measured', frames: plan.features.frames, tokens: plan.tokens })
  })

  it('is shorter at a higher speed', async () => {
    const fast = await planned(SENTENCE, { speed: 1.5 })
    expect(fast.features.frames / plan.features.frames).toBeCloseTo(1 / 1.5, 1)
  })

  it.each([120, 200, 333])('is exactly %i frames long when that is asked for', async (frames) => {
    expect((await planned(SENTENCE, { frames })).features.frames).toBe(frames)
  })

  it('is empty where nothing can be pronounced', async () => {
    expect(await planned('… — !')).toMatchObject({ tokens: 0, leadFrames: 0, tailFrames: 0, features: { frames: 0 } })
  })

  it('is refused above the number of symbols that the model takes', async () => {
    expect((await planned('a'.repeat(SYMBOLS_MAX))).tokens).toBe(SYMBOLS_MAX)
    expect(await engine.plan(planTask('a'.repeat(SYMBOLS_MAX + 1)))).toEqual({
      status: 'too_long',
      tokens: SYMBOLS_MAX + 1,
      tokensMax: SYMBOLS_MAX,
    })
  })

  it('tells when each word is spoken where that is asked for', async () => {
    const text = 'kwˈɪk bɹˈWn fˈɑːks.'
    const { words, features, leadFrames } = await planned(text, { timestamps: true })
    expect(words?.map(({ word }) => word)).toEqual(text.split(' '))
    expect(words?.[0]?.from).toBeGreaterThan(leadFrames - 5)
    expect(words?.at(-1)?.to).toBeLessThanOrEqual(features.frames)
    expect(plan.words).toBeUndefined()
  })

  it('is the same every time', async () => {
    expect(await planned(SENTENCE)).toEqual(plan)
  })

  it('of the opening ends behind a word, and the rest goes on from there as in a plan of all', async () => {
    const opening = await planned(SENTENCE, { part: 'opening' })
    const rest = await planned(SENTENCE, { part: 'rest' })
    expect([opening.isComplete, rest.isComplete, opening.tokens, rest.tokens]).toEqual([
      false,
      true,
      plan.tokens,
      plan.tokens,
    ])
    expect(opening.features.frames).toBeGreaterThan(opening.leadFrames + 12)
    const f0 = plan.features.tracks.f0!.data
    expect(rest.features.tracks.f0!.data).toEqual(f0.slice(f0.length - 2 * rest.features.frames))
  })

  it('of the opening is all of a short text', async () => {
    const text = SENTENCE.slice(0, 30)
    expect(await planned(text, { part: 'opening' })).toEqual(await planned(text))
  })
})

describe('the pitch of a voice', () => {
  it('is multiplied in its plan, which stays as long', async () => {
    const higher = await planned(SENTENCE, { pitch: 1.2 })
    expect(higher.features.frames).toBe(plan.features.frames)
    const [before, after] = [plan, higher].map(({ features }) => features.tracks.f0!.data)
    for (const [at, hertz] of after!.entries()) expect(hertz).toBeCloseTo(1.2 * before![at]!, 2)
  })

  it('and its style are heard in a trial, which has no silence around it', async () => {
    const trial = await engine.trial({ style, pitch: 1, sentence: 0 })
    expect(trial.length / SAMPLE_RATE).toBeGreaterThan(1.5)
    expect(trial.length / SAMPLE_RATE).toBeLessThan(3)
    expect(trial.length % FRAME_SAMPLES).toBe(0)
    const other = await engine.trial({ style, pitch: 1, sentence: 1 })
    expect(other.length / SAMPLE_RATE).toBeGreaterThan(2)
    expect(other.length / SAMPLE_RATE).toBeLessThan(4)
    const pitch = medianPitch(resample(trial, SAMPLE_RATE / 16_000))
    const lower = await engine.trial({ style, pitch: 0.8, sentence: 0 })
    expect(medianPitch(resample(lower, SAMPLE_RATE / 16_000)) / pitch).toBeCloseTo(0.8, 1)
    await engine.endWhole()
  })
})

describe('rendering', () => {
  let whole: Float32Array
  let conditioning: Float32Array

  beforeAll(async () => {
    // What is decoded whole is cut at four seconds.
    plan = await planned(SENTENCE, { frames: 150 })
    whole = (await engine.whole(plan.features, style)).audio
    const [one, two] = [await calibrated(0), await calibrated(1)]
    conditioning = one.map((value, index) => (value + two[index]!) / 2)
  })

  async function calibrated(utterance: number): Promise<Float32Array> {
    return (await engine.calibrate({ kind: 'calibrate', style, utterance })).conditioning
  }

  async function windows(filter: Pick<WindowTask, 'equaliser'> = {}, { features } = plan): Promise<Float32Array> {
    const seams = new SeamJoiner(OVERLAP_SAMPLES)
    const { frames } = features
    const parts: Float32Array[] = []
    for (const span of layWindows(0, frames, 0)) {
      const slice = sliceFeatures(features, span)
      const task = { kind: 'window', ...slice, frames: span.to - span.from, conditioning, ...filter } as const
      const window = await engine.window(task)
      expect(window.before).toBe(span.from === 0 ? 0 : OVERLAP_SAMPLES)
      parts.push(seams.push(window.samples, span.to === frames))
    }
    return Float32Array.from(parts.flatMap((part) => [...part]))
  }

  it('gives one frame of samples a frame, at the level of speech', () => {
    expect(whole).toHaveLength(plan.features.frames * FRAME_SAMPLES)
    const peak = whole.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(peak).toBeGreaterThan(0.1)
    expect(peak).toBeLessThan(1)
  })

  it('is no louder where a text is heard to its very end, with no mark behind it', async () => {
    const open = await planned('ʃi ˈOpənd ðə ˈOld wˈʊdən dˈɔɹ slˈOli, ænd ə wˈɑ', { frames: 130 })
    const samples = await windows({}, open)
    const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)
    expect(peak).toBeGreaterThan(0.1)
    expect(peak).toBeLessThan(1)
  })

  it('is nearly silent in the frames that the plan calls silent', () => {
    const lead = whole.subarray(0, plan.leadFrames * FRAME_SAMPLES)
    expect(lead.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0)).toBeLessThan(0.01)
  })

  it('in windows is the same speech as whole, sample for sample as long', async () => {
    const joined = await windows()
    expect(joined).toHaveLength(whole.length)
    expect(spectralDistanceDb(whole, joined)).toBeLessThan(8)
  })

  it('in windows through an equaliser is the speech through the equaliser, seams included', async () => {
    const gains = [300, 1_000, 3_000].map((hertz, index) => ({ hertz, db: 5 - 5 * index }))
    const taps = equaliserTaps(gains, SAMPLE_RATE)
    const expected = equalise(await windows(), taps)
    const found = await windows({ equaliser: taps })
    expect(found).toHaveLength(expected.length)
    const power = (samples: Float32Array) => samples.reduce((sum, sample) => sum + sample ** 2, 0)
    expect(power(found.map((sample, at) => sample - expected[at]!)) / power(expected)).toBeLessThan(0.001)
  })

  it('of a window alone is the same every time', async () => {
    const slice = sliceFeatures(plan.features, { from: 40, to: 56 })
    const task = { kind: 'window', ...slice, frames: 16, conditioning } as const
    expect(await engine.window(task)).toEqual(await engine.window(task))
  })

  it('of silence is zeros', async () => {
    const slice = sliceFeatures(plan.features, { from: 0, to: 4 })
    const quiet = { data: new Float32Array(2 * slice.features.frames).fill(-9), width: 2 }
    const features = { ...slice.features, tracks: { ...slice.features.tracks, energy: quiet } }
    const { samples } = await engine.window({ kind: 'window', features, before: 0, frames: 4, conditioning })
    expect(samples.every((sample) => sample === 0)).toBe(true)
  })

  it('refuses conditioning of another length', async () => {
    const slice = sliceFeatures(plan.features, { from: 40, to: 56 })
    const task = { kind: 'window', ...slice, frames: 16, conditioning: conditioning.subarray(1) } as const
    await expect(engine.window(task)).rejects.toThrow('another installation')
  })
})
