import { fileURLToPath } from 'node:url'
import { lastValueFrom, toArray } from 'rxjs'
import { afterAll, describe, expect, it } from 'vitest'
import { modelFolders } from '../../src/cli/serve.ts'
import { loadConfig } from '../../src/config.ts'
import { CostModel } from '../../src/inference/cost-model.ts'
import { KokoroEngine } from '../../src/inference/kokoro-engine.ts'
import { Openings } from '../../src/inference/openings.ts'
import { PresetVoices } from '../../src/inference/preset-voices.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { PiscinaWorkerPool } from '../../src/inference/worker-pool.ts'
import { Synthesizer } from '../../src/pipelines/synthesize.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { Demand } from '../../src/runtime/demand.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { Metrics } from '../../src/runtime/metrics.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { DEFAULT_VOICE_ID, presetVoices } from '../../src/speech/voices.ts'

const WORKERS = 2
const TEXT = 'The first sentence is said by one worker. The second one, if that worker dies, has to be said by another.'

const models = await modelFolders(loadConfig())
/** Windows until a worker dies, shared with all workers. */
const fuse = new Int32Array(new SharedArrayBuffer(4))
const pool = new PiscinaWorkerPool(fileURLToPath(new URL('mortal-worker.mjs', import.meta.url)), WORKERS, {
  kokoroDir: models.kokoroInstalled,
  fuse: fuse.buffer,
})
const metrics = new Metrics()
const costs = new CostModel()
const scheduler = new Scheduler(pool, costs, systemClock, metrics.tasks)
const voices = new PresetVoices(models.kokoroVoices, models.kokoroConditioning)
// What the voice needs and no more: nothing is left to be measured when a stream has ended.
const presets = new VoiceStyles(voices, scheduler, silentLog, systemRandom, 1, false)
const openings = new Openings(costs, WORKERS, systemClock)
const engine = new KokoroEngine(scheduler, openings, presetVoices, { presets }, systemClock, WORKERS)
const synthesizer = new Synthesizer(engine)

// The last dead worker's successor still loads its models then: ending it in native code would end this process.
afterAll(() => pool.close())

/** Frames of the text, while a worker dies in window `deathAt` of it; 0: none does. */
async function speak(deathAt: number) {
  Atomics.store(fuse, 0, deathAt)
  const request = {
    ...{ id: 'a', text: TEXT, language: 'en', voiceId: DEFAULT_VOICE_ID, speed: 1 },
    ...{ durationSeconds: null, postprocess: true, pace: 'live' as const },
  }
  const frames = await lastValueFrom(synthesizer.synthesize(request, Demand.unbounded()).pipe(toArray()))
  return {
    sequences: frames.map(({ sequence }) => sequence),
    sound: Buffer.concat(frames.map(({ samples }) => new Uint8Array(samples.buffer))),
  }
}

const lost = async () => Number(/^syrinx_workers_lost_total (\d+)$/m.exec(await metrics.text())?.[1] ?? 0)

describe('a worker that dies in the middle of a stream', () => {
  it('costs its listener not a sample, whichever window it was, and is replaced', async () => {
    const unharmed = await speak(0)
    expect(unharmed.sequences.length).toBeGreaterThan(20)
    for (const [deaths, window] of [1, 5].entries()) {
      const harmed = await speak(window)
      expect(harmed.sound.equals(unharmed.sound)).toBe(true)
      expect(harmed.sequences).toEqual(unharmed.sequences)
      expect(await lost()).toBe(deaths + 1)
    }
    expect(scheduler.running + scheduler.queued).toBe(0)
  })
})
