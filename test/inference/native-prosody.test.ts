import { lastValueFrom } from 'rxjs'
import { describe, expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import { KokoroEngine } from '../../src/inference/kokoro-engine.ts'
import { Openings } from '../../src/inference/openings.ts'
import { type VoiceSource, VoiceStyles } from '../../src/inference/voice-styles.ts'
import { Demand } from '../../src/runtime/demand.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { STYLE_CLASSES, STYLE_WIDTH, TIMBRE_WIDTH } from '../../src/speech/style-classes.ts'
import { PRESET_VOICES, presetVoices } from '../../src/speech/voices.ts'
import { FakeClock } from '../fake-clock.ts'
import { AnalyticRunner } from './analytic-runner.ts'

const ENROLLED = 'voice_mine'
const ENROLLED_MARK = 100

/** Every number of a preset's style is its place in the list, every one of the enrolled voice's `ENROLLED_MARK`. */
const rowsOf = (mark: number) => new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH).fill(mark)
const markOf = (model: string) => PRESET_VOICES.findIndex((voice) => voice.model === model)

function source(read: VoiceSource['read']): VoiceSource {
  return { read, conditioningPath: () => '/nowhere/at-all', makeRoom: () => Promise.reject(new Error('nowhere')) }
}

/** The style that a text is planned with: what it has of timbre and prosody, in which every number is the same, and its pitch. */
async function voicing(voiceId: string, language: string, text: string) {
  const clock = new FakeClock()
  const runner = new AnalyticRunner()
  const styles = (read: VoiceSource['read']) =>
    new VoiceStyles(source(read), runner, silentLog, systemRandom, PRESET_VOICES.length, false)
  const presets = styles(async (name) => ({ rows: rowsOf(markOf(name)), hertz: PRESET_VOICES[markOf(name)]!.hertz }))
  const enrolled = styles(async () => ({ rows: rowsOf(ENROLLED_MARK), hertz: 110, pitch: 1.1 }))
  const voices = {
    find: (id: string) =>
      id === ENROLLED
        ? { ...presetVoices.find('preset_ff_siwis')!, id, model: null, language: 'fr', accountId: 'acc_1' }
        : presetVoices.find(id),
  }
  const openings = new Openings(new CostModel(), 2, clock)
  const engine = new KokoroEngine(runner, openings, voices, { presets, enrolled }, clock, 2)
  const request = {
    id: 'request_1',
    voiceId,
    language,
    text,
    speed: 1,
    durationSeconds: null,
    postprocess: true,
    pace: 'batch',
  } as const
  await lastValueFrom(engine.render(request, Demand.unbounded()))
  const plan = runner.tasks('plan')[0]!
  const marks = STYLE_CLASSES.map((_, styleClass) => {
    const row = plan.styles.slice(styleClass * STYLE_WIDTH, (styleClass + 1) * STYLE_WIDTH)
    return [...new Set(row.subarray(0, TIMBRE_WIDTH)), ...new Set(row.subarray(TIMBRE_WIDTH))]
  })
  expect(new Set(marks.map(String)).size).toBe(1)
  return { marks: marks[0], pitch: plan.pitch, conditioned: runner.tasks('calibrate')[0]!.style }
}

describe('the prosody of a text', () => {
  it.each([
    ['preset_af_heart', 'en', 'af_heart'],
    ['preset_bf_emma', 'en', 'bf_emma'],
    ['preset_ef_dora', 'es', 'ef_dora'],
    ['preset_jf_alpha', 'ja', 'jf_alpha'],
  ])('is that of %s in its own language, %s', async (voiceId, language, model) => {
    const text = language === 'ja' ? 'こんにちは。' : 'Hola.'
    expect(await voicing(voiceId, language, text)).toMatchObject({
      marks: [markOf(model), markOf(model)],
      pitch: undefined,
    })
  })

  it.each([
    ['preset_af_heart', 'es', 'ef_dora'],
    ['preset_am_michael', 'es', 'em_alex'],
    ['preset_am_michael', 'fr', 'ff_siwis'],
    ['preset_ef_dora', 'it', 'if_sara'],
  ])('that %s was not made of, %s, is borrowed of %s', async (voiceId, language, native) => {
    const { marks, pitch, conditioned } = await voicing(voiceId, language, 'Hola.')
    const own = presetVoices.find(voiceId)!
    expect(marks).toEqual([markOf(own.model), markOf(native)])
    expect(pitch).toBeCloseTo(own.hertz / presetVoices.find(`preset_${native}`)!.hertz, 6)
    // What windows are rendered with is the timbre's.
    expect(new Set(conditioned)).toEqual(new Set([markOf(own.model)]))
  })

  it('goes by the language that is detected', async () => {
    const text = 'Los vecinos plantaron un árbol grande delante de la escuela.'
    expect((await voicing('preset_af_heart', 'auto', text)).marks).toEqual([markOf('af_heart'), markOf('ef_dora')])
  })

  it('is English in an enrolled voice, whatever the person spoke, and borrowed in all else', async () => {
    expect(await voicing(ENROLLED, 'en', 'Hello.')).toMatchObject({
      marks: [ENROLLED_MARK, ENROLLED_MARK],
      pitch: 1.1,
    })
    const french = await voicing(ENROLLED, 'fr', 'Bonjour.')
    expect(french.marks).toEqual([ENROLLED_MARK, markOf('ff_siwis')])
    expect(french.pitch).toBeCloseTo(110 / presetVoices.find('preset_ff_siwis')!.hertz, 6)
  })

  it.each([
    ['no voice was made of', 'preset_af_heart', 'de'],
    ['every voice speaks well', 'preset_jf_alpha', 'en'],
  ])('stays the own one in a language that %s', async (_, voiceId, language) => {
    const own = markOf(presetVoices.find(voiceId)!.model)
    expect((await voicing(voiceId, language, 'Hello.')).marks).toEqual([own, own])
  })
})
