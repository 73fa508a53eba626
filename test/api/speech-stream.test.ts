import { describe, expect, it } from 'vitest'
import { streamSpeech } from '../../src/api/speech-stream.ts'
import type { Demand } from '../../src/runtime/demand.ts'
import type { SynthesisRequest } from '../../src/speech/synthesis.ts'
import { ScriptedSynthesizer } from './scripted-synthesizer.ts'

const REQUEST: SynthesisRequest = {
  id: 'request_1',
  text: 'Hello',
  language: 'auto',
  voiceId: 'preset_ada',
  speed: 1,
  durationSeconds: null,
  postprocess: true,
  pace: 'live',
}

/** A stream into an outlet that the test fills and drains. */
function begin(script: ScriptedSynthesizer['script'], deliver: (sequence: number) => void = () => {}) {
  const synthesizer = new ScriptedSynthesizer()
  synthesizer.script = script
  let demand: Demand | undefined
  const spied = {
    sampleRate: synthesizer.sampleRate,
    canSpeak: () => synthesizer.canSpeak(),
    synthesize: (request: SynthesisRequest, given: Demand) => {
      demand = given
      return synthesizer.synthesize(request, given)
    },
  }
  const stop = new AbortController()
  const drains: (() => void)[] = []
  const outlet = { bufferedBytes: 0, frameBytes: 10_000, onDrain: (callback: () => void) => void drains.push(callback) }
  const end = streamSpeech({ synthesizer: spied }, REQUEST, outlet, stop.signal, ({ sequence }) => deliver(sequence))
  const drain = () => drains.forEach((callback) => void callback())
  return { synthesizer, stop, end, drain, credits: () => demand?.credits }
}

describe('a stream', () => {
  it('asks on as long as its reader keeps up', async () => {
    const { synthesizer, end } = begin({ pace: 'by_hand', frames: 100 })
    while (synthesizer.step());
    expect(await end).toEqual({ status: 'completed', chunks: 100, durationMs: 20_000 })
  })

  it('grants nothing once it has ended, however often its outlet drains', async () => {
    const { synthesizer, stop, end, drain, credits } = begin({ pace: 'by_hand' })
    synthesizer.step()
    stop.abort()
    const before = credits()
    drain()
    expect([credits(), (await end).status]).toEqual([before, 'stopped'])
  })

  it('that can’t deliver fails, and the engine stops', async () => {
    const fault = new Error('dropped')
    const { synthesizer, end } = begin({ frames: 5 }, (sequence) => {
      if (sequence === 2) throw fault
    })
    expect(await end).toEqual({ status: 'failed', error: fault, chunks: 1, durationMs: 200 })
    expect(synthesizer.running).toBe(0)
  })

  it('whose engine throws instead of failing fails all the same', async () => {
    const fault = new Error('no such voice')
    const synthesizer = new ScriptedSynthesizer()
    const broken = {
      sampleRate: 24_000,
      canSpeak: () => synthesizer.canSpeak(),
      synthesize: () => {
        throw fault
      },
    }
    const outlet = { bufferedBytes: 0, frameBytes: 10_000, onDrain() {} }
    const { signal } = new AbortController()
    const end = await streamSpeech({ synthesizer: broken }, REQUEST, outlet, signal, () => {})
    expect(end).toEqual({ status: 'failed', error: fault, chunks: 0, durationMs: 0 })
  })
})
