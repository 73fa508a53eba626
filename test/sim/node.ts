import { getEventListeners } from 'node:events'
import { AudioFiles } from '../../src/api/audio-files.ts'
import { renderError } from '../../src/api/errors.ts'
import { routes } from '../../src/api/routes.ts'
import { unobservedService } from '../../src/api/service-observer.ts'
import { VoiceFiles } from '../../src/api/voice-files.ts'
import { CapacityAdmission } from '../../src/inference/admission.ts'
import { CostModel } from '../../src/inference/cost-model.ts'
import { KokoroEngine } from '../../src/inference/kokoro-engine.ts'
import { PresetVoices } from '../../src/inference/preset-voices.ts'
import { ReadingRunner } from '../../src/inference/reading-runner.ts'
import { Scheduler } from '../../src/inference/scheduler.ts'
import { VoiceStyles } from '../../src/inference/voice-styles.ts'
import { warmUp, warmUpRecognition } from '../../src/inference/warm-up.ts'
import { WhisperRecognizer } from '../../src/inference/whisper-recognizer.ts'
import { LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { SPOOL_BYTES_MAX } from '../../src/limits.ts'
import { FileEncoder } from '../../src/pipelines/encode-file.ts'
import { Synthesizer } from '../../src/pipelines/synthesize.ts'
import { FileTranscriber } from '../../src/pipelines/transcribe-file.ts'
import { LiveTranscriber } from '../../src/pipelines/transcribe-live.ts'
import type { Disk } from '../../src/runtime/disk.ts'
import { NodeLifecycle } from '../../src/runtime/lifecycle.ts'
import type { Log } from '../../src/runtime/log.ts'
import { Spool } from '../../src/runtime/spool.ts'
import { PronunciationDictionary } from '../../src/speech/dictionary/pronunciation-dictionary.ts'
import { STYLE_CLASSES } from '../../src/speech/style-classes.ts'
import { DEFAULT_VOICE_ID, PRESET_VOICES, presetVoices } from '../../src/speech/voices.ts'
import { LoudnessDetector } from '../scripted-listening.ts'
import type { Chance } from './chance.ts'
import type { Connection, SocketConnection } from './connection.ts'
import type { Life } from './life.ts'
import { SimulatedDecoder } from './recordings.ts'
import type { LedgerDisk } from './simulated-lmdb.ts'
import { WatchedRunner } from './watched-runner.ts'
import { type Machine, SimulatedPool } from './workers.ts'

export const DATA = '/data'
export const VOICES = '/models/voices'
const LANGUAGES = ['en']
export const CONDITIONING = '/models/conditioning'

/** Only routes that are switched off here ask for it. */
const unknownFormat = () => {
  throw new Error('nothing but MP3 and WAV is encoded here')
}
const unused = () => Promise.reject(new Error('there are no enrolled voices'))
const NO_VOICES: Disk = {
  makeFolder: async () => {},
  syncFolder: async () => {},
  list: async () => [],
  write: unused,
  copy: unused,
  rename: unused,
  read: unused,
  remove: unused,
}

export interface Surroundings {
  readonly life: Life
  readonly chance: Chance
  readonly ledgerDisk: LedgerDisk
  readonly machine: Machine
  readonly log: Log
  /** The node has composed what it runs tasks with, and none has run yet. */
  readonly watchTasks: (runner: WatchedRunner, pool: SimulatedPool) => void
}

/** Everything of the node that is above its disks, workers, network and clock: the composition of `main.ts`. */
export class SimulatedNode {
  readonly life: Life
  readonly ledger: LmdbLedger
  readonly spool: Spool
  readonly scheduler: Scheduler
  readonly runner: WatchedRunner
  readonly pool: SimulatedPool
  readonly admission: CapacityAdmission
  readonly lifecycle = new NodeLifecycle()
  readonly #routes: ReturnType<typeof routes>
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
    const presets = new VoiceStyles(new PresetVoices(VOICES, CONDITIONING), runner, log, PRESET_VOICES.length)
    const readings = { read: async (text: string) => [{ kind: 'text', text, pronunciation: 'en-us' } as const] }
    const speaker = new ReadingRunner(runner, PronunciationDictionary.parse([]), readings)
    const engine = new KokoroEngine(speaker, presetVoices, { presets }, clock, machine.workers)
    const secret = await ledger.secret('audio-urls')
    const audioFiles = await AudioFiles.open(`${DATA}/audio`, secret, clock, chance)
    const spool = await Spool.open(`${DATA}/spool`, SPOOL_BYTES_MAX, chance)
    const voiceFiles = await VoiceFiles.open(`${DATA}/voices`, NO_VOICES)
    const decoder = new SimulatedDecoder(life, chance)
    const recognizer = new WhisperRecognizer(runner, { name: 'simulated', languages: LANGUAGES })
    const listening = { decoder, detector: new LoudnessDetector(), spool }
    const admission = new CapacityAdmission(costs, machine.workers)
    const encodeMp3 = async (samples: Int16Array) => {
      await life.sleep(chance.between(1, 30))
      return new Uint8Array(samples.length / 100)
    }
    const node = new SimulatedNode({ life, ledger, spool, scheduler, runner, pool, admission, log }, (lifecycle) => ({
      clock,
      random: chance,
      log,
      ledger,
      voices: presetVoices,
      synthesizer: new Synthesizer(engine),
      admission,
      encoder: new FileEncoder({ encodeMp3, openMp3: unknownFormat }, { encode: unknownFormat }),
      audioFiles,
      transcriber: new FileTranscriber(listening, recognizer, machine.workers + 1),
      liveTranscriber: new LiveTranscriber(listening.detector, recognizer, clock),
      voiceFiles,
      // Nobody enrolls a voice here.
      voiceLearner: undefined,
      openAi: undefined,
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
    return node
  }

  private constructor(
    parts: Pick<SimulatedNode, 'life' | 'ledger' | 'spool' | 'scheduler' | 'runner' | 'pool' | 'admission'> & {
      readonly log: Log
    },
    services: (lifecycle: NodeLifecycle) => Parameters<typeof routes>[0],
  ) {
    this.life = parts.life
    this.ledger = parts.ledger
    this.spool = parts.spool
    this.scheduler = parts.scheduler
    this.runner = parts.runner
    this.pool = parts.pool
    this.admission = parts.admission
    this.#log = parts.log
    this.#routes = routes(services(this.lifecycle))
  }

  /** As the network edge hands a request to its endpoint. Never rejects. */
  async serve(connection: Connection): Promise<void> {
    const { method, path } = connection.request
    const route = this.#routes.requests.find(
      (known) => known.method === method && path.startsWith(known.path.replace(/:\w+$/, '')),
    )
    if (route === undefined) throw new Error(`no route for ${method} ${path}`)
    try {
      await route.handle(connection)
    } catch (error) {
      renderError(error, connection, this.#log)
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
      timers: this.life.timers,
      'bytes of the spool': this.spool.usedBytes,
      'waits for the end': getEventListeners(this.lifecycle.stopped, 'abort').length,
    }
  }
}
