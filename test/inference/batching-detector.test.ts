import { describe, expect, it } from 'vitest'
import { BatchingDetector } from '../../src/inference/batching-detector.ts'
import { DETECTION_WINDOW_SAMPLES } from '../../src/speech/detection.ts'
import {
  DETECTION_CONTEXT_SAMPLES,
  DETECTION_STATE_WIDTH,
  type DetectAnswer,
  type DetectTask,
} from '../../src/speech/detection-protocol.ts'
import { settled } from './scripted-pool.ts'

/**
 * A runner whose tasks finish when the test says so. Its "probability" is the window's last sample; its state counts the windows of
 * a stream.
 */
class ScriptedRunner {
  readonly tasks: DetectTask[] = []
  readonly #running: { readonly settle: (answer: DetectAnswer) => void; readonly fail: (error: unknown) => void }[] = []

  get running(): number {
    return this.#running.length
  }

  detect(task: DetectTask): Promise<DetectAnswer> {
    this.tasks.push(task)
    return new Promise((settle, fail) => this.#running.push({ settle, fail }))
  }

  async finish(): Promise<void> {
    this.#running.shift()!.settle({ streams: this.tasks.at(-1)!.streams.map(look) })
    await settled()
  }

  async fail(): Promise<void> {
    this.#running.shift()!.fail(new Error('no model'))
    await settled()
  }
}

function look({ samples, state }: DetectTask['streams'][number]) {
  const windows = (samples.length - DETECTION_CONTEXT_SAMPLES) / DETECTION_WINDOW_SAMPLES
  const probabilities = Float32Array.from({ length: windows }, (_, window) => {
    return samples[DETECTION_CONTEXT_SAMPLES + (window + 1) * DETECTION_WINDOW_SAMPLES - 1] ?? -1
  })
  return { probabilities, state: state.map((value) => value + windows) }
}

function setUp() {
  const runner = new ScriptedRunner()
  return { runner, detector: new BatchingDetector(runner) }
}

/** Samples that tell where they are. */
function ramp(from: number, count: number): Float32Array {
  return Float32Array.from({ length: count }, (_, at) => from + at)
}

describe('BatchingDetector', () => {
  it('answers with a probability for every window that is complete, and keeps the rest', async () => {
    const { runner, detector } = setUp()
    const stream = detector.open()
    const first = stream.push(ramp(0, 1_100))
    await runner.finish()
    expect([...(await first)]).toEqual([511, 1_023])
    const second = stream.push(ramp(1_100, 436))
    await runner.finish()
    expect([...(await second)]).toEqual([1_535])
  })

  it('gives the worker the context before a window, and the state of the last answer', async () => {
    const { runner, detector } = setUp()
    const stream = detector.open()
    void stream.push(ramp(0, 600))
    await runner.finish()
    void stream.push(ramp(600, 500))
    const [first, second] = runner.tasks.map(({ streams: [only] }) => only!)
    expect([...first!.samples.subarray(0, DETECTION_CONTEXT_SAMPLES)]).toEqual(Array(DETECTION_CONTEXT_SAMPLES).fill(0))
    expect([...second!.samples]).toEqual([...ramp(512 - DETECTION_CONTEXT_SAMPLES, DETECTION_CONTEXT_SAMPLES + 512)])
    expect([...second!.state]).toEqual(Array(2 * DETECTION_STATE_WIDTH).fill(1))
    await runner.finish()
  })

  it('answers at once when no window is complete', async () => {
    const { runner, detector } = setUp()
    expect(await detector.open().push(ramp(0, 511))).toHaveLength(0)
    expect(runner.tasks).toHaveLength(0)
  })

  it('gathers what streams push while the worker is busy into one task', async () => {
    const { runner, detector } = setUp()
    const pushes = Array.from({ length: 5 }, (_, index) => detector.open().push(ramp(1_000 * index, 512)))
    expect(runner.tasks.map(({ streams }) => streams.length)).toEqual([1])
    await runner.finish()
    await runner.finish()
    expect(runner.tasks.map(({ streams }) => streams.length)).toEqual([1, 4])
    expect((await Promise.all(pushes)).map(([last]) => last)).toEqual([511, 1_511, 2_511, 3_511, 4_511])
  })

  it('bounds a task: a recording is looked at second by second, with others in between', async () => {
    const { runner, detector } = setUp()
    const recording = detector.open().push(new Float32Array(100 * 512))
    const microphone = detector.open().push(ramp(0, 512))
    await runner.finish()
    await runner.finish()
    expect(await microphone).toHaveLength(1)
    await runner.finish()
    await runner.finish()
    expect(await recording).toHaveLength(100)
    const windows = runner.tasks.map(({ streams }) => streams.map(({ samples }) => Math.floor(samples.length / 512)))
    expect(windows).toEqual([[32], [1, 32], [32], [4]])
  })

  it('bounds a task: no more than 64 streams', async () => {
    const { runner, detector } = setUp()
    const pushes = Array.from({ length: 140 }, () => detector.open().push(ramp(0, 512)))
    while (runner.running > 0) await runner.finish()
    await Promise.all(pushes)
    expect(runner.tasks.map(({ streams }) => streams.length)).toEqual([1, 64, 64, 11])
  })

  it('answers the calls of a stream in order, also those that overlap and those that bring too little', async () => {
    const { runner, detector } = setUp()
    const stream = detector.open()
    const order: string[] = []
    const pushes = [
      stream.push(ramp(0, 512)).then(() => order.push('first')),
      stream.push(ramp(512, 10)).then(() => order.push('too little')),
      stream.push(ramp(522, 502)).then(([last]) => order.push(`${last}`)),
    ]
    while (runner.running > 0) await runner.finish()
    await Promise.all(pushes)
    expect(order).toEqual(['first', 'too little', '1023'])
  })

  it('does not look again at a stream whose last calls brought too little while it was looked at', async () => {
    const { runner, detector } = setUp()
    const stream = detector.open()
    const pushes = [stream.push(ramp(0, 512)), stream.push(ramp(512, 10))]
    await runner.finish()
    expect((await Promise.all(pushes)).map(({ length }) => length)).toEqual([1, 0])
    expect(runner.tasks).toHaveLength(1)
  })

  it('tells the streams of a task that it failed, and goes on with others', async () => {
    const { runner, detector } = setUp()
    const refused = expect(detector.open().push(ramp(0, 512))).rejects.toThrow('no model')
    const other = detector.open().push(ramp(0, 512))
    await runner.fail()
    await refused
    await runner.finish()
    expect(await other).toHaveLength(1)
  })

  it('closed, waits for the task that runs and refuses everything else', async () => {
    const { runner, detector } = setUp()
    const stream = detector.open()
    const running = stream.push(ramp(0, 512))
    const waiting = expect(detector.open().push(ramp(0, 512))).rejects.toThrow('closed')
    const closed = detector.close()
    await waiting
    await runner.finish()
    expect(await running).toHaveLength(1)
    await closed
    await expect(stream.push(ramp(0, 512))).rejects.toThrow('closed')
    expect(runner.tasks).toHaveLength(1)
  })
})
