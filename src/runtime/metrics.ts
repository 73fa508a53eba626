import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

/** From the best that a warm model does to what nobody waits for. */
const FIRST_AUDIO_SECONDS = [0.05, 0.1, 0.15, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30, 60]
/** Zero where the words were there before the end of speech was. */
const FINAL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.3, 0.5, 0.75, 1, 2, 5, 10, 30]
const TASK_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 15]
/** At most as long as the task that runs; nothing where all of them waited. */
const CANCEL_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.4, 0.8, 1.5, 3, 6, 15]
const LATE_SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2, 5]
/** A flush takes a tenth of a millisecond on a good disk, and ten on a poor one. */
const COMMIT_SECONDS = [0.000_1, 0.000_25, 0.000_5, 0.001, 0.002_5, 0.005, 0.01, 0.025, 0.05, 0.1, 0.5, 1]

/** What is read only when somebody asks. */
export interface NodeState {
  readonly scheduler: { readonly queued: number; readonly running: number }
  readonly costs: { readonly realTimeFactor: number }
  readonly admission: {
    readonly liveStreams: number
    readonly liveRoom: number
    readonly microphoneRoom: number
    readonly batchBacklogMs: number
  }
  readonly voiceRefiner: { readonly count: number }
}

/**
 * The figures of one node, for Prometheus. Each part of the node is handed the observer that is for it. Labels hold only
 * values of short fixed lists (ways, kinds, codes, patterns of routes), so that the number of series is bounded; never a
 * key, an id or a text. Times come in milliseconds, as everywhere, and go out in seconds.
 */
export class Metrics {
  readonly #registry = new Registry()

  constructor() {
    collectDefaultMetrics({ register: this.#registry })
    this.#readings('stream_buffered_bytes', 'Bytes that wait for slow readers', () => {
      let bytes = 0
      for (const read of this.#outlets) bytes += read()
      return bytes
    })
  }

  readonly #firstAudio = this.#histogram(
    'first_audio_seconds',
    'From a request, or the start message of a socket, to its first audio, or to the whole file where it goes out in one piece',
    ['way'],
    FIRST_AUDIO_SECONDS,
  )
  readonly #speech = this.#counter('speech_seconds_total', 'Speech made', ['way'])
  readonly #generations = this.#counter('generations_total', 'Texts spoken, by how that ended', ['way', 'outcome'])
  readonly #errors = this.#counter('errors_total', 'Errors told to clients, refusals included', ['code'])
  readonly #open = this.#gauge('streams_open', 'Texts being spoken now', ['way'])
  readonly #microphones = this.#gauge('microphones_open', 'Microphones that are listened to now', ['mode'])
  readonly #final = this.#histogram(
    'final_seconds',
    'From the silence that ends speech being long enough, or a commit, to the final words; the silence itself is not counted',
    ['mode'],
    FINAL_SECONDS,
  )
  /** Of the streams that are open: how to read what waits for their readers. */
  readonly #outlets = new Set<() => number>()

  /** For the endpoints. */
  readonly service = {
    speechBegan: (way: string, bufferedBytes: () => number = () => 0): (() => void) => {
      // A reader of its own, so that two streams never share one.
      const read = () => bufferedBytes()
      this.#outlets.add(read)
      this.#open.inc({ way })
      return () => {
        if (this.#outlets.delete(read)) this.#open.dec({ way })
      }
    },
    firstAudio: (way: string, ms: number): void => this.#firstAudio.observe({ way }, ms / 1_000),
    speechEnded: (way: string, outcome: string, durationMs: number): void => {
      this.#speech.inc({ way }, durationMs / 1_000)
      this.#generations.inc({ way, outcome })
    },
    listeningBegan: (mode: string): (() => void) => {
      this.#microphones.inc({ mode })
      return () => this.#microphones.dec({ mode })
    },
    wordsFinal: (mode: string, ms: number): void => this.#final.observe({ mode }, ms / 1_000),
    errorTold: (code: string): void => this.#errors.inc({ code }),
  }

  readonly #requests = this.#counter('requests_total', 'Requests answered and sockets closed', [
    'route',
    'method',
    'status',
  ])

  /** For the network edge. `status` 0: the client left before an answer. */
  readonly requests = {
    answered: (route: string, method: string, status: number): void => {
      const statusClass = status === 0 ? 'none' : `${Math.floor(status / 100)}xx`
      this.#requests.inc({ route, method, status: statusClass })
    },
  }

  readonly #tasks = this.#counter('tasks_total', 'Tasks of the inference workers that have ended', ['kind', 'outcome'])
  readonly #taskSeconds = this.#histogram('task_seconds', 'Time of a task on its worker', ['kind'], TASK_SECONDS)
  readonly #late = this.#histogram(
    'deadline_miss_seconds',
    'How late tasks were done that somebody was going to hear the lack of',
    ['kind'],
    LATE_SECONDS,
  )
  readonly #cancel = this.#histogram(
    'cancel_seconds',
    'From a client leaving, or a microphone no longer needing a guess, until no worker is busy with it',
    ['kind'],
    CANCEL_SECONDS,
  )
  readonly #workersLost = this.#counter('workers_lost_total', 'Inference workers that died')

  /** For the scheduler. */
  readonly tasks = {
    taskEnded: (kind: string, outcome: string): void => this.#tasks.inc({ kind, outcome }),
    taskRan: (kind: string, ms: number): void => this.#taskSeconds.observe({ kind }, ms / 1_000),
    deadlineMissed: (kind: string, lateMs: number): void => this.#late.observe({ kind }, lateMs / 1_000),
    cancelled: (kind: string, ms: number): void => this.#cancel.observe({ kind }, ms / 1_000),
    workerLost: (): void => this.#workersLost.inc(),
  }

  readonly #refused = this.#counter('admission_refused_total', 'Requests refused for want of capacity', ['pace'])

  /** For admission. */
  readonly admission = {
    refused: (pace: string): void => this.#refused.inc({ pace }),
  }

  readonly #charged = this.#counter('characters_charged_total', 'Characters debited', ['kind'])
  readonly #commit = this.#histogram(
    'ledger_commit_seconds',
    'From asking for the lock to the commit being on disk',
    [],
    COMMIT_SECONDS,
  )

  /** For the ledger. */
  readonly ledger = {
    committed: (ms: number): void => this.#commit.observe(ms / 1_000),
    charged: (meter: string, characters: number): void => this.#charged.inc({ kind: meter }, characters),
  }

  /** Shows the state of these parts from now on. Once. */
  watch({ scheduler, costs, admission, voiceRefiner }: NodeState): void {
    this.#readings('tasks_queued', 'Tasks that wait for a worker', () => scheduler.queued)
    this.#readings('tasks_running', 'Tasks that run now', () => scheduler.running)
    this.#readings(
      'real_time_factor',
      'Work for a second of speech, in seconds of one worker',
      () => costs.realTimeFactor,
    )
    this.#readings('live_streams', 'Live streams that hold a place', () => admission.liveStreams)
    this.#readings('live_streams_room', 'Live streams that would be taken besides', () => admission.liveRoom)
    this.#readings('microphones_room', 'Microphones that would be taken besides', () => admission.microphoneRoom)
    this.#readings(
      'batch_backlog_seconds',
      'Time to do all batch work that was taken',
      () => admission.batchBacklogMs / 1_000,
    )
    this.#readings('voices_refining', 'Enrolled voices that are to be refined still', () => voiceRefiner.count)
  }

  /** Media type of `text`. */
  get contentType(): string {
    return this.#registry.contentType
  }

  /** Every figure as it is now, in the text format of Prometheus. */
  text(): Promise<string> {
    return this.#registry.metrics()
  }

  #counter(name: string, help: string, labelNames: readonly string[] = []): Counter {
    return new Counter({ name: `syrinx_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #gauge(name: string, help: string, labelNames: readonly string[]): Gauge {
    return new Gauge({ name: `syrinx_${name}`, help, labelNames, registers: [this.#registry] })
  }

  #histogram(name: string, help: string, labelNames: readonly string[], buckets: number[]): Histogram {
    return new Histogram({ name: `syrinx_${name}`, help, labelNames, buckets, registers: [this.#registry] })
  }

  /** A gauge that is read when somebody asks. */
  #readings(name: string, help: string, read: () => number): void {
    new Gauge({
      name: `syrinx_${name}`,
      help,
      registers: [this.#registry],
      collect() {
        this.set(read())
      },
    })
  }
}
