import assert from 'node:assert/strict'
import { DETECTION_WINDOW_SAMPLES } from '../src/speech/detection.ts'
import {
  DETECTION_CONTEXT_SAMPLES,
  DETECTION_STATE_WIDTH,
  type DetectAnswer,
  type DetectTask,
} from '../src/speech/detection-protocol.ts'
import { openSession, type Session, tensor } from './session.ts'

const INPUT_SAMPLES = DETECTION_CONTEXT_SAMPLES + DETECTION_WINDOW_SAMPLES
const SAMPLE_RATE = tensor('int64', BigInt64Array.of(16_000n), [])

/** Silero VAD on one thread: how likely each window of 32 ms holds speech. */
export class SileroEngine {
  readonly #session: Session

  private constructor(session: Session) {
    this.#session = session
  }

  /** `model`: the graph as it is published, for 16 kHz. */
  static async load(model: string): Promise<SileroEngine> {
    return new SileroEngine(await openSession(model))
  }

  /**
   * Looks at the first window of every stream at once, then at the second of those that have one, and so on: a window among sixty
   * others costs a third of one alone.
   */
  async detect({ streams }: DetectTask): Promise<DetectAnswer> {
    const runs = streams.map(({ samples, state }) => {
      const windows = (samples.length - DETECTION_CONTEXT_SAMPLES) / DETECTION_WINDOW_SAMPLES
      assert.ok(Number.isInteger(windows) && windows >= 0, 'audio of other than whole windows')
      return { samples, state: state.slice(), probabilities: new Float32Array(windows) }
    })
    // Those that go on longest come first, so that whoever is left is always at the front.
    const order = runs.toSorted((a, b) => b.probabilities.length - a.probabilities.length)
    for (let window = 0; window < (order[0]?.probabilities.length ?? 0); window++) {
      await this.#look(
        order.filter(({ probabilities }) => probabilities.length > window),
        window,
      )
    }
    return { streams: runs.map(({ probabilities, state }) => ({ probabilities, state })) }
  }

  async close(): Promise<void> {
    await this.#session.release()
  }

  async #look(runs: readonly StreamRun[], window: number): Promise<void> {
    const count = runs.length
    const input = new Float32Array(count * INPUT_SAMPLES)
    const state = new Float32Array(2 * count * DETECTION_STATE_WIDTH)
    for (const [index, run] of runs.entries()) {
      const from = window * DETECTION_WINDOW_SAMPLES
      input.set(run.samples.subarray(from, from + INPUT_SAMPLES), index * INPUT_SAMPLES)
      for (const half of [0, 1]) state.set(halfOf(run.state, half), (half * count + index) * DETECTION_STATE_WIDTH)
    }
    const { output, stateN } = await this.#session.run({
      input: tensor('float32', input, [count, INPUT_SAMPLES]),
      state: tensor('float32', state, [2, count, DETECTION_STATE_WIDTH]),
      sr: SAMPLE_RATE,
    })
    assert.ok(output?.data instanceof Float32Array && stateN?.data instanceof Float32Array)
    for (const [index, run] of runs.entries()) {
      run.probabilities[window] = output.data[index] ?? 0
      for (const half of [0, 1]) {
        const from = (half * count + index) * DETECTION_STATE_WIDTH
        halfOf(run.state, half).set(stateN.data.subarray(from, from + DETECTION_STATE_WIDTH))
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
