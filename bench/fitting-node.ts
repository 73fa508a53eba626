import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Observable } from 'rxjs'
import { modelFolders } from '../src/cli/serve.ts'
import { loadConfig } from '../src/config.ts'
import { BatchingDetector } from '../src/inference/batching-detector.ts'
import { CostModel } from '../src/inference/cost-model.ts'
import { DetectionPool } from '../src/inference/detection-pool.ts'
import { EnrolledVoices } from '../src/inference/enrolled-voices.ts'
import { KokoroEngine } from '../src/inference/kokoro-engine.ts'
import { KokoroVoiceFitter } from '../src/inference/kokoro-voice-fitter.ts'
import { Openings } from '../src/inference/openings.ts'
import { PresetVoices } from '../src/inference/preset-voices.ts'
import { Scheduler } from '../src/inference/scheduler.ts'
import { VoiceStyles } from '../src/inference/voice-styles.ts'
import { workerFile } from '../src/inference/worker-file.ts'
import { PiscinaWorkerPool } from '../src/inference/worker-pool.ts'
import { Synthesizer } from '../src/pipelines/synthesize.ts'
import { systemClock } from '../src/runtime/clock.ts'
import type { Demand } from '../src/runtime/demand.ts'
import { silentLog } from '../src/runtime/log.ts'
import { systemRandom } from '../src/runtime/random.ts'
import type { PcmFrame } from '../src/speech/synthesis.ts'
import type { VoiceFeatures } from '../src/speech/voice-fitting.ts'
import { PRESET_VOICES, presetVoices } from '../src/speech/voices.ts'

/** What of a node fits voices and speaks with them, without its doors, and measures of each voice only what it needs. */
export interface FittingNode {
  readonly pool: PiscinaWorkerPool
  /** Learns a voice from a clip, mono at 16 kHz. Resolves with the id of its sketch, and what resolves with the id of the voice. */
  enroll(clip: Float32Array): Promise<{ readonly sketch: string; readonly refine: () => Promise<string> }>
  speak(text: string, language: string, voiceId: string, demand: Demand): Observable<PcmFrame>
  stop(): Promise<void>
}

export async function startFittingNode(): Promise<FittingNode> {
  const config = loadConfig()
  const models = await modelFolders(config)
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-fitting-'))
  const pool = new PiscinaWorkerPool(workerFile('inference'), config.workers, {
    kokoroDir: models.kokoroInstalled,
    encoderDir: models.encoderInstalled,
  })
  const costs = new CostModel()
  const scheduler = new Scheduler(pool, costs, systemClock)
  const detection = new DetectionPool(workerFile('detection'), { sileroModel: models.sileroModel })
  const detector = new BatchingDetector(detection)
  const features = new Map<string, VoiceFeatures>()
  const presets = new PresetVoices(models.kokoroVoices, models.kokoroConditioning)
  const enrolled = new EnrolledVoices({ load: async (voiceId) => features.get(voiceId) }, folder, 'bench')
  const styles = {
    presets: new VoiceStyles(presets, scheduler, silentLog, systemRandom, PRESET_VOICES.length, false),
    enrolled: new VoiceStyles(enrolled, scheduler, silentLog, systemRandom, PRESET_VOICES.length, false),
  }
  const voices = {
    find: (id: string) => {
      const preset = presetVoices.find(id)
      if (preset || !features.has(id)) return preset
      return { ...PRESET_VOICES[0]!, id, model: null, accountId: 'acc_bench', language: 'en', british: false }
    },
  }
  const openings = new Openings(costs, pool.workers, systemClock)
  const engine = new KokoroEngine(scheduler, openings, voices, styles, systemClock, pool.workers)
  const synthesizer = new Synthesizer(engine)
  const fitter = new KokoroVoiceFitter(scheduler, detector, presets)
  const keep = async (sound: VoiceFeatures) => {
    const voiceId = `voice_${features.size}`
    features.set(voiceId, sound)
    await mkdir(join(folder, voiceId))
    return voiceId
  }
  return {
    pool,
    async enroll(clip) {
      const { signal } = new AbortController()
      const { sketch, refine } = await fitter.fit(clip, { signal })
      return { sketch: await keep(sketch), refine: async () => keep(await refine(signal)) }
    },
    speak(text, language, voiceId, demand) {
      const request = { id: 'bench', text, language, voiceId, speed: 1, durationSeconds: null, postprocess: true }
      return synthesizer.synthesize({ ...request, pace: 'batch' }, demand)
    },
    async stop() {
      await scheduler.idle()
      await pool.close()
      await detector.close()
      await detection.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
