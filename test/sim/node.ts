import { getEventListeners } from 'node:events'
import { AudioFiles } from '../../src/api/audio-files.ts'
import { renderError } from '../../src/api/errors.ts'
import { routes } from '../../src/api/routes.ts'
import { unobservedService } from '../../src/api/service-observer.ts'
import { VoiceFiles } from '../../src/api/voice-files.ts'
import { VoiceRefiner } from '../../src/api/voice-refiner.ts'
import { Router } from '../../src/http/router.ts'
import { CapacityAdmission } from '../../src/inference/admission.ts'
import { CostModel } from '../../src/inference/cost-model.ts'
import { EnrolledVoices } from '../../src/inference/enrolled-voices.ts'
import { KokoroEngine } from '../../src/inference/kokoro-engine.ts'
import { KokoroVoiceFitter } from '../../src/inference/kokoro-voice-fitter.ts'
import { Openings } from '../../src/inference/openings.ts'
import { PresetVoices } from '../../src/inference/preset-voices.ts'
import { ReadingRunner } from '../../src/inference/reading-runner.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { stateOfFeatures } from '../../src/inference/voice-sound.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { warmUp, warmUpRecognition } from '../../src/inference/warm-up.ts'
import { WhisperRecognizer } from '../../src/inference/whisper-recognizer.ts'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { SPOOL_BYTES_MAX } from '../../src/limits.ts'
import { FileEncoder } from '../../src/pipelines/encode-file.ts'
import { Synthesizer } from '../../src/pipelines/synthesize.ts'
import { FileTranscriber } from '../../src/pipelines/transcribe-file.ts'
import { LiveTranscriber } from '../../src/pipelines/transcribe-live.ts'
import { VoiceLearner } from '../../src/pipelines/voice-learner.ts'
import { systemDisk } from '../../src/runtime/disk.ts'
import { NodeLifecycle } from '../../src/runtime/lifecycle.ts'
import type { Log } from '../../src/runtime/log.ts'
import { Spool } from '../../src/runtime/spool.ts'
import { PronunciationDictionary } from '../../src/speech/dictionary/pronunciation-dictionary.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import { allVoices } from '../../src/speech/voice-directory.ts'
import { DEFAULT_VOICE_ID, PRESET_VOICES, presetVoices } from '../../src/speech/voices.ts'
import { LoudnessDetector } from '../scripted-listening.ts'
import type { Chance } from './chance.ts'
import type { Connection, SocketConnection } from './connection.ts'
import { SimulatedEncoders } from './encoders.ts'
import type { Life } from './life.ts'
import { SimulatedDecoder } from './recordings.ts'
import type { LedgerDisk } from './simulated-lmdb.ts'
import { WatchedRunner } from './watched-runner.ts'
import { type Machine, SimulatedPool } from './workers.ts'

export const DATA = '/data'
export const VOICES = '/models/voices'
const LANGUAGES = ['en']
export const CONDITIONING = '/models/conditioning'
export const ENROLLED = `${DATA}/voices`
const ENROLLED_STYLES_MAX = 4
/** Mixtures that are tried for a new voice. */
const TRIALS = 2

/** Of each of the model's voices, what the search for a new one mixes. */
const STYLES = Array.from({ length: PRESET_VOICES.length }, () => new Float32Array(STYLE_WIDTH))
export interface Surroundings {
  readonly life: Life
  readonly chance: Chance
  readonly ledgerDisk: LedgerDisk
  readonly machine: Machine
  readonly log: Log
  /** The node has composed what it runs tasks with, and none has run yet. */
  readonly watchTasks: (runner: WatchedRunner, pool: SimulatedPool) => void
}

type Parts = Pick<
  SimulatedNode,
  'life' | 'ledger' | 'spool' | 'scheduler' | 'runner' | 'pool' | 'admission' | 'voiceFiles' | 'voiceRefiner'
>

/** Everything of the node that is above its disks, workers, network and clock: the composition of `main.ts`. */
export class SimulatedNode {
  readonly life: Life
  readonly ledger: LmdbLedger
  readonly spool: Spool
  readonly scheduler: Scheduler
  readonly runner: WatchedRunner
  readonly pool: SimulatedPool
  readonly admission: CapacityAdmission
  readonly voiceFiles: VoiceFiles
  readonly voiceRefiner: VoiceRefiner
  readonly lifecycle = new NodeLifecycle()
  readonly #routes: ReturnType<typeof routes>
  readonly #router: Router
  readonly #log: Log

  static async start({ life, chance, ledgerDisk, machine, log, watchTasks }: Surroundings): Promise<SimulatedNode> {
    const { clock } = life
    ledgerDisk.opener = life
    const ledger = LmdbLedger.open(DATA, clock, chance)
    const pool = new SimulatedPool(machine, life, chance)
    const costs = new CostModel()
    const scheduler = new Scheduler(pool, costs, clock)
    const runner = new WatchedRunner(scheduler, clock)
    watchTasks(runner, pool)
    const presets = new VoiceStyles(new PresetVoices(VOICES, CONDITIONING), runner, log, chance, PRESET_VOICES.length)
    const isVoice = (voiceId: string) => ledger.voice(voiceId) !== undefined
    const voiceFiles = await VoiceFiles.open(ENROLLED, systemDisk, stateOfFeatures)
    await voiceFiles.sweep(isVoice)
    const enrolled = new VoiceStyles(
      new EnrolledVoices(voiceFiles, ENROLLED, 'graphs'),
      runner,
      log,
      chance,
      ENROLLED_STYLES_MAX,
    )
    const voices = allVoices(ledger)
    const readings = { read: async (text: string) => [{ kind: 'text', text, pronunciation: 'en-us' } as const] }
    const speaker = new ReadingRunner(runner, PronunciationDictionary.parse([]), readings)
    const openings = new Openings(costs, machine.workers, clock)
    const engine = new KokoroEngine(speaker, openings, voices, { presets, enrolled }, clock, machine.workers)
    const secret = await ledger.secret('audio-urls')
    const audioFiles = await AudioFiles.open(`${DATA}/audio`, secret, clock, chance)
    const spool = await Spool.open(`${DATA}/spool`, SPOOL_BYTES_MAX, chance)
    const decoder = new SimulatedDecoder(life, chance)
    const recognizer = new WhisperRecognizer(runner, { name: 'simulated', languages: LANGUAGES })
    const listening = { decoder, detector: new LoudnessDetector(), spool }
    const admission = new CapacityAdmission(costs, machine.workers, openings)
    const fitter = new KokoroVoiceFitter(runner, listening.detector, { styles: async () => STYLES }, TRIALS)
    const voiceLearner = new VoiceLearner({ decoder, spool, fitter })
    const prepareVoice = (voiceId: string) => engine.prepare(voiceId)
    const onRefined = (voiceId: string) => {
      enrolled.forget(voiceId)
      prepareVoice(voiceId)
    }
    const voiceRefiner = new VoiceRefiner({ learner: voiceLearner, voiceFiles, isVoice, onRefined, log })
    const encoders = new SimulatedEncoders(life, chance)
    const parts = { life, ledger, spool, scheduler, runner, pool, admission, voiceFiles, voiceRefiner, log }
    const node = new SimulatedNode(parts, (lifecycle) => ({
      clock,
      random: chance,
      log,
      ledger,
      voices,
      synthesizer: new Synthesizer(engine),
      admission,
      encoder: new FileEncoder(encoders, encoders),
      audioFiles,
      transcriber: new FileTranscriber(listening, recognizer, machine.workers + 1),
      liveTranscriber: new LiveTranscriber(listening.detector, recognizer, clock),
      voiceFiles,
      voiceLearner,
      voiceRefiner,
      prepareVoice,
      openAi: { speechModel: 'simulated' },
      lifecycle,
      observer: unobservedService,
      exposition: { contentType: 'text/plain', text: async () => '' },
      publicUrl: undefined,
      publicWsUrl: undefined,
    }))
    const style = await presets.load(presetVoices.find(DEFAULT_VOICE_ID)!.model)
    await Promise.all(STYLE_CLASSES.map((_, styleClass) => style.conditioning(styleClass, clock.monotonic())))
    await warmUp(pool, costs, clock, style)
    await warmUpRecognition(pool, costs, clock, LANGUAGES)
    node.lifecycle.warm()
    await voiceRefiner.resume()
    return node
  }

  private constructor(
    parts: Parts & { readonly log: Log },
    services: (lifecycle: NodeLifecycle) => Parameters<typeof routes>[0],
  ) {
    this.life = parts.life
    this.ledger = parts.ledger
    this.spool = parts.spool
    this.scheduler = parts.scheduler
    this.runner = parts.runner
    this.pool = parts.pool
    this.admission = parts.admission
    this.voiceFiles = parts.voiceFiles
    this.voiceRefiner = parts.voiceRefiner
    this.#log = parts.log
    this.#routes = routes(services(this.lifecycle))
    this.#router = new Router(this.#routes.requests)
  }

  /** As the network edge hands a request to its endpoint. Never rejects. */
  async serve(connection: Connection): Promise<void> {
    const { method, path } = connection.request
    const routing = this.#router.find(method, path.split('/'))
    if (routing.status !== 'found') throw new Error(`no route for ${method} ${path}`)
    connection.params = routing.params
    try {
      await routing.route.handle(connection)
    } catch (error) {
      renderError(error, connection, this.#log)
      connection.cut()
    }
  }

  accept(socket: SocketConnection): void {
    const route = this.#routes.sockets.find(({ path }) => path === socket.request.path)
    if (route === undefined) throw new Error(`no socket at ${socket.request.path}`)
    route.open(socket)
  }

  /** What a node without work must not hold any more, by name. */
  get held(): Readonly<Record<string, number>> {
    return {
      'live streams': this.admission.liveStreams,
      microphones: this.admission.microphones,
      // Sums of fractions: what is left of them is not work.
      'batch work': Math.round(this.admission.batchBacklogMs),
      'tasks queued': this.scheduler.queued,
      'tasks running': this.scheduler.running,
      listeners: this.runner.listeners,
      'voices to refine': this.voiceRefiner.count,
      timers: this.life.timers,
      'bytes of the spool': this.spool.usedBytes,
      'waits for the end': getEventListeners(this.lifecycle.stopped, 'abort').length,
    }
  }
}
