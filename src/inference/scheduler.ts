import type { Clock } from '../runtime/clock.ts'
import type { SpeechTask, TaskResult } from '../speech/task-protocol.ts'
import { TaskLate, type TaskOrder, type TaskRunner } from '../speech/task-runner.ts'
import { STEADY_WINDOW_SECONDS } from '../speech/windows.ts'
import type { CostModel } from './cost-model.ts'
import { type TaskObserver, type TaskOutcome, unobservedTasks } from './task-observer.ts'

/** A pool of workers that runs one task each. Rejects with `WorkerLost` when the worker died, else with the task's error. */
export interface WorkerPool {
  readonly workers: number
  run<T extends SpeechTask>(task: T): Promise<TaskResult<T>>
}

export class WorkerLost extends Error {}

export class TaskCancelled extends Error {}

interface Job {
  readonly task: SpeechTask
  readonly order: TaskOrder
  /** Breaks ties: first come, first served. */
  readonly arrival: number
  /** The deadline lay ahead when the task came. What is wanted at once can't be in time. */
  readonly canBeInTime: boolean
  attempts: number
  hasEnded: boolean
  /** Predicted, while it runs. */
  endsAt: number
  /** On the monotonic clock; set when it was cancelled while it ran or waited. */
  cancelledAt?: number
  readonly onAbort: () => void
  readonly resolve: (result: never) => void
  readonly reject: (error: unknown) => void
}

/** A task whose worker died is run again once; a second death is the task's own doing. */
const ATTEMPTS_MAX = 2
/** Batch tasks predicted to be longer than this never take the last free worker: a listener may arrive at any moment. */
const SHORT_TASK_MS = 400
/** Whoever has more than this to hear can wait for a batch task: the longest take about half of it. */
export const PLENTY_MS = 5_000
const NEVER = Number.POSITIVE_INFINITY

/**
 * Decides which task runs next. It keeps its own queue and hands a worker its next task only when the worker is free, so
 * that the order can be decided at the last moment: what is wanted soon, then batch tasks, then what is wanted later, in each the
 * earliest deadline first; and into the last free worker
 *
 *   speech             where its listener needs it soon, or no batch task is due
 *   other live tasks   where a worker is making speech, or all listeners have enough to hear until one is free again
 *   batch tasks        where nobody listens and they are short
 */
export class Scheduler implements TaskRunner {
  readonly #pool: WorkerPool
  readonly #costs: CostModel
  readonly #clock: Clock
  readonly #observer: TaskObserver
  readonly #queue: Job[] = []
  readonly #idleWaiters: (() => void)[] = []
  readonly #running = new Set<Job>()
  /** When each listener runs dry. */
  readonly #listeners = new Set<() => number>()
  #arrivals = 0
  #cancelWake = () => {}
  #isDraining = false

  constructor(pool: WorkerPool, costs: CostModel, clock: Clock, observer: TaskObserver = unobservedTasks) {
    this.#pool = pool
    this.#costs = costs
    this.#clock = clock
    this.#observer = observer
  }

  get queued(): number {
    return this.#queue.length
  }

  get running(): number {
    return this.#running.size
  }

  get #isFull(): boolean {
    return this.#running.size === this.#pool.workers
  }

  /** Drops what nobody waits for, now and from now on. Everything else is done as before. */
  drain(): void {
    this.#isDraining = true
    for (const job of this.#queue.filter(({ order }) => order.isAhead)) this.#cancel(job)
  }

  /** Resolves when nothing runs or waits. */
  async idle(): Promise<void> {
    if (this.#running.size + this.#queue.length === 0) return
    await new Promise<void>((resolve) => this.#idleWaiters.push(resolve))
  }

  /** Tells the scheduler that somebody listens, until the returned function is called. */
  listen(runsDryAt: () => number = () => NEVER): () => void {
    const listener = () => runsDryAt()
    this.#listeners.add(listener)
    return () => {
      if (this.#listeners.delete(listener)) this.#dispatch()
    }
  }

  run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>> {
    return new Promise((resolve, reject) => {
      const canBeInTime = order.deadline > this.#clock.monotonic()
      const arrival = this.#arrivals++
      const onAbort = () => this.#cancel(job)
      const job: Job = {
        task,
        order,
        arrival,
        canBeInTime,
        attempts: 0,
        hasEnded: false,
        endsAt: Number.NaN,
        onAbort,
        resolve,
        reject,
      }
      if (order.signal?.aborted || (order.isAhead && this.#isDraining)) {
        this.#cancel(job)
        return
      }
      order.signal?.addEventListener('abort', onAbort, { once: true })
      this.#queue.push(job)
      this.#dispatch()
    })
  }

  /** The one driver: starts what may start now. Safe to call at any time. */
  #dispatch(): void {
    this.#cancelWake()
    while (!this.#isFull) {
      const job = this.#next()
      if (!job) {
        this.#wakeInTime()
        return
      }
      void this.#start(job)
    }
  }

  /** What is wanted later and has to wait beside a free worker may not any more when it is wanted soon. */
  #wakeInTime(): void {
    const deadline = Math.min(...this.#queue.filter(({ order }) => !isBatch(order)).map(({ order }) => order.deadline))
    const ms = deadline - PLENTY_MS - this.#clock.monotonic()
    if (ms > 0 && ms < NEVER) this.#cancelWake = this.#clock.after(ms, () => this.#dispatch())
  }

  /** Takes the next job off the queue, or nothing if whatever waits must go on waiting. */
  #next(): Job | undefined {
    this.#dropLate()
    const now = this.#clock.monotonic()
    let best: Job | undefined
    for (const job of this.#queue) {
      // About to be cancelled too: a signal tells one after the other.
      if (job.order.signal?.aborted) continue
      if ((!best || precedes(job, best, now)) && this.#mayStart(job, now)) best = job
    }
    if (!best) return undefined
    this.#queue.splice(this.#queue.indexOf(best), 1)
    return best
  }

  #dropLate(): void {
    const now = this.#clock.monotonic()
    for (const job of this.#queue.filter(({ order }) => (order.startBy ?? now) < now)) {
      this.#queue.splice(this.#queue.indexOf(job), 1)
      this.#ended(job, 'late')
      job.reject(new TaskLate())
    }
  }

  #mayStart({ task, order }: Job, now: number): boolean {
    const isLastWorker = this.#running.size === this.#pool.workers - 1
    if (!isLastWorker || this.#pool.workers === 1) return true
    if (isBatch(order)) return this.#listeners.size === 0 && this.#costs.predictMs(task) <= SHORT_TASK_MS
    if (!makesSpeech(task)) return this.#listenersCanWait(task)
    // Else streams that are far ahead would take every worker in turn, and a batch task never find all but one of them free.
    return rank(order, now) === Rank.SOON || ![...this.#queue, ...this.#running].some(({ order }) => isDueBatch(order))
  }

  /** Whether everybody still has something to hear if the last free worker runs this task and speech takes the next that is free. */
  #listenersCanWait(task: SpeechTask): boolean {
    const running = [...this.#running]
    if (running.some((other) => makesSpeech(other.task))) return true
    const now = this.#clock.monotonic()
    // Of a task that should be done by now nothing is known.
    const ends = running.map(({ endsAt }) => endsAt).filter((endsAt) => endsAt > now)
    const freeAt = Math.min(now + this.#costs.predictMs(task), ...ends)
    const speechAt = freeAt + this.#costs.speechMs(STEADY_WINDOW_SECONDS)
    return [...this.#listeners].every((runsDryAt) => runsDryAt() >= speechAt)
  }

  async #start(job: Job): Promise<void> {
    this.#running.add(job)
    job.attempts += 1
    const startedAt = this.#clock.monotonic()
    job.endsAt = startedAt + this.#costs.predictMs(job.task)
    const wasFull = this.#isFull
    try {
      const result = await this.#pool.run(job.task)
      const now = this.#clock.monotonic()
      this.#costs.learn(job.task, now - startedAt, wasFull || this.#isFull)
      this.#observer.taskRan(job.task.kind, now - startedAt)
      const lateMs = now - job.order.deadline
      if (lateMs > 0 && job.canBeInTime && !job.hasEnded) this.#observer.deadlineMissed(job.task.kind, lateMs)
      this.#ended(job, 'done')
      // A cancelled task was already rejected; settling it again does nothing.
      job.resolve(result as never)
    } catch (error) {
      const isLost = error instanceof WorkerLost
      if (isLost) this.#observer.workerLost()
      if (isLost && job.attempts < ATTEMPTS_MAX && !job.order.signal?.aborted) this.#queue.push(job)
      else {
        this.#ended(job, isLost ? 'worker_lost' : 'failed')
        job.reject(error)
      }
    } finally {
      this.#running.delete(job)
      this.#freed(job)
      // Not before the result is taken: what follows from it may be wanted sooner than anything that waits.
      this.#clock.after(0, () => this.#dispatch())
      if (this.#running.size + this.#queue.length === 0) for (const resolve of this.#idleWaiters.splice(0)) resolve()
    }
  }

  #cancel(job: Job): void {
    const at = this.#queue.indexOf(job)
    if (at !== -1) this.#queue.splice(at, 1)
    if (at !== -1 || this.#running.has(job)) job.cancelledAt = this.#clock.monotonic()
    this.#ended(job, 'cancelled')
    job.reject(new TaskCancelled())
    this.#freed(job)
    // What waited for a batch task need not any more.
    this.#dispatch()
  }

  /** Tells how long workers were busy for nobody, once the last task of a cancelled stream is gone. Its tasks share its signal. */
  #freed({ task, order, cancelledAt }: Job): void {
    if (cancelledAt === undefined) return
    const isLeft = (other: Job) => other.order.signal === order.signal
    if (this.#queue.some(isLeft) || [...this.#running].some(isLeft)) return
    this.#observer.cancelled(task.kind, this.#clock.monotonic() - cancelledAt)
  }

  /** Only the first end counts: a signal may be aborted long after its task is done, and a task end after it was cancelled. */
  #ended(job: Job, outcome: TaskOutcome): void {
    if (job.hasEnded) return
    job.hasEnded = true
    // A stream's signal outlives its tasks by far, and would keep them all.
    job.order.signal?.removeEventListener('abort', job.onAbort)
    this.#observer.taskEnded(job.task.kind, outcome)
  }
}

/** Tasks without which somebody hears nothing more. They are short. */
function makesSpeech({ kind }: SpeechTask): boolean {
  return kind === 'plan' || kind === 'measure' || kind === 'window'
}

function isBatch({ deadline }: TaskOrder): boolean {
  return deadline === NEVER
}

/** Somebody waits for it, if not for its sound. */
function isDueBatch(order: TaskOrder): boolean {
  return isBatch(order) && !order.isAhead
}

const Rank = { SOON: 0, BATCH: 1, LATER: 2, AHEAD: 3 } as const

function rank(order: TaskOrder, now: number): number {
  if (isBatch(order)) return order.isAhead ? Rank.AHEAD : Rank.BATCH
  return order.deadline - now > PLENTY_MS ? Rank.LATER : Rank.SOON
}

function precedes(a: Job, b: Job, now: number): boolean {
  const [rankOfA, rankOfB] = [rank(a.order, now), rank(b.order, now)]
  if (rankOfA !== rankOfB) return rankOfA < rankOfB
  return a.order.deadline === b.order.deadline ? a.arrival < b.arrival : a.order.deadline < b.order.deadline
}
