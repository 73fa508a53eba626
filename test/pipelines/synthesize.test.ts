import { from, Observable } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { Synthesizer } from '../../src/pipelines/synthesize.ts'
import { Demand } from '../../src/runtime/demand.ts'
import type { PcmFrame, SpeechEngine, SpokenWord, SynthesisRequest } from '../../src/speech/synthesis.ts'

const RATE = 24_000
const FRAME = RATE / 5

const REQUEST: SynthesisRequest = {
  id: 'req_test',
  text: 'Hello there.',
  language: 'en',
  voiceId: 'preset_af_heart',
  speed: 1,
  durationSeconds: null,
  postprocess: false,
  pace: 'live',
}

function engineOf(blocks: readonly Float32Array[]): SpeechEngine {
  return { sampleRate: RATE, canSpeak: () => ({ status: 'spoken' }), render: () => from(blocks) }
}

async function framesOf(engine: SpeechEngine, request: Partial<SynthesisRequest>, demand = Demand.unbounded()) {
  const frames: PcmFrame[] = []
  await new Synthesizer(engine).synthesize({ ...REQUEST, ...request }, demand).forEach((frame) => {
    frames.push(frame)
  })
  return frames
}

const tone = (samples: number) => new Float32Array(samples).fill(0.5)
const lengthOf = (frames: readonly PcmFrame[]) => frames.reduce((total, frame) => total + frame.samples.length, 0)

describe('Synthesizer', () => {
  it('numbers frames of 200 ms from 1 without a gap; only the last is shorter', async () => {
    const frames = await framesOf(engineOf([tone(FRAME + 100), tone(FRAME)]), {})
    expect(frames.map((frame) => [frame.sequence, frame.samples.length])).toEqual([
      [1, FRAME],
      [2, FRAME],
      [3, 100],
    ])
  })

  it('keeps nothing back of the first seconds but slivers', async () => {
    const [sliver, half] = [FRAME / 10, FRAME / 2]
    const lengths = async (blocks: readonly number[]) =>
      (await framesOf(engineOf(blocks.map(tone)), {})).map(({ samples }) => samples.length)
    expect(await lengths([FRAME + half, FRAME + half, FRAME])).toEqual([FRAME, half, FRAME, half, FRAME])
    expect(await lengths([FRAME + sliver, FRAME])).toEqual([FRAME, FRAME, sliver])
    expect(await lengths([15 * FRAME, half, FRAME])).toEqual([...Array(16).fill(FRAME), half])
  })

  it('takes one credit a frame', async () => {
    const demand = new Demand(10)
    await framesOf(engineOf([tone(3 * FRAME)]), {}, demand)
    expect(demand.credits).toBe(7)
  })

  it('trims silence at the edges and pads 0.1 s when asked to, and leaves all as it is otherwise', async () => {
    const blocks = [new Float32Array(9_000), tone(FRAME), new Float32Array(7_000)]
    expect(lengthOf(await framesOf(engineOf(blocks), { postprocess: true }))).toBe(FRAME + 2 * 2_400)
    expect(lengthOf(await framesOf(engineOf(blocks), { postprocess: false }))).toBe(FRAME + 16_000)
  })

  it('is exact to the sample when a duration is asked for, whether the engine made more or less', async () => {
    for (const made of [12_000, 90_000]) {
      const frames = await framesOf(engineOf([tone(made)]), { durationSeconds: 1.23456 })
      expect(lengthOf(frames)).toBe(Math.round(1.23456 * RATE))
    }
  })

  it('moves the words with the sound that they are in, and none over an edge', async () => {
    const word = { word: 'Hello', from: 9_000, to: 9_000 + FRAME }
    const blocks = [new Float32Array(9_000), tone(FRAME), new Float32Array(7_000)]
    const engine: SpeechEngine = {
      ...engineOf([]),
      render: (_request, _demand, onWord) => {
        onWord?.(word)
        onWord?.({ word: 'there.', from: 9_000 + FRAME, to: 99_000 })
        return from(blocks)
      },
    }
    const wordsOf = async (request: Partial<SynthesisRequest>) => {
      const words: SpokenWord[] = []
      const listen = (spoken: SpokenWord) => void words.push(spoken)
      await new Synthesizer(engine).synthesize({ ...REQUEST, ...request }, Demand.unbounded(), listen).forEach(() => {})
      return words.map(({ from, to }) => [from, to])
    }
    expect(await wordsOf({ postprocess: true })).toEqual([
      [2_400, 2_400 + FRAME],
      [2_400 + FRAME, FRAME + 4_800],
    ])
    expect(await wordsOf({ postprocess: false })).toEqual([
      [9_000, 9_000 + FRAME],
      [9_000 + FRAME, FRAME + 16_000],
    ])
    expect(await wordsOf({ durationSeconds: 0.4 })).toEqual([
      [9_000, 9_600],
      [9_600, 9_600],
    ])
  })

  it('makes one frame of silence of what has no sound, so that a stream is never without audio', async () => {
    const frames = await framesOf(engineOf([]), { postprocess: true })
    expect(frames.map((frame) => frame.samples.every((sample) => sample === 0))).toEqual([true])
    expect(lengthOf(frames)).toBe(2 * 2_400)
  })

  it('passes on errors and the end of interest to the engine', async () => {
    let left = false
    const engine: SpeechEngine = {
      ...engineOf([]),
      render: () =>
        new Observable((output) => {
          output.next(tone(10 * FRAME))
          return () => {
            left = true
          }
        }),
    }
    new Synthesizer(engine).synthesize(REQUEST, Demand.unbounded()).subscribe().unsubscribe()
    expect(left).toBe(true)

    const failing: SpeechEngine = {
      ...engineOf([]),
      render: () => new Observable((output) => output.error(new Error('broken'))),
    }
    await expect(framesOf(failing, {})).rejects.toThrow('broken')
  })
})
