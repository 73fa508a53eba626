import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DecoderBusy } from '../../src/audio/decoding.ts'
import { VoiceLearner } from '../../src/pipelines/voice-learner.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Spool, SpoolFull } from '../../src/runtime/spool.ts'
import { UnfitReference } from '../../src/speech/voice-fitting.ts'
import { ScriptedFitter, scriptedState } from '../scripted-fitter.ts'
import { ScriptedDecoder } from '../scripted-listening.ts'

const never = new AbortController().signal

async function workplace(bytesMax = 1e9) {
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-learner-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const spool = await Spool.open(join(folder, 'spool'), bytesMax, systemRandom)
  const [decoder, fitter] = [new ScriptedDecoder(), new ScriptedFitter()]
  const learner = new VoiceLearner({ decoder, spool, fitter })
  return {
    decoder,
    fitter,
    async learn(script: string, signal = never) {
      await writeFile(join(folder, 'upload'), script)
      return learner.learn(join(folder, 'upload'), { signal })
    },
    async expectNothingLeft() {
      expect([spool.usedBytes, await readdir(join(folder, 'spool'))]).toEqual([0, []])
    },
  }
}

describe('learning a voice', () => {
  it('gives the fitter the recording at its own rate, and hands on the features', async () => {
    const { learn, fitter, expectNothingLeft } = await workplace()
    const [fitting, again] = [await learn('2 -1 1.5'), await learn('2 -1 1.5')]
    expect(fitter.heard).toEqual([4.5, 4.5])
    expect([scriptedState(fitting.sketch), again.sketch]).toEqual(['sketch', fitting.sketch])
    await expectNothingLeft()
    const refined = await fitting.refine(never)
    expect([scriptedState(refined), await again.refine(never)]).toEqual(['refined', refined])
  })

  it('listens to the first minute of a long recording', async () => {
    const { learn, fitter } = await workplace()
    await learn('90')
    expect(fitter.heard).toEqual([60])
  })

  it.each([
    ['of no known format', 'unsupported', 'audio_format', /container/],
    ['that is broken', 'undecodable', 'decodable', /damaged/],
    ['under a second', '0.99', 'min_duration', /at least 1 second/],
    ['without a sample', '0', 'min_duration', /at least 1 second/],
    ['that is silent', '-5', 'not_silent', /silent/],
  ])('refuses a recording %s', async (_, script, rule, message) => {
    const { learn, fitter, expectNothingLeft } = await workplace()
    const refusal = learn(script)
    await expect(refusal).rejects.toBeInstanceOf(UnfitReference)
    await expect(refusal).rejects.toMatchObject({ rule, message: expect.stringMatching(message) })
    expect(fitter.heard).toEqual([])
    await expectNothingLeft()
  })

  it('takes exactly a second', async () => {
    const { learn, fitter } = await workplace()
    await learn('1')
    expect(fitter.heard).toEqual([1])
  })

  it('says what the fitter finds wrong with a recording', async () => {
    const { learn, fitter } = await workplace()
    fitter.failure = new UnfitReference('not_clipped', 'must not be clipped')
    await expect(learn('2')).rejects.toBe(fitter.failure)
  })

  it('finds no room in a full spool, and none where too many files wait', async () => {
    await expect((await workplace(1_000_000)).learn('2')).rejects.toThrow(SpoolFull)
    const { learn, decoder, expectNothingLeft } = await workplace()
    decoder.failure = new DecoderBusy('too many files wait')
    await expect(learn('2')).rejects.toThrow(DecoderBusy)
    await expectNothingLeft()
  })

  it.each(['decoded', 'fitted'])('stops while it is %s for somebody who has left', async (stage) => {
    const { learn, decoder, fitter, expectNothingLeft } = await workplace()
    const leaving = new AbortController()
    const gate = Promise.resolve().then(() => leaving.abort(new Error('left')))
    if (stage === 'decoded') decoder.gate = gate
    else fitter.gate = gate
    await expect(learn('2', leaving.signal)).rejects.toThrow('left')
    await expectNothingLeft()
  })

  it('takes no more of an engine than may be kept', async () => {
    const { learn, fitter } = await workplace()
    const [small, large] = [new Uint8Array(64 * 1024), new Uint8Array(64 * 1024 + 1)]
    fitter.fit = async () => ({ sketch: large, refine: async () => small })
    await expect(learn('2')).rejects.toThrow(/features/)
    fitter.fit = async () => ({ sketch: small, refine: async () => large })
    const { refine } = await learn('2')
    await expect(refine(never)).rejects.toThrow(/features/)
  })
})
