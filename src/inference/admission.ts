import type { Admission, AdmissionOutcome, Work } from '../speech/admission.ts'
import type { CostModel } from './cost-model.ts'
import type { Openings } from './openings.ts'

/** Share of the workers' time that live streams may fill. The rest absorbs what no prediction sees. */
const LIVE_LOAD_MAX = 0.9
/**
 * Work of a microphone a second, in seconds of speech recognised: each second once as part of its segment, again where a pause made
 * the segment look finished, and once for previews, which come twice as often where there is time for them.
 */
const LISTENING_EFFORT = 3
/** A batch request is taken while the work already promised to batch requests would be done within this time. */
const BATCH_BACKLOG_MS_MAX = 60_000
/** Work of one worker until an enrolment is answered; what follows gives way to everybody. */
const FITTING_MS = 5_000
/** A refused listener should come back when some stream has probably ended, */
const LIVE_RETRY_SECONDS = 5
/** or, where there is only no room for one more opening, when those before it are over. */
const OPENING_RETRY_SECONDS = 1

/**
 * Refuses, before any money moves, what the node could not keep: a live stream or a microphone when those already carried and this
 * one need more worker time than there is, a live stream also when too many listeners have little in hand, a batch request when too
 * much batch work waits. At least one of each is always taken, however slow the machine.
 */
export class CapacityAdmission implements Admission {
  readonly #costs: CostModel
  readonly #workers: number
  readonly #openings: Pick<Openings, 'room'>
  readonly #observer: AdmissionObserver
  #liveStreams = 0
  #microphones = 0
  #batchRequests = 0
  #batchMs = 0

  constructor(
    costs: CostModel,
    workers: number,
    openings: Pick<Openings, 'room'>,
    observer: AdmissionObserver = { refused() {} },
  ) {
    this.#costs = costs
    this.#workers = workers
    this.#openings = openings
    this.#observer = observer
  }

  get liveStreams(): number {
    return this.#liveStreams
  }

  /** How many more live streams would be taken now. */
  get liveRoom(): number {
    const room = Math.min(this.#carriedRoom, this.#openings.room)
    return this.#liveStreams === 0 ? Math.max(1, room) : room
  }

  /** How many more live streams could be kept for good. */
  get #carriedRoom(): number {
    const workers = this.#workers * LIVE_LOAD_MAX - this.#microphones * this.#microphoneLoad
    return Math.max(0, Math.floor(workers / this.#costs.realTimeFactor) - this.#liveStreams)
  }

  get microphones(): number {
    return this.#microphones
  }

  /** How many more microphones would be taken now. */
  get microphoneRoom(): number {
    const workers = this.#workers * LIVE_LOAD_MAX - this.#liveStreams * this.#costs.realTimeFactor
    const microphonesMax = Math.max(1, Math.floor(workers / this.#microphoneLoad))
    return Math.max(0, microphonesMax - this.#microphones)
  }

  /** Time until all batch work that was taken is done, if nothing else is. */
  get batchBacklogMs(): number {
    return this.#batchMs / this.#workers
  }

  admit(work: Work): AdmissionOutcome {
    const outcome = this.#decide(work)
    if (outcome.status === 'refused') this.#observer.refused(work.pace)
    return outcome
  }

  #decide(work: Work): AdmissionOutcome {
    switch (work.pace) {
      case 'live':
        return this.#admitLive()
      case 'listening':
        return this.#admitMicrophone()
      case 'batch':
        return this.#admitBatch(this.#costs.speechMs(work.speechSeconds))
      case 'recording':
        return this.#admitBatch(this.#costs.recognitionMs(work.audioSeconds))
      case 'fitting':
        return this.#admitBatch(FITTING_MS)
    }
  }

  #admitLive(): AdmissionOutcome {
    if (this.liveRoom === 0) {
      return {
        status: 'refused',
        retryAfterSeconds: this.#carriedRoom === 0 ? LIVE_RETRY_SECONDS : OPENING_RETRY_SECONDS,
      }
    }
    this.#liveStreams += 1
    return {
      status: 'admitted',
      release: once(() => {
        this.#liveStreams -= 1
      }),
    }
  }

  #admitMicrophone(): AdmissionOutcome {
    if (this.microphoneRoom === 0) return { status: 'refused', retryAfterSeconds: LIVE_RETRY_SECONDS }
    this.#microphones += 1
    return {
      status: 'admitted',
      release: once(() => {
        this.#microphones -= 1
      }),
    }
  }

  /** Share of one worker that a microphone needs. */
  get #microphoneLoad(): number {
    return (LISTENING_EFFORT * this.#costs.recognitionMs(1)) / 1_000
  }

  #admitBatch(ms: number): AdmissionOutcome {
    const backlogMs = this.batchBacklogMs
    if (this.#batchRequests > 0 && backlogMs > BATCH_BACKLOG_MS_MAX) {
      return { status: 'refused', retryAfterSeconds: Math.ceil((backlogMs - BATCH_BACKLOG_MS_MAX) / 1_000) }
    }
    this.#batchRequests += 1
    this.#batchMs += ms
    return {
      status: 'admitted',
      release: once(() => {
        this.#batchRequests -= 1
        this.#batchMs -= ms
      }),
    }
  }
}

/** Hears of every refusal for want of capacity. */
export interface AdmissionObserver {
  refused(pace: Work['pace']): void
}

function once(action: () => void): () => void {
  let done = false
  return () => {
    if (done) return
    done = true
    action()
  }
}
