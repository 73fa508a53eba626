import { expect, it } from 'vitest'
import { KokoroEngine } from '../../src/inference/kokoro-engine.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { CALIBRATION_UTTERANCES } from '../../src/speech/task-protocol.ts'
import { DEFAULT_VOICE_ID, presetVoices } from '../../src/speech/voices.ts'
import { waitFor } from '../wait-for.ts'
import { AnalyticRunner, styleOf } from './analytic-runner.ts'

it('a new voice is prepared after everything that somebody waits for', async () => {
  const runner = new AnalyticRunner()
  const source = {
    read: async () => styleOf(),
    conditioningPath: () => 'nowhere',
    makeRoom: () => Promise.reject(new Error('there is no place to keep it')),
  }
  const presets = new VoiceStyles(source, runner, silentLog, systemRandom, 1, false)
  const openings = { enter: () => () => {}, headStartMs: 0 }
  const engine = new KokoroEngine(runner, openings, presetVoices, { presets }, systemClock, 1)
  engine.prepare(DEFAULT_VOICE_ID)
  await waitFor(() => runner.ran.length > 0, 'a measurement')
  const ahead = { deadline: Number.POSITIVE_INFINITY, isAhead: true }
  expect(runner.ran.map(({ order }) => order)).toEqual(Array.from({ length: CALIBRATION_UTTERANCES }, () => ahead))
})
