import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { Graph } from '../models/onnx/graph.ts'
import { detectorGraph } from '../models/silero/detector-graph.ts'
import { DETECTION_WINDOW_SAMPLES } from '../src/speech/detection.ts'
import {
  DETECTION_CONTEXT_SAMPLES,
  DETECTION_STATE_WIDTH,
  type DetectAnswer,
  type DetectTask,
} from '../src/speech/detection-protocol.ts'
import { openSession, type Session, tensor } from './session.ts'

const INPUT_SAMPLES = DETECTION_CONTEXT_SAMPLES + DETECTION_WINDOW_SAMPLES

/** Silero VAD on one thread: how likely each window of 32 ms holds speech. */
export class SileroEngine {
  readonly #session: Session

  private constructor(session: Session) {
    this.#session = session
  }

  /** `model`: the graph as it is published, for 16 kHz. It is small, and its weights are put into a faster one at each start. */
  static async load(model: string): Promise<SileroEngine> {
    const published = Graph.parse(await readFile(model))
    return new SileroEngine(await openSession(detectorGraph(published).serialize()))
  }

  /**
   * Looks at as many windows at once as all streams have, then at what those have that go on longer, and so on: a window among many
   * others, of its own stream or of other ones, costs a fraction of one alone.
   */
  async detect({ streams }: DetectTask): Promise<DetectAnswer> {
    const runs = streams.map(({ samples, state }) => {
      const windows = (samples.length - DETECTION_CONTEXT_SAMPLES) / DETECTION_WINDOW_SAMPLES
      assert.ok(Number.isInteger(windows) && windows >= 0, 'audio of other than whole windows')
      return { samples, state: state.slice(), probabilities: new Float32Array(windows) }
    })
    const lengths = new Set(runs.map(({ probabilities }) => probabilities.length))
    let from = 0
    for (const to of [...lengths].toSorted((a, b) => a - b)) {
      if (to > from)
        await this.#look(
          runs.filter(({ probabilities }) => probabilities.length >= to),
          from,
          to,
        )
      from = to
    }
    return { streams: runs.map(({ probabilities, state }) => ({ probabilities, state })) }
  }

  async close(): Promise<void> {
    await this.#session.release()
  }

  /** Windows [from, to) of every run. */
  async #look(runs: readonly StreamRun[], from: number, to: number): Promise<void> {
    const [count, windows] = [runs.length, to - from]
    const samples = new Float32Array(windows * count * INPUT_SAMPLES)
    const state = new Float32Array(2 * count * DETECTION_STATE_WIDTH)
    for (const [index, run] of runs.entries()) {
      for (let window = 0; window < windows; window++) {
        const start = (from + window) * DETECTION_WINDOW_SAMPLES
        samples.set(run.samples.subarray(start, start + INPUT_SAMPLES), (window * count + index) * INPUT_SAMPLES)
      }
      for (const half of [0, 1]) state.set(halfOf(run.state, half), (half * count + index) * DETECTION_STATE_WIDTH)
    }
    const { speech, next } = await this.#session.run({
      samples: tensor('float32', samples, [windows, count, INPUT_SAMPLES]),
      state: tensor('float32', state, [2, count, DETECTION_STATE_WIDTH]),
    })
    assert.ok(speech?.data instanceof Float32Array && next?.data instanceof Float32Array)
    for (const [index, run] of runs.entries()) {
      for (let window = 0; window < windows; window++) {
        run.probabilities[from + window] = speech.data[window * count + index] ?? 0
      }
      for (const half of [0, 1]) {
        const start = (half * count + index) * DETECTION_STATE_WIDTH
        halfOf(run.state, half).set(next.data.subarray(start, start + DETECTION_STATE_WIDTH))
      }
    }
  }
}

interface StreamRun {
  readonly samples: Float32Array
  readonly state: Float32Array
  readonly probabilities: Float32Array
}

/** The model has two states a stream, and wants the first of all streams before the second. */
function halfOf(state: Float32Array, half: number): Float32Array {
  return state.subarray(half * DETECTION_STATE_WIDTH, (half + 1) * DETECTION_STATE_WIDTH)
}
