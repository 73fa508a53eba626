import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { VoiceFiles } from '../../src/api/voice-files.ts'
import { VoiceRefiner } from '../../src/api/voice-refiner.ts'
import { systemDisk } from '../../src/runtime/disk.ts'
import { scriptedState } from '../scripted-fitter.ts'
import { waitFor } from '../wait-for.ts'
import { OWN_VOICE, TestNode } from './test-node.ts'
import { enrollmentForm, recording } from './voice-form.ts'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(async () => {
  await node.refiner.stop()
  const enrolled = node.ledger.voicesOf(node.accountId).map(({ id }) => id)
  expect((await readdir(node.voiceFolder)).sort()).toEqual([OWN_VOICE, ...enrolled].sort())
  await node.stop()
})

/** Until it is called, nothing is refined. */
function hold(): () => void {
  let release = () => {}
  node.fitter.refining = new Promise((resolve) => {
    release = resolve
  })
  return release
}

async function enroll(script = '3'): Promise<string> {
  const form = enrollmentForm({ file: recording(script) })
  const { exchange, handled } = await node.upload('/api/v1/voices', form, { key: node.adminKey })
  await handled
  return exchange.response?.json.data.voice_id
}

async function remove(voiceId: string): Promise<number> {
  return (await node.call('DELETE', `/api/v1/voices/${voiceId}`, '', { key: node.adminKey })).status
}

const stateOf = async (voiceId: string) =>
  scriptedState((await node.services.voiceFiles.load(voiceId)) ?? new Uint8Array())
const featuresOf = (voiceId: string) => readFile(join(node.voiceFolder, voiceId, 'features'))
const refined = () => waitFor(() => node.refiner.count === 0, 'all voices to be refined')
const messages = () => node.logLines.map((line) => (line as { message: string }).message)

/** What the next process does about voices that this one has not refined. */
async function restart(learner = node.services.voiceLearner!) {
  await node.refiner.stop()
  const voiceFiles = await VoiceFiles.open(node.voiceFolder, systemDisk, scriptedState)
  const isVoice = (id: string) => node.ledger.voice(id) !== undefined
  await voiceFiles.sweep((id) => id === OWN_VOICE || isVoice(id))
  const onRefined = (id: string) => node.changed.push(id)
  const refiner = new VoiceRefiner({ learner, voiceFiles, isVoice, onRefined, log: node.services.log })
  await refiner.resume()
  return refiner
}

describe('a voice that was enrolled', () => {
  it('is a sketch when it is answered, and changes once behind that', async () => {
    const release = hold()
    const voiceId = await enroll()
    expect([await stateOf(voiceId), node.refiner.count, node.changed]).toEqual(['sketch', 1, []])
    release()
    await refined()
    expect([await stateOf(voiceId), node.changed]).toEqual(['refined', [voiceId]])
    expect((await readdir(join(node.voiceFolder, voiceId))).sort()).toEqual(['features', 'reference'])
    expect(node.logLines).toContainEqual({ voiceId, message: 'voice refined' })
    expect([node.fitter.heard.length, node.fitter.refined]).toEqual([1, 1])
  })

  it('speaks as a sketch', async () => {
    const release = hold()
    const voice_id = await enroll()
    const spoken = await node.post('/api/v1/tts/bytes', { text: 'Hello', voice_id }, { key: node.adminKey })
    expect([spoken.status, await stateOf(voice_id)]).toEqual([200, 'sketch'])
    release()
  })

  it('loses with its sketch what was measured of it', async () => {
    const release = hold()
    const voiceId = await enroll()
    const folder = join(node.voiceFolder, voiceId)
    await systemDisk.write(join(folder, 'conditioning-v1-7.f32'), new Uint8Array(4))
    release()
    await refined()
    expect((await readdir(folder)).sort()).toEqual(['features', 'reference'])
  })

  it('is known by its recording while it is refined, and is not refined twice', async () => {
    const release = hold()
    const voiceId = await enroll()
    expect([await enroll(), node.refiner.count]).toEqual([voiceId, 1])
    release()
    await refined()
    expect([await enroll(), node.refiner.count, node.fitter.refined]).toEqual([voiceId, 0, 1])
  })

  it('waits until those before it are refined', async () => {
    const release = hold()
    const voices = [await enroll('2'), await enroll('3'), await enroll('4')]
    expect([node.refiner.count, node.fitter.refined]).toEqual([3, 1])
    release()
    await refined()
    expect(node.changed).toEqual(voices)
  })

  it('stays a sketch where refining fails, with a warning, and others go on', async () => {
    const release = hold()
    node.fitter.flaw = new Error('tensor 7')
    const broken = await enroll('2')
    node.fitter.flaw = undefined
    const sound = await enroll('3')
    release()
    await refined()
    expect([await stateOf(broken), await stateOf(sound), node.changed]).toEqual(['sketch', 'refined', [sound]])
    expect(node.logLines).toContainEqual(expect.objectContaining({ voiceId: broken, reason: 'tensor 7' }))
  })

  it('is deleted while it is refined, and nothing stays', async () => {
    hold()
    const voiceId = await enroll()
    expect([await remove(voiceId), node.refiner.count, node.changed]).toEqual([200, 0, []])
    expect(messages()).not.toContain('a voice could not be refined')
  })

  it('is deleted while it waits, and is never begun', async () => {
    const release = hold()
    const [first, second] = [await enroll('2'), await enroll('3')]
    expect([await remove(second), node.refiner.count]).toEqual([200, 1])
    release()
    await refined()
    expect([node.changed, node.fitter.refined]).toEqual([[first], 1])
  })

  it('that somebody deletes before it is queued changes nothing', async () => {
    const voiceId = await enroll()
    await refined()
    await remove(voiceId)
    node.refiner.add(voiceId, { sketch: new Uint8Array(), refine: async () => new Uint8Array() })
    await refined()
    expect(node.changed).toEqual([voiceId])
  })
})

describe('the next start', () => {
  it('refines what the last process has not, from the recording, to what it would have been', async () => {
    const usual = await enroll()
    await refined()
    const expected = await featuresOf(usual)
    await remove(usual)

    hold()
    const voiceId = await enroll()
    await node.refiner.stop()
    expect([await stateOf(voiceId), node.refiner.count]).toEqual(['sketch', 0])
    node.fitter.refining = Promise.resolve()
    const next = await restart()
    await waitFor(() => next.count === 0, 'the next process')
    expect(Buffer.compare(await featuresOf(voiceId), expected)).toBe(0)
    expect(node.changed).toEqual([usual, voiceId])
  })

  it('refines again what failed in the last', async () => {
    node.fitter.flaw = new Error('tensor 7')
    const voiceId = await enroll()
    await refined()
    node.fitter.flaw = undefined
    const next = await restart()
    await waitFor(() => next.count === 0, 'the next process')
    expect([await stateOf(voiceId), node.changed]).toEqual(['refined', [voiceId]])
  })

  it('fits anew a voice whose features can’t be read', async () => {
    const voiceId = await enroll()
    await refined()
    const before = await featuresOf(voiceId)
    await systemDisk.remove(join(node.voiceFolder, voiceId, 'features'))
    expect(await stateOf(voiceId)).toBe('lost')
    const next = await restart()
    await waitFor(() => next.count === 0, 'the next process')
    expect(Buffer.compare(await featuresOf(voiceId), before)).toBe(0)
  })

  it('leaves alone what is refined', async () => {
    await enroll()
    await refined()
    expect([(await restart()).count, node.fitter.refined]).toEqual([0, 1])
  })
})

describe('a stop', () => {
  it('waits for no refinement, and begins none', async () => {
    hold()
    const [first, second] = [await enroll('2'), await enroll('3')]
    await node.refiner.stop()
    node.refiner.add(second)
    expect([node.refiner.count, node.fitter.refined]).toEqual([0, 1])
    expect([await stateOf(first), await stateOf(second), node.changed]).toEqual(['sketch', 'sketch', []])
    expect(messages()).not.toContain('a voice could not be refined')
  })
})
