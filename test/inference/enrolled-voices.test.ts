import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { EQUALISER_TAPS } from '../../src/audio/equaliser.ts'
import { EnrolledVoices } from '../../src/inference/enrolled-voices.ts'
import { encodeVoiceSound } from '../../src/inference/voice-sound.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import { type VoiceFeatures, VoiceFeaturesLost } from '../../src/speech/voice-fitting.ts'
import { waitFor } from '../wait-for.ts'
import { AnalyticRunner } from './analytic-runner.ts'

const sound = {
  pitch: 1.25,
  hertz: 187.5,
  rows: Float32Array.from({ length: STYLE_CLASSES.length * STYLE_WIDTH }, (_, at) => Math.floor(at / STYLE_WIDTH)),
  equaliser: new Float32Array(EQUALISER_TAPS),
  isSketch: false,
}

let folder: string
let runner: AnalyticRunner
let asked: string[]
const features = new Map<string, VoiceFeatures>()

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'syrinx-enrolled-'))
  runner = new AnalyticRunner()
  asked = []
  features.clear()
  for (const name of ['voice_a', 'voice_b', 'voice_c']) {
    features.set(name, encodeVoiceSound(sound))
    mkdirSync(join(folder, name))
  }
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function styles(graphs = 'v1'): VoiceStyles {
  const load = async (voiceId: string) => {
    asked.push(voiceId)
    return features.get(voiceId)
  }
  return new VoiceStyles(new EnrolledVoices({ load }, folder, graphs), runner, silentLog, systemRandom, 2)
}

const stored = (name: string) => (existsSync(join(folder, name)) ? readdirSync(join(folder, name)) : [])
/** Resolves when every class is stored under this many versions of the graphs, and nothing is being written. */
const allStored = (name: string, versions = 1) =>
  waitFor(
    () => stored(name).filter((file) => file.endsWith('.f32')).length === versions * STYLE_CLASSES.length,
    'all classes',
  )

describe('an enrolled voice', () => {
  it('sounds as it was fitted, and is measured with its pitch', async () => {
    const voice = await styles().load('voice_a')
    expect(voice).toMatchObject(sound)
    await voice.conditioning(2, 0)
    expect(runner.tasks('calibrate')[0]).toMatchObject({ pitch: 1.25, style: sound.rows.slice(0, STYLE_WIDTH).fill(2) })
    await allStored('voice_a')
  })

  it('has what was measured in its own folder, for its owner alone, and finds it there at the next start', async () => {
    await (await styles().load('voice_a')).conditioning(2, 0)
    await allStored('voice_a')
    const [file] = stored('voice_a')
    expect(file).toMatch(/^conditioning-v1-\d+\.f32$/)
    expect(statSync(join(folder, 'voice_a', file!)).mode & 0o777).toBe(0o600)
    runner.ran.length = 0
    await (await styles().load('voice_a')).conditioning(2, 0)
    expect(runner.ran).toEqual([])
  })

  it('is measured anew for other graphs', async () => {
    await (await styles().load('voice_a')).conditioning(2, 0)
    await allStored('voice_a')
    runner.ran.length = 0
    const other = await styles('v2').load('voice_a')
    await other.conditioning(2, 0)
    expect(runner.ran).not.toEqual([])
    await allStored('voice_a', 2)
  })

  it('that was deleted meanwhile gets no folder again', async () => {
    const voice = await styles().load('voice_a')
    rmSync(join(folder, 'voice_a'), { recursive: true })
    for (const styleClass of STYLE_CLASSES.keys()) await voice.conditioning(styleClass, 0)
    expect(stored('voice_a')).toEqual([])
    expect(existsSync(join(folder, 'voice_a'))).toBe(false)
  })

  it('whose features are lost or damaged is refused, every time', async () => {
    const all = styles()
    await expect(all.load('voice_x')).rejects.toBeInstanceOf(VoiceFeaturesLost)
    features.set('voice_a', Uint8Array.of(1, 2, 3))
    await expect(all.load('voice_a')).rejects.toBeInstanceOf(VoiceFeaturesLost)
    await expect(all.load('voice_a')).rejects.toBeInstanceOf(VoiceFeaturesLost)
  })

  it('that is a sketch is measured for what it speaks, and nothing of it is kept', async () => {
    features.set('voice_a', encodeVoiceSound({ ...sound, isSketch: true }))
    const voice = await styles().load('voice_a')
    await Promise.all([voice.conditioning(2, 0), voice.conditioning(2, 0)])
    // Turns in which other classes would be begun, and files written.
    await styles().load('voice_b')
    const rows = runner.tasks('calibrate').map(({ style }) => style[0])
    expect([new Set(rows), stored('voice_a')]).toEqual([new Set([2]), []])
    await (await styles().load('voice_a')).conditioning(2, 0)
    expect(runner.tasks('calibrate')).toHaveLength(2 * rows.length)
  })

  it('sounds otherwise to whoever comes after a change, and as before to whoever speaks with it', async () => {
    features.set('voice_a', encodeVoiceSound({ ...sound, isSketch: true }))
    const all = styles()
    const before = await all.load('voice_a')
    features.set('voice_a', encodeVoiceSound({ ...sound, pitch: 1.5 }))
    expect(await all.load('voice_a')).toBe(before)
    all.forget('voice_a')
    const after = await all.load('voice_a')
    expect([before.pitch, after.pitch]).toEqual([1.25, 1.5])
    await after.conditioning(2, 0)
    expect(runner.tasks('calibrate').at(0)?.pitch).toBe(1.5)
    await allStored('voice_a')
    runner.ran.length = 0
    await before.conditioning(3, 0)
    expect(runner.tasks('calibrate').map(({ pitch }) => pitch)).toEqual([1.25, 1.25])
  })

  it('is read again where its features change while they are read', async () => {
    const all = styles()
    const reading = all.load('voice_a')
    features.set('voice_a', encodeVoiceSound({ ...sound, pitch: 1.5 }))
    all.forget('voice_a')
    await reading
    expect(await all.load('voice_a')).toMatchObject({ pitch: 1.5 })
  })

  it('that could not be read before a change is not forgotten after it', async () => {
    const all = styles()
    features.set('voice_a', Uint8Array.of(1))
    const reading = all.load('voice_a')
    all.forget('voice_a')
    features.set('voice_a', encodeVoiceSound(sound))
    const again = all.load('voice_a')
    await expect(reading).rejects.toBeInstanceOf(VoiceFeaturesLost)
    expect(await all.load('voice_a')).toBe(await again)
  })

  it('is forgotten when others were spoken with since, and no sooner', async () => {
    const all = styles()
    for (const name of ['voice_a', 'voice_b', 'voice_a', 'voice_c', 'voice_a', 'voice_b']) await all.load(name)
    expect(asked).toEqual(['voice_a', 'voice_b', 'voice_c', 'voice_b'])
  })
})
