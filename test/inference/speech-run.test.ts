import { Observable, type Observer } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { SpeechRun } from '../../src/inference/speech-run.ts'
import type { VoiceStyle } from '../../src/inference/voice-styles.ts'
import { type Clock, systemClock } from '../../src/runtime/clock.ts'
import { Demand } from '../../src/runtime/demand.ts'
import {
  type SpokenWord,
  SynthesisFailed,
  type SynthesisRequest,
  type WordListener,
} from '../../src/speech/synthesis.ts'
import { FRAME_SAMPLES, SAMPLE_RATE } from '../../src/speech/task-protocol.ts'
import { FakeClock } from '../fake-clock.ts'
import {
  AnalyticRunner,
  framesOf,
  LEAD_FRAMES,
  OPENING_FRAMES,
  sampleAt,
  styleOf,
  TAIL_FRAMES,
} from './analytic-runner.ts'
import { settled } from './scripted-pool.ts'

const SENTENCE = 'She opened the old wooden door slowly and a warm golden light spilled out.'
const LONG = Array.from(
  { length: 12 },
  (_, i) => `This is sentence number ${i} of a rather long text that goes on.`,
).join(' ')

interface SetUp {
  readonly request?: Partial<SynthesisRequest>
  readonly runner?: AnalyticRunner
  readonly openings?: ScriptedOpenings
  readonly style?: VoiceStyle
  readonly demand?: Demand
  readonly windowsInFlightMax?: number
  readonly onWord?: WordListener
  readonly clock?: Clock
}

/** Knows when the last to enter runs dry. */
class ScriptedOpenings {
  headStartMs = 0
  streams = 0
  runsDryAt: () => number | undefined = () => Number.NaN

  enter(runsDryAt: () => number | undefined): () => void {
    this.runsDryAt = runsDryAt
    this.streams += 1
    let isIn = true
    return () => {
      if (isIn) this.streams -= 1
      isIn = false
    }
  }
}

function speak(setUp: SetUp): Observable<Float32Array> {
  return new Observable((output: Observer<Float32Array>) => {
    const run = new SpeechRun({
      request: {
        id: 'req_test',
        text: SENTENCE,
        language: 'en',
        voiceId: 'preset_af_heart',
        speed: 1,
        durationSeconds: null,
        postprocess: true,
        pace: 'live',
        ...setUp.request,
      },
      pronunciation: 'en-us',
      style: Promise.resolve(setUp.style ?? styleOf()),
      runner: setUp.runner ?? new AnalyticRunner(),
      openings: setUp.openings ?? new ScriptedOpenings(),
      clock: setUp.clock ?? systemClock,
      demand: setUp.demand ?? Demand.unbounded(),
      windowsInFlightMax: setUp.windowsInFlightMax ?? 1,
      output,
      onWord: setUp.onWord,
    })
    return () => run.stop()
  })
}

async function samplesOf(setUp: SetUp): Promise<number[]> {
  const samples: number[] = []
  await speak(setUp).forEach((block) => {
    for (const sample of block) samples.push(sample)
  })
  return samples
}

describe('SpeechRun', () => {
  it('renders windows that join into exactly the speech that was planned, without its silent edges', async () => {
    const runner = new AnalyticRunner()
    const samples = await samplesOf({ runner })
    expect(runner.tasks('window').length).toBeGreaterThan(2)
    expect(samples).toHaveLength((framesOf(SENTENCE) - LEAD_FRAMES - TAIL_FRAMES) * FRAME_SAMPLES)
    for (const [i, sample] of samples.entries())
      expect(sample).toBeCloseTo(sampleAt(i + LEAD_FRAMES * FRAME_SAMPLES), 5)
  })

  it('tells where each word is in what is heard, behind the pauses and without the silence left out', async () => {
    const words: SpokenWord[] = []
    const text = 'This is one sentence of some length.\n\nThis is another one of some length.'
    const samples = await samplesOf({ request: { text }, onWord: (word) => void words.push(word) })
    expect(words.map(({ word }) => word)).toEqual(text.split(/\s+/))
    const first = words[0]!
    expect([first.from, first.to]).toEqual([0, 8 * FRAME_SAMPLES])
    const second = words.findLast(({ word }) => word === 'This')!
    // 450 ms between paragraphs.
    expect(second.from).toBe(2 * 36 * FRAME_SAMPLES + 0.45 * SAMPLE_RATE)
    expect(samples[second.from + 5]).toBeCloseTo(sampleAt(LEAD_FRAMES * FRAME_SAMPLES + 5), 5)
    expect(words.at(-1)!.to).toBe(samples.length)
  })

  it('has no words planned that nobody asked for', async () => {
    const runner = new AnalyticRunner()
    await samplesOf({ runner })
    expect(runner.tasks('plan').every((task) => task.timestamps === undefined)).toBe(true)
  })

  it('gives the same samples live and as a batch with several windows in flight that finish in any order', async () => {
    const runner = new AnalyticRunner()
    let turn = 0
    // Every second task answers only after those behind it had a chance to.
    runner.before = async () => {
      for (let i = turn++ % 2; i > 0; i--) await settled()
    }
    const batch = await samplesOf({ request: { text: LONG, pace: 'batch' }, runner, windowsInFlightMax: 3 })
    expect(runner.inFlightMax).toBeGreaterThan(2)
    expect(batch).toEqual(await samplesOf({ request: { text: LONG } }))
  })

  it('renders the first words before it knows how the sentence goes on, and the same samples as if it had known', async () => {
    const runner = new AnalyticRunner()
    await samplesOf({ runner })
    const order = runner.ran.map(({ task }) => (task.kind === 'plan' ? task.part : task.kind))
    expect(order.slice(0, 5)).toEqual(['opening', 'window', 'window', 'window', 'rest'])
    const [first] = runner.tasks('window')
    expect(first!.features.frames).toBeLessThan(OPENING_FRAMES)
  })

  it('asks for the statistics of the length that was planned, as urgently as for the plan', async () => {
    const runner = new AnalyticRunner()
    const style = styleOf()
    await samplesOf({ runner, style })
    expect(style.asked).toEqual([{ styleClass: 1, deadline: runner.ran[0]!.dueAt }])
  })

  it('begins with a shorter window than it goes on with', async () => {
    const runner = new AnalyticRunner()
    await samplesOf({ request: { text: LONG }, runner })
    const sizes = runner.tasks('window').map((task) => task.frames)
    expect(sizes[0]).toBeLessThan(Math.max(...sizes) / 2)
  })

  it('plans one segment ahead of the one it renders, not the whole text', async () => {
    const runner = new AnalyticRunner()
    const demand = new Demand(3)
    const subscription = speak({ request: { text: LONG }, runner, demand }).subscribe(() => demand.spend(1))
    for (let i = 0; i < 20; i++) await settled()
    expect(runner.tasks('plan').map(({ part }) => part)).toEqual(['opening', 'rest', 'all'])
    subscription.unsubscribe()
  })

  it('renders nothing without credit, and goes on when credit arrives', async () => {
    const runner = new AnalyticRunner()
    const demand = new Demand(0)
    let blocks = 0
    const subscription = speak({ request: { text: LONG }, runner, demand }).subscribe(() => {
      blocks += 1
      demand.spend(1)
    })
    for (let i = 0; i < 20; i++) await settled()
    expect([blocks, runner.tasks('window').length]).toEqual([0, 0])
    demand.grant(1)
    for (let i = 0; i < 20; i++) await settled()
    expect([blocks, runner.tasks('window').length]).toEqual([1, 1])
    subscription.unsubscribe()
  })

  it('runs dry when what was handed over has been heard; never before the first sound, or while nothing more is taken', async () => {
    const [runner, clock, demand] = [new AnalyticRunner(), new FakeClock(), new Demand(0)]
    clock.advance(500)
    let samples = 0
    const subscription = speak({ request: { text: LONG }, runner, clock, demand }).subscribe((block) => {
      samples += block.length
      demand.spend(1)
    })
    demand.grant(2)
    expect(runner.runsDryAt()).toBe(Number.POSITIVE_INFINITY)
    runner.before = () => (samples > 0 ? new Promise(() => {}) : undefined)
    for (let i = 0; i < 20; i++) await settled()
    expect(runner.runsDryAt()).toBeCloseTo(500 + (samples * 1_000) / SAMPLE_RATE)
    runner.before = () => {}
    subscription.unsubscribe()

    const idle = new Demand(1)
    const waiting = speak({ request: { text: LONG }, runner, clock, demand: idle }).subscribe(() => idle.spend(1))
    for (let i = 0; i < 20; i++) await settled()
    expect([idle.credits, runner.runsDryAt()]).toEqual([0, Number.POSITIVE_INFINITY])
    waiting.unsubscribe()
  })

  it('hands nothing over before there is enough to begin with, and then all that is made', async () => {
    const [runner, openings] = [new AnalyticRunner(), new ScriptedOpenings()]
    openings.headStartMs = 450
    const blocks: number[] = []
    const madeBefore: number[] = []
    const subscription = speak({ request: { text: LONG }, runner, openings }).subscribe((block) => {
      madeBefore.push(runner.tasks('window').length)
      blocks.push(block.length)
    })
    for (let i = 0; i < 20; i++) await settled()
    const [first, second] = runner.tasks('window').map(({ frames }) => (frames * 1_000 * FRAME_SAMPLES) / SAMPLE_RATE)
    expect(first).toBeLessThan(450)
    expect(first! + second!).toBeGreaterThan(450)
    expect(madeBefore.slice(0, 3)).toEqual([2, 2, 3])
    subscription.unsubscribe()
    const whole = await samplesOf({ request: { text: LONG } })
    expect(await samplesOf({ request: { text: LONG }, openings })).toEqual(whole)
  })

  it('waits for no more than there is', async () => {
    const openings = new ScriptedOpenings()
    openings.headStartMs = 1_000_000
    // Of the last sentence nothing is spoken.
    for (const text of ['Hello there.', SENTENCE, `${SENTENCE}\n\n!!! ... ???`, `Hello there. ${SENTENCE}\n\n...`]) {
      expect(await samplesOf({ request: { text }, openings })).toEqual(await samplesOf({ request: { text } }))
    }
    expect(openings.streams).toBe(0)
  })

  it('makes the first sound after whoever would run dry before it is due', async () => {
    const [runner, clock] = [new AnalyticRunner(), new FakeClock()]
    clock.advance(500)
    await samplesOf({ runner, clock })
    const [plan, first, second] = runner.ran.map(({ dueAt }) => dueAt)
    expect([plan, first]).toEqual([900, 900])
    // The clock stands still: it is heard before it is due.
    expect(second).toBe(500 + (runner.tasks('window')[0]!.frames * FRAME_SAMPLES * 1_000) / SAMPLE_RATE)
  })

  it('goes on with what comes next when a listener has run dry', async () => {
    const [runner, openings, clock] = [new AnalyticRunner(), new ScriptedOpenings(), new FakeClock()]
    let samples = 0
    let late = 0
    runner.before = (task) => {
      if (task.kind !== 'window' || samples === 0 || late !== 0) return
      late = clock.monotonic() + (samples * 1_000) / SAMPLE_RATE + 700
      clock.advance(late)
    }
    const subscription = speak({ request: { text: LONG }, runner, openings, clock }).subscribe((block) => {
      const isLate = late > 0 && runner.tasks('window').length === 2
      samples += block.length
      if (!isLate) return
      const dryAt = late + (block.length * 1_000) / SAMPLE_RATE
      expect(openings.runsDryAt()).toBeCloseTo(dryAt)
      late = Number.NaN
    })
    expect(openings.runsDryAt()).toBeUndefined()
    for (let i = 0; i < 20; i++) await settled()
    expect(late).toBeNaN()
    subscription.unsubscribe()
  })

  it('starts nothing more once nobody listens', async () => {
    const runner = new AnalyticRunner()
    const subscription = speak({ request: { text: LONG }, runner }).subscribe(() => subscription.unsubscribe())
    for (let i = 0; i < 50 && !subscription.closed; i++) await settled()
    const ran = runner.ran.length
    for (let i = 0; i < 50; i++) await settled()
    expect(runner.ran).toHaveLength(ran)
    expect(runner.ran.every(({ order }) => order.signal?.aborted)).toBe(true)
    expect(runner.listeners).toBe(0)
  })

  it('gives live tasks deadlines that grow with what will have been heard, and batch tasks none', async () => {
    const live = new AnalyticRunner()
    await samplesOf({ request: { text: LONG }, runner: live })
    const [, ...deadlines] = live.ran.filter(({ task }) => task.kind === 'window').map(({ order }) => order.deadline)
    expect(deadlines).toEqual([...deadlines].sort((a, b) => a - b))
    const heardMs = (live.tasks('window')[1]!.frames * FRAME_SAMPLES * 1_000) / SAMPLE_RATE
    expect(deadlines[1]! - deadlines[0]!).toBeCloseTo(heardMs, 0)

    const batch = new AnalyticRunner()
    await samplesOf({ request: { pace: 'batch' }, runner: batch })
    expect(new Set(batch.ran.map(({ order }) => order.deadline))).toEqual(new Set([Number.POSITIVE_INFINITY]))
  })

  it('is exactly as long as the duration asked for, in one segment or many, short or stretched', async () => {
    for (const [text, seconds] of [
      [SENTENCE, 0.5],
      [SENTENCE, 7.35],
      [LONG, 30],
      [LONG, 12.34],
    ] as const) {
      const samples = await samplesOf({ request: { text, durationSeconds: seconds, pace: 'batch' } })
      expect(samples).toHaveLength(Math.ceil(seconds * 40) * FRAME_SAMPLES)
    }
  })

  it('passes the speed to the plan and shortens the pauses with it', async () => {
    const runner = new AnalyticRunner()
    const pauses: number[] = []
    await speak({ request: { text: `${SENTENCE} ${SENTENCE}`, speed: 0.5 }, runner }).forEach((block) => {
      if (block.every((sample) => sample === 0)) pauses.push(block.length)
    })
    expect(new Set(runner.tasks('plan').map((task) => task.speed))).toEqual(new Set([0.5]))
    const [atHalfSpeed = 0] = pauses
    pauses.length = 0
    await speak({ request: { text: `${SENTENCE} ${SENTENCE}` } }).forEach((block) => {
      if (block.every((sample) => sample === 0)) pauses.push(block.length)
    })
    expect(atHalfSpeed).toBe(2 * pauses[0]!)
  })

  it('splits what the model calls too long and loses none of it', async () => {
    const runner = new AnalyticRunner()
    // Dense text: the model's limit is counted in phonemes, which the chunker can't see.
    runner.before = (task) => {
      if (task.kind === 'plan' && task.text.length > 60) Object.assign(task, { text: 'x'.repeat(401) })
    }
    const samples = await samplesOf({ runner })
    expect(runner.tasks('plan').length).toBeGreaterThan(1)
    const spoken = runner.tasks('plan').filter((task) => task.text.length <= 60)
    expect(spoken.map((task) => task.text).join(' ')).toBe(SENTENCE)
    expect(samples.length).toBeGreaterThan(0)
  })

  it('makes nothing of a text without anything to say', async () => {
    expect(await samplesOf({ request: { text: '!!! ... ???' } })).toEqual([])
    expect(await samplesOf({ request: { text: '!!! ... ???', durationSeconds: 2, pace: 'batch' } })).toEqual([])
  })

  it('fails once, with the cause, when a task fails', async () => {
    const runner = new AnalyticRunner()
    runner.before = (task) => {
      if (task.kind === 'window' && runner.tasks('window').length === 2) throw new Error('out of memory')
    }
    const failure = await samplesOf({ runner }).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(SynthesisFailed)
    expect(failure).toHaveProperty('cause.message', 'out of memory')
    expect(runner.listeners).toBe(0)
  })
})
