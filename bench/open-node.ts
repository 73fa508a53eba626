import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { AudioFiles } from '../src/api/audio-files.ts'
import * as edgeErrors from '../src/api/edge-errors.ts'
import { renderError } from '../src/api/errors.ts'
import { routes } from '../src/api/routes.ts'
import { VoiceFiles } from '../src/api/voice-files.ts'
import { modelFolders } from '../src/cli/serve.ts'
import { loadConfig } from '../src/config.ts'
import { createHttpServer } from '../src/http/app.ts'
import { CapacityAdmission } from '../src/inference/admission.ts'
import { CodecPool } from '../src/inference/codec-pool.ts'
import { CostModel } from '../src/inference/cost-model.ts'
import { EncoderPool } from '../src/inference/encoder-pool.ts'
import { KokoroEngine } from '../src/inference/kokoro-engine.ts'
import { Openings } from '../src/inference/openings.ts'
import { PresetVoices } from '../src/inference/preset-voices.ts'
import { Scheduler } from '../src/inference/scheduler.ts'
import { VoiceStyles } from '../src/inference/voice-styles.ts'
import { warmUp } from '../src/inference/warm-up.ts'
import { workerFile } from '../src/inference/worker-file.ts'
import { PiscinaWorkerPool } from '../src/inference/worker-pool.ts'
import { LmdbLedger } from '../src/ledger/lmdb-ledger.ts'
import { SPOOL_BYTES_MAX } from '../src/limits.ts'
import { FileEncoder } from '../src/pipelines/encode-file.ts'
import { Synthesizer } from '../src/pipelines/synthesize.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { systemDisk } from '../src/runtime/disk.ts'
import { NodeLifecycle } from '../src/runtime/lifecycle.ts'
import { silentLog } from '../src/runtime/log.ts'
import { Metrics } from '../src/runtime/metrics.ts'
import { systemRandom } from '../src/runtime/random.ts'
import { Spool } from '../src/runtime/spool.ts'
import type { Admission } from '../src/speech/admission.ts'
import { STYLE_CLASSES } from '../src/speech/style-classes.ts'
import { DEFAULT_VOICE_ID, PRESET_VOICES, presetVoices } from '../src/speech/voices.ts'
import { SpeechClient } from './speech-client.ts'
import { ReorderingRunner } from './task-orders.ts'
import { WatchedPool } from './watched-pool.ts'

/** A node in this process: real network, ledger, scheduler and models, whose tasks can be watched and put in another order. */
export interface OpenNode {
  readonly client: SpeechClient
  readonly pool: WatchedPool
  readonly runner: ReorderingRunner
  readonly costs: CostModel
  stop(): Promise<void>
}

/** Takes whoever comes. */
const NO_ADMISSION: Admission = { admit: () => ({ status: 'admitted', release: () => {} }) }

/** `admits`: everybody, or as many as the node that is sold. */
export async function startOpenNode(admits: 'everybody' | 'capacity' = 'everybody'): Promise<OpenNode> {
  const config = loadConfig()
  const models = await modelFolders(config)
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-node-'))
  const [clock, random, log, lifecycle] = [systemClock, systemRandom, silentLog, new NodeLifecycle()]
  const ledger = LmdbLedger.open(folder, clock, random)
  const inference = new PiscinaWorkerPool(workerFile('inference'), config.workers, {
    kokoroDir: models.kokoroInstalled,
    encoderDir: models.encoderInstalled,
  })
  const pool = new WatchedPool(inference)
  const codecs = new CodecPool(workerFile('codec'))
  const encoders = new EncoderPool(workerFile('encoder'))
  const costs = new CostModel()
  const scheduler = new Scheduler(pool, costs, clock)
  const presets = new PresetVoices(models.kokoroVoices, models.kokoroConditioning)
  const styles = new VoiceStyles(presets, scheduler, log, random, PRESET_VOICES.length)
  const runner = new ReorderingRunner(scheduler)
  const openings = new Openings(costs, config.workers, clock)
  const engine = new KokoroEngine(runner, openings, presetVoices, { presets: styles }, clock, config.workers)
  const spool = await Spool.open(join(folder, 'spool'), SPOOL_BYTES_MAX, random)
  const metrics = new Metrics()
  const services = {
    clock,
    random,
    log,
    ledger,
    voices: presetVoices,
    synthesizer: new Synthesizer(engine),
    admission: admits === 'everybody' ? NO_ADMISSION : new CapacityAdmission(costs, config.workers, openings),
    encoder: new FileEncoder(codecs, encoders),
    audioFiles: await AudioFiles.open(join(folder, 'audio'), await ledger.secret('audio-urls'), clock, random),
    transcriber: undefined,
    liveTranscriber: undefined,
    voiceFiles: await VoiceFiles.open(join(folder, 'voices'), systemDisk),
    voiceLearner: undefined,
    lifecycle,
    publicUrl: undefined,
    publicWsUrl: undefined,
    openAi: undefined,
    observer: metrics.service,
    exposition: metrics,
  }
  const { requests, sockets } = routes(services)
  const http = createHttpServer({
    routes: requests,
    sockets,
    clock,
    random,
    log,
    renderError: (error, exchange) => renderError(error, exchange, log),
    errors: edgeErrors,
    spool,
  })
  const { port } = await http.listen('127.0.0.1', 0)
  const style = await styles.load(presetVoices.find(DEFAULT_VOICE_ID)!.model)
  await Promise.all(STYLE_CLASSES.map((_, styleClass) => style.conditioning(styleClass, clock.monotonic())))
  await warmUp(pool, costs, clock, style)
  const first = await ledger.bootstrap(DEFAULT_VOICE_ID)
  if (first === undefined) throw new Error('The bench needs an empty folder')
  await ledger.setAccount(first.account.id, { ttsQuota: null })
  lifecycle.warm()

  return {
    client: new SpeechClient(`http://127.0.0.1:${port}`, first.voice.plaintext),
    pool,
    runner,
    costs,
    async stop() {
      lifecycle.stop()
      http.close()
      await scheduler.idle()
      await inference.close()
      await codecs.close()
      await encoders.close()
      await ledger.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
