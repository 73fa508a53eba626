import { describe, expect, it } from 'vitest'
import { KokoroVoiceFitter } from '../../src/inference/kokoro-voice-fitter.ts'
import { PresetVoices } from '../../src/inference/preset-voices.ts'
import { decodeVoiceSound } from '../../src/inference/voice-sound.ts'
import { DETECTION_WINDOW_SAMPLES, type SpeechDetector } from '../../src/speech/detection.ts'
import { STYLE_CLASSES, STYLE_WIDTH, TRIAL_STYLE_CLASS } from '../../src/speech/style-classes.ts'
import {
  type HeardTrial,
  SAMPLE_RATE,
  type SpeechTask,
  type TaskResult,
  type VoiceMixture,
  type VoicePrint,
  type VoiceRanking,
  type VoiceTrial,
} from '../../src/speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../../src/speech/task-runner.ts'
import { UnfitReference, type VoiceFeatures } from '../../src/speech/voice-fitting.ts'
import { PRESET_VOICES } from '../../src/speech/voices.ts'
import { styleRows, VOICES_DIR } from '../workers/packs.ts'

const RATE = 16_000
const TRIALS = 3
const MARK = new Float32Array(40)

/**
 * Proposes one voice of the model after the other, and hears the pitch that is next in `pitches`. The first is the clip's. The trial
 * whose number is `best` is the best.
 */
class ScriptedRunner implements TaskRunner {
  readonly ran: { task: SpeechTask; order: TaskOrder }[] = []
  pitches = [200, 180, 190, 210, 195]
  best = 1
  before: (task: SpeechTask) => void = () => {}

  listen() {
    return () => {}
  }

  async run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>> {
    this.before(task)
    order.signal?.throwIfAborted()
    this.ran.push({ task, order })
    return this.#answer(task) as TaskResult<T>
  }

  tasks<K extends SpeechTask['kind']>(kind: K): Extract<SpeechTask, { kind: K }>[] {
    return this.ran.flatMap(({ task }) => (task.kind === kind ? [task as Extract<SpeechTask, { kind: K }>] : []))
  }

  #answer(task: SpeechTask): VoicePrint | HeardTrial | VoiceMixture | VoiceRanking {
    if (task.kind === 'rank') return { scores: task.trials.map(() => 0), best: this.best }
    if (task.kind !== 'search') {
      const number = this.tasks('trial').length
      const embedding = new Float32Array(256).fill(1 / 16)
      const print = { embedding, pitch: this.pitches[number] ?? 0, spectrum: MARK, bands: BANDS }
      // Of the second sentence the upper half of the bands, of the others nothing.
      const gains = MARK.map((_, band) => (task.kind === 'trial' && task.sentence === 1 && band >= 20 ? 6 : 0))
      const spoken = Float32Array.of(number)
      return task.kind === 'embed'
        ? print
        : { spoken, print, gains, coloured: embedding.map((value) => value * number) }
    }
    const index = task.trials.length
    const weights = Float32Array.from(PRESET_VOICES, (_, voice) => (voice === index ? 1 : 0))
    return { coordinates: Float32Array.of(index), timbre: weights, prosody: weights, pitch: 1.1 }
  }
}

const BANDS = Float32Array.from({ length: 40 }, (_, band) => 100 * 1.1 ** band)

/** What a symmetric filter makes of a tone. */
function decibels(taps: Float32Array, hertz: number): number {
  const middle = (taps.length - 1) / 2
  const angle = (2 * Math.PI * hertz) / SAMPLE_RATE
  return 20 * Math.log10(Math.abs(taps.reduce((sum, tap, at) => sum + tap * Math.cos(angle * (at - middle)), 0)))
}

/** Takes whatever is loud for speech. */
const detector: SpeechDetector = {
  open: () => ({
    push: async (samples) =>
      Float32Array.from({ length: Math.floor(samples.length / DETECTION_WINDOW_SAMPLES) }, (_, window) =>
        Math.abs(samples[window * DETECTION_WINDOW_SAMPLES + 100]!) > 0.01 ? 0.9 : 0,
      ),
  }),
}

const clip = Float32Array.from({ length: 3 * RATE }, (_, at) => (at < RATE ? 0 : 0.1 * Math.cos(at / 3)))
const never = new AbortController().signal

function fitter(runner: TaskRunner): KokoroVoiceFitter {
  return new KokoroVoiceFitter(runner, detector, new PresetVoices(VOICES_DIR, ''), TRIALS)
}

/** The voice in the end. */
async function fitted(runner: TaskRunner): Promise<VoiceFeatures> {
  const { refine } = await fitter(runner).fit(clip, { signal: never })
  return refine(never)
}

describe('fitting a voice', () => {
  it('measures the speech of the clip, then tries what is proposed, each time knowing all trials before', async () => {
    const runner = new ScriptedRunner()
    await fitted(runner)
    const kinds = runner.ran.map(({ task }) => task.kind)
    expect(kinds).toEqual(['embed', 'search', 'trial', 'search', 'trial', 'search', 'trial', 'rank', 'trial'])
    const [embed] = runner.tasks('embed')
    expect(embed!.sampleRate).toBe(RATE)
    expect(embed!.samples.length / RATE).toBeCloseTo(2, 0)
    expect(runner.tasks('search').map(({ trials }) => trials.map(({ coordinates }) => coordinates[0]))).toEqual([
      [],
      [0],
      [0, 1],
    ])
    expect(runner.tasks('rank').map(({ trials }) => trials.map(({ coordinates }) => coordinates[0]))).toEqual([
      [0, 1, 2],
    ])
  })

  it('speaks its trials with the mixture, in the style of an ordinary sentence', async () => {
    const runner = new ScriptedRunner()
    await fitted(runner)
    const [first] = runner.tasks('trial')
    const from = TRIAL_STYLE_CLASS * STYLE_WIDTH
    expect(first!.style).toEqual(styleRows(PRESET_VOICES[0]!.model).slice(from, from + STYLE_WIDTH))
    expect(first!.pitch).toBeCloseTo(1.1)
  })

  it('has each trial coloured like the clip, and searches on with what was heard then', async () => {
    const runner = new ScriptedRunner()
    await fitted(runner)
    for (const { target } of runner.tasks('trial')) expect(target.pitch).toBe(200)
    const heard = ({ trials }: { trials: readonly VoiceTrial[] }) => trials.map(({ coloured }) => 16 * coloured[0]!)
    expect(heard(runner.tasks('search').at(-1)!)).toEqual([1, 2])
    expect(heard(runner.tasks('rank')[0]!)).toEqual([1, 2, 3])
  })

  it('has the best trial speak another sentence, and keeps the colour that suits it then', async () => {
    const runner = new ScriptedRunner()
    const { equaliser } = decodeVoiceSound(await fitted(runner))!
    const trials = runner.tasks('trial')
    expect(trials.map(({ sentence, before }) => [sentence, before])).toEqual([
      [0, undefined],
      [0, undefined],
      [0, undefined],
      [1, Float32Array.of(runner.best + 1)],
    ])
    expect(trials[3]!.style).toEqual(trials[runner.best]!.style)
    const [low, high] = [BANDS[10]!, BANDS[39]!].map((hertz) => decibels(equaliser, hertz))
    expect(high! - low!).toBeCloseTo(6, 0)
  })

  it('has a sketch after the first trial, which is that trial in its colour and at the pitch of the clip', async () => {
    const runner = new ScriptedRunner()
    const { sketch } = await fitter(runner).fit(clip, { signal: never })
    expect(runner.ran.map(({ task }) => task.kind)).toEqual(['embed', 'search', 'trial'])
    const { rows, pitch, hertz, isSketch } = decodeVoiceSound(sketch)!
    const expected = styleRows(PRESET_VOICES[0]!.model)
    for (const [at, value] of rows.entries()) expect(value).toBeCloseTo(expected[at]!, 5)
    expect([isSketch, hertz]).toEqual([true, 200])
    expect(pitch).toBeCloseTo((1.1 * 200) / 180, 4)
    expect(decodeVoiceSound(await fitted(runner))!.isSketch).toBe(false)
  })

  it('does all of it as batch work that can be cancelled, and lets others go before what nobody waits for', async () => {
    const runner = new ScriptedRunner()
    const { refine } = await fitter(runner).fit(clip, { signal: never })
    const deadline = Number.POSITIVE_INFINITY
    for (const { order } of runner.ran) expect(order).toEqual({ deadline, signal: never, isAhead: false })
    const stop = new AbortController()
    runner.ran.length = 0
    await refine(stop.signal)
    for (const { order } of runner.ran) expect(order).toEqual({ deadline, signal: stop.signal, isAhead: true })
    runner.ran.length = 0
    await fitter(runner).fit(clip, { signal: never, isAhead: true })
    for (const { order } of runner.ran) expect(order).toEqual({ deadline, signal: never, isAhead: true })
  })

  it('keeps the best trial in all length classes, and makes up for what its pitch lacks', async () => {
    const features = await fitted(new ScriptedRunner())
    const { rows, pitch } = decodeVoiceSound(features)!
    const expected = styleRows(PRESET_VOICES[1]!.model)
    expect(rows).toHaveLength(STYLE_CLASSES.length * STYLE_WIDTH)
    for (const [at, value] of rows.entries()) expect(value).toBeCloseTo(expected[at]!, 5)
    expect(pitch).toBeCloseTo((1.1 * 200) / 195, 4)
  })

  it('corrects the pitch within bounds, and not at all where it could not be heard', async () => {
    const runner = new ScriptedRunner()
    runner.pitches = [300, 0, 100, 0, 100]
    expect(decodeVoiceSound(await fitted(runner))!.pitch).toBeCloseTo(1.1 * 1.25, 4)
    runner.ran.length = 0
    runner.pitches = [300, 300, 300, 300, 0]
    expect(decodeVoiceSound(await fitted(runner))!.pitch).toBeCloseTo(1.1, 4)
  })

  it('gives the same features for the same clip', async () => {
    const [first, second] = [new ScriptedRunner(), new ScriptedRunner()]
    expect(await fitted(first)).toEqual(await fitted(second))
  })

  it('leaves the clip as it is', async () => {
    const before = clip.slice()
    await fitted(new ScriptedRunner())
    expect(Buffer.compare(Buffer.from(clip.buffer), Buffer.from(before.buffer))).toBe(0)
  })

  it('stops with the signal’s reason, after at most one task', async () => {
    const runner = new ScriptedRunner()
    const stop = new AbortController()
    runner.before = (task) => {
      if (task.kind === 'trial') stop.abort(new Error('nobody wants it'))
    }
    await expect(fitter(runner).fit(clip, stop)).rejects.toThrow('nobody wants it')
    expect(runner.ran.map(({ task }) => task.kind)).toEqual(['embed', 'search'])
  })

  it('stops refining with the signal’s reason, after at most one task', async () => {
    const runner = new ScriptedRunner()
    const { refine } = await fitter(runner).fit(clip, { signal: never })
    const stop = new AbortController()
    runner.ran.length = 0
    runner.before = (task) => {
      if (task.kind === 'trial') stop.abort(new Error('nobody wants it'))
    }
    await expect(refine(stop.signal)).rejects.toThrow('nobody wants it')
    expect(runner.ran.map(({ task }) => task.kind)).toEqual(['search'])
  })

  it('refuses a clip without a voice before it tries anything', async () => {
    const runner = new ScriptedRunner()
    await expect(fitter(runner).fit(clip.subarray(0, RATE / 2), { signal: never })).rejects.toMatchObject({
      rule: 'min_duration',
    })
    await expect(fitter(runner).fit(new Float32Array(2 * RATE), { signal: never })).rejects.toMatchObject({
      rule: 'min_speech',
    })
    expect(runner.ran).toEqual([])
    runner.pitches = [0]
    await expect(fitted(runner)).rejects.toBeInstanceOf(UnfitReference)
    expect(runner.tasks('search')).toEqual([])
  })

  it('passes on that a task failed', async () => {
    const runner = new ScriptedRunner()
    runner.before = (task) => {
      if (task.kind === 'search') throw new Error('the worker is gone')
    }
    await expect(fitted(runner)).rejects.toThrow('the worker is gone')
  })
})
