import { basename, join } from 'node:path'
import { AudioFiles } from './api/audio-files.ts'
import * as edgeErrors from './api/edge-errors.ts'
import { renderError } from './api/errors.ts'
import { routes } from './api/routes.ts'
import { VoiceFiles } from './api/voice-files.ts'
import { VoiceRefiner } from './api/voice-refiner.ts'
import type { Config } from './config.ts'
import { createHttpServer } from './http/app.ts'
import { CapacityAdmission } from './inference/admission.ts'
import { BatchingDetector } from './inference/batching-detector.ts'
import { CodecPool } from './inference/codec-pool.ts'
import { CostModel } from './inference/cost-model.ts'
import { DecoderPool } from './inference/decoder-pool.ts'
import { DetectionPool } from './inference/detection-pool.ts'
import { EncoderPool } from './inference/encoder-pool.ts'
import { EnrolledVoices } from './inference/enrolled-voices.ts'
import { KokoroEngine } from './inference/kokoro-engine.ts'
import { KokoroVoiceFitter } from './inference/kokoro-voice-fitter.ts'
import { Openings } from './inference/openings.ts'
import { PresetVoices } from './inference/preset-voices.ts'
import { ReadingPool } from './inference/reading-pool.ts'
import { ReadingRunner } from './inference/reading-runner.ts'
import { Scheduler } from './inference/scheduler.ts'
import { stateOfFeatures } from './inference/voice-sound.ts'
import { VoiceStyles } from './inference/voice-styles.ts'
import { warmUp, warmUpRecognition } from './inference/warm-up.ts'
import { type WhisperModel, WhisperRecognizer } from './inference/whisper-recognizer.ts'
import { workerFile } from './inference/worker-file.ts'
import { PiscinaWorkerPool } from './inference/worker-pool.ts'
import type { FirstAccount } from './ledger/bootstrap.ts'
import { LmdbLedger } from './ledger/lmdb-ledger.ts'
import { SPOOL_BYTES_MAX } from './limits.ts'
import { FileEncoder } from './pipelines/encode-file.ts'
import type { RecordingParts } from './pipelines/recording.ts'
import { Synthesizer } from './pipelines/synthesize.ts'
import { FileTranscriber } from './pipelines/transcribe-file.ts'
import { LiveTranscriber } from './pipelines/transcribe-live.ts'
import { VoiceLearner } from './pipelines/voice-learner.ts'
import { loadPlayground, type PlaygroundPage } from './playground/load.ts'
import { type Clock, systemClock } from './runtime/clock.ts'
import { systemDisk } from './runtime/disk.ts'
import { NodeLifecycle } from './runtime/lifecycle.ts'
import type { Log } from './runtime/log.ts'
import { Metrics } from './runtime/metrics.ts'
import { systemRandom } from './runtime/random.ts'
import { Spool } from './runtime/spool.ts'
import { DETECTION_WINDOW_SAMPLES } from './speech/detection.ts'
import { loadDictionary } from './speech/dictionary/dictionary-folder.ts'
import { SPOKEN_LANGUAGES } from './speech/languages.ts'
import { SPEECH_MODES } from './speech/speech-modes.ts'
import { STYLE_CLASSES } from './speech/style-classes.ts'
import { allVoices } from './speech/voice-directory.ts'
import { DEFAULT_VOICE_ID, PRESET_VOICES, presetVoices } from './speech/voices.ts'

/** Expired tokens, idempotency entries and audio files are removed this often. */
const SWEEP_INTERVAL_MS = 10 * 60_000

/** Enrolled voices that are ready to speak, at most, about a megabyte each. */
const ENROLLED_STYLES_MAX = 64

/** What streams get to send their last event after the drain time. */
const FAREWELL_MS = 2_000

/** Where the installed models lie. */
export interface ModelFolders {
  /** Graphs that the installer made. */
  readonly kokoroInstalled: string
  /** `<name>.bin` a voice. */
  readonly kokoroVoices: string
  /** Conditioning of voices, one folder per version of the graphs. */
  readonly kokoroConditioning: string
  /** The graph that compares voices. */
  readonly encoderInstalled: string
  /** The graph that finds speech. */
  readonly sileroModel: string
  /** Undefined where the node only speaks. */
  readonly listening: ListeningModels | undefined
}

export interface ListeningModels {
  /** Graphs that the installer made. */
  readonly whisperInstalled: string
  readonly whisper: WhisperModel
}

export interface RunningNode {
  readonly url: string
  /** The keys of an empty data folder's first account; undefined when there was one already. */
  readonly firstAccount: FirstAccount | undefined
  /** Refuses new work, lets running streams finish within the drain time, then closes everything. */
  stop(): Promise<void>
  /** Cuts the drain time short. */
  stopNow(): void
}

/** Builds the node and starts it. The only file that knows which implementation stands behind which interface. */
export async function startNode(config: Config, models: ModelFolders, log: Log): Promise<RunningNode> {
  const clock = systemClock
  const lifecycle = new NodeLifecycle()
  const metrics = new Metrics()
  // First, because a mistake in it is the operator's to mend before anything else happens.
  const dictionary = await loadDictionary(join(config.dataDir, 'lexicon'))
  const ledger = LmdbLedger.open(config.dataDir, clock, systemRandom, metrics.ledger)
  const pool = new PiscinaWorkerPool(workerFile('inference'), config.workers, {
    kokoroDir: models.kokoroInstalled,
    encoderDir: models.encoderInstalled,
    ...(models.listening && { whisperDir: models.listening.whisperInstalled }),
  })
  const codecs = new CodecPool(workerFile('codec'))
  const encoders = new EncoderPool(workerFile('encoder'))
  const costs = new CostModel()
  const scheduler = new Scheduler(pool, costs, clock, metrics.tasks)
  const presets = new PresetVoices(models.kokoroVoices, models.kokoroConditioning)
  const styles = new VoiceStyles(presets, scheduler, log, systemRandom, PRESET_VOICES.length)
  const readings = new ReadingPool(workerFile('reading'))
  const speaker = new ReadingRunner(scheduler, dictionary, readings)
  const voices = allVoices(ledger)
  const voicesDir = join(config.dataDir, 'voices')
  const isVoice = (voiceId: string) => ledger.voice(voiceId) !== undefined
  const voiceFiles = await VoiceFiles.open(voicesDir, systemDisk, stateOfFeatures)
  await voiceFiles.sweep(isVoice)
  const enrolled = new EnrolledVoices(voiceFiles, voicesDir, basename(models.kokoroConditioning))
  const enrolledStyles = new VoiceStyles(enrolled, scheduler, log, systemRandom, ENROLLED_STYLES_MAX)
  const openings = new Openings(costs, pool.workers, clock)
  const engine = new KokoroEngine(
    speaker,
    openings,
    voices,
    { presets: styles, enrolled: enrolledStyles },
    clock,
    config.workers,
  )

  const audioFiles = await AudioFiles.open(
    join(config.dataDir, 'audio'),
    await ledger.secret('audio-urls'),
    clock,
    systemRandom,
  )
  const spool = await Spool.open(join(config.dataDir, 'spool'), SPOOL_BYTES_MAX, systemRandom)
  const decoder = new DecoderPool(workerFile('decoder'), clock)
  // A node that only speaks looks for speech when somebody enrols, and at no other time.
  const detection = new DetectionPool(
    workerFile('detection'),
    { sileroModel: models.sileroModel },
    models.listening !== undefined,
  )
  const detector = new BatchingDetector(detection)
  const listening =
    models.listening && startListening(models.listening, scheduler, { decoder, detector, spool }, pool.workers, clock)
  const fitter = new KokoroVoiceFitter(scheduler, detector, presets)
  const voiceLearner = new VoiceLearner({ decoder, spool, fitter })
  const prepareVoice = (voiceId: string) => engine.prepare(voiceId)
  const onRefined = (voiceId: string) => {
    enrolledStyles.forget(voiceId)
    prepareVoice(voiceId)
  }
  const voiceRefiner = new VoiceRefiner({ learner: voiceLearner, voiceFiles, isVoice, onRefined, log })
  const admission = new CapacityAdmission(costs, pool.workers, openings, metrics.admission)
  metrics.watch({ scheduler, costs, admission, voiceRefiner })
  const { requests, sockets } = routes({
    clock,
    random: systemRandom,
    log,
    ledger,
    voices,
    synthesizer: new Synthesizer(engine),
    admission,
    encoder: new FileEncoder(codecs, encoders),
    audioFiles,
    transcriber: listening?.transcriber,
    liveTranscriber: listening?.liveTranscriber,
    voiceFiles,
    voiceLearner,
    voiceRefiner,
    prepareVoice,
    lifecycle,
    observer: metrics.service,
    exposition: metrics,
    playground: config.playground ? await openPlayground(config, listening !== undefined) : undefined,
    publicUrl: config.publicUrl,
    publicWsUrl: config.publicWsUrl,
    openAi: config.openai ? { speechModel: config.ttsEngine } : undefined,
  })
  const http = createHttpServer({
    routes: requests,
    sockets,
    clock,
    random: systemRandom,
    log,
    renderError: (error, exchange) => renderError(error, exchange, log, metrics.service),
    errors: edgeErrors,
    observer: metrics.requests,
    spool,
  })
  // Before the models are warm: whoever watches over the node sees it live, and not ready yet.
  const { port } = await http.listen(config.host, config.port)
  const defaultStyle = await styles.load(presetVoices.find(DEFAULT_VOICE_ID)!.model)
  await Promise.all(STYLE_CLASSES.map((_, styleClass) => defaultStyle.conditioning(styleClass, clock.monotonic())))
  await warmUp(pool, costs, clock, defaultStyle)
  await listening?.warmUp()
  if (models.listening) await warmUpRecognition(pool, costs, clock, models.listening.whisper.languages.slice(0, 1))
  const { realTimeFactor } = costs
  const recognizer = models.listening?.whisper.name ?? 'off'
  log.info({ realTimeFactor, workers: pool.workers, recognizer }, 'models are warm')
  // Last, because its keys are shown once: a start that fails must not have made any.
  const firstAccount = config.bootstrap ? await ledger.bootstrap(DEFAULT_VOICE_ID) : undefined
  lifecycle.warm()
  await voiceRefiner.resume()
  const stopSweeping = repeat(clock, SWEEP_INTERVAL_MS, () => sweep(ledger, audioFiles, voiceFiles, log))

  return {
    url: `http://${config.host.includes(':') ? `[${config.host}]` : config.host}:${port}`,
    firstAccount,
    stopNow: () => lifecycle.stop(),
    async stop() {
      lifecycle.drain()
      log.info({ open: http.openCount }, 'draining')
      await voiceRefiner.stop()
      scheduler.drain()
      const drainMs = config.drainSeconds * 1_000
      // At the end of the drain time streams are told to end, and have a moment to say so before connections are cut.
      const cancelStop = clock.after(drainMs, () => lifecycle.stop())
      const cut = await http.drain(drainMs + FAREWELL_MS)
      cancelStop()
      lifecycle.stop()
      http.close()
      stopSweeping()
      await scheduler.idle()
      await detector.close()
      await detection.close()
      await decoder.close()
      await pool.close()
      await codecs.close()
      await encoders.close()
      await readings.close()
      await ledger.close()
      log.info({ cut }, 'stopped')
    },
  }
}

interface Listening {
  readonly transcriber: FileTranscriber
  readonly liveTranscriber: LiveTranscriber
  warmUp(): Promise<void>
}

/** The page at `/`, which shows what this node can do. */
function openPlayground({ publicWsUrl: wsUrl }: Config, isListening: boolean): Promise<PlaygroundPage> {
  const voices = PRESET_VOICES.map(({ id, name, language, gender }) => ({ id, name, language, gender }))
  const modes = isListening ? SPEECH_MODES.map(({ code, name }) => ({ code, name })) : []
  return loadPlayground({ voices, languages: SPOKEN_LANGUAGES, modes, wsUrl })
}

/** What only a node that listens needs, beside the inference pool. */
function startListening(
  models: ListeningModels,
  scheduler: Scheduler,
  parts: RecordingParts,
  workers: number,
  clock: Clock,
): Listening {
  const { detector } = parts
  const recognizer = new WhisperRecognizer(scheduler, models.whisper)
  return {
    transcriber: new FileTranscriber(parts, recognizer, workers + 1),
    liveTranscriber: new LiveTranscriber(detector, recognizer, clock),
    async warmUp() {
      await detector.open().push(new Float32Array(DETECTION_WINDOW_SAMPLES))
    },
  }
}

async function sweep(ledger: LmdbLedger, audioFiles: AudioFiles, voiceFiles: VoiceFiles, log: Log): Promise<void> {
  try {
    // Bounded work a call, so that requests get their turn in between.
    while ((await ledger.sweep()) > 0);
    await audioFiles.sweep(systemClock.now())
    await voiceFiles.sweep((voiceId) => ledger.voice(voiceId) !== undefined)
  } catch (error) {
    log.warn({ err: error }, 'removing what has expired failed')
  }
}

/** Calls `action` now and then again `intervalMs` after each time it has finished, until the returned function is called. */
function repeat(clock: Clock, intervalMs: number, action: () => Promise<void>): () => void {
  let cancel = () => {}
  let stopped = false
  const run = async () => {
    await action()
    if (!stopped) cancel = clock.after(intervalMs, run)
  }
  void run()
  return () => {
    stopped = true
    cancel()
  }
}
