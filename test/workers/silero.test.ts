import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DETECTION_WINDOW_SAMPLES } from '../../src/speech/detection.ts'
import { DETECTION_CONTEXT_SAMPLES, DETECTION_STATE_WIDTH } from '../../src/speech/detection-protocol.ts'
import { SileroEngine } from '../../workers/silero.ts'
import { noise } from '../models/onnx/run-graph.ts'
import { clip, seconds } from './clips.ts'
import { SILERO_MODEL } from './packs.ts'

let engine: SileroEngine
beforeAll(async () => {
  engine = await SileroEngine.load(SILERO_MODEL)
})
afterAll(() => engine.close())

/** A stream from its start: silence for context, then whole windows. */
function stream(samples: Float32Array) {
  const windows = Math.floor(samples.length / DETECTION_WINDOW_SAMPLES)
  const padded = new Float32Array(DETECTION_CONTEXT_SAMPLES + windows * DETECTION_WINDOW_SAMPLES)
  padded.set(samples.subarray(0, windows * DETECTION_WINDOW_SAMPLES), DETECTION_CONTEXT_SAMPLES)
  return { samples: padded, state: new Float32Array(2 * DETECTION_STATE_WIDTH) }
}

const share = (probabilities: Float32Array) =>
  probabilities.filter((value) => value > 0.5).length / probabilities.length

describe('Silero', () => {
  const speech = clip('ljspeech/LJ001-0004.wav')

  it('finds speech where somebody speaks, and none in silence and noise', async () => {
    const { streams } = await engine.detect({
      streams: [speech, seconds(3), noise(48_000).map((value) => value / 20)].map(stream),
    })
    const [spoken, silent, noisy] = streams.map(({ probabilities }) => probabilities)
    expect(share(spoken!)).toBeGreaterThan(0.8)
    expect(share(silent!)).toBe(0)
    expect(share(noisy!)).toBe(0)
  })

  it('hears a stream alike, alone or among others that are longer and shorter', async () => {
    const alone = await engine.detect({ streams: [stream(speech)] })
    const among = await engine.detect({
      streams: [stream(noise(2_000)), stream(speech), stream(seconds(8)), stream(noise(512))],
    })
    expect(among.streams.map(({ probabilities }) => probabilities.length)).toEqual([3, 160, 250, 1])
    const [expected] = alone.streams
    for (const [at, value] of among.streams[1]!.probabilities.entries()) {
      expect(value).toBeCloseTo(expected!.probabilities[at]!, 4)
    }
  })

  it('goes on from the state and the context that are given back to it', async () => {
    const whole = stream(speech)
    const expected = (await engine.detect({ streams: [whole] })).streams[0]!.probabilities
    const cut = 40 * DETECTION_WINDOW_SAMPLES
    const first = await engine.detect({
      streams: [{ ...whole, samples: whole.samples.subarray(0, DETECTION_CONTEXT_SAMPLES + cut) }],
    })
    const { state } = first.streams[0]!
    const second = await engine.detect({ streams: [{ samples: whole.samples.subarray(cut), state }] })
    expect([...first.streams[0]!.probabilities, ...second.streams[0]!.probabilities]).toEqual([...expected])
  })

  it('refuses audio that is cut in the middle of a window', async () => {
    const odd = { samples: new Float32Array(100), state: new Float32Array(2 * DETECTION_STATE_WIDTH) }
    await expect(engine.detect({ streams: [odd] })).rejects.toThrow('other than whole windows')
  })
})
