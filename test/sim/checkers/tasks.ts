import { PLENTY_MS } from '../../../src/inference/scheduler.ts'
import type { SpeechTask } from '../../../src/speech/task-protocol.ts'
import type { Link } from '../connection.ts'
import { recordingOf } from '../recordings.ts'
import type { WatchedRunner } from '../watched-runner.ts'
import type { SimulatedPool } from '../workers.ts'
import type { World } from '../world.ts'

/** For whom tasks are done: the connections that want them, and the debits of which one must be on disk. */
export interface Customer {
  readonly links: Link[]
  readonly debits: readonly string[] | undefined
}

/** A task whose worker dies is run once more. */
const ATTEMPTS_MAX = 2
/**
 * Deadlines served in their order, by workers who are not asked for more than they can do, are missed by no more than a few of the
 * longest tasks (Devi and Anderson, "Tardiness bounds under global EDF scheduling", 2008); past that, more and more.
 */
const LATE_TASKS_MAX = 3
/** Nor do openings that were let in one after another take so much from each other that a listener misses more of a task's time. */
const DRY_TASKS_MAX = 0.3
/** In the order in which tasks are begun: what is wanted soon, what somebody waits for, what is wanted later, what nobody waits for. */
const [SOON, BATCH, LATER, AHEAD] = [0, 1, 2, 3]

/**
 * Watches over the order of tasks: nobody's before it is paid for or after they have gone, the one that is wanted sooner before the
 * other where that is soon, nobody's who waits while a worker is idle, and none but speech in the last worker that somebody who runs dry needs.
 */
export class Tasks {
  /** How late audio came that was asked for in time, at most, and how long a task took, at most. */
  #lateMsMax = 0
  #taskMsMax = 0
  /** For how long somebody had nothing to hear after the first sound, at most. */
  #dryMsMax = 0
  readonly #world: World
  readonly #spoken = new Map<string, Customer>()
  readonly #recorded = new Map<number, Customer>()
  readonly #customers = new WeakMap<AbortSignal, Customer>()
  readonly #attempts = new WeakMap<SpeechTask, number>()
  readonly #beganAt = new WeakMap<SpeechTask, number>()
  /** When a task ended last. */
  #endedAt = Number.NaN
  #runner: WatchedRunner | undefined
  #pool: SimulatedPool | undefined

  constructor(world: World) {
    this.#world = world
  }

  /** Whose text it is in which every sentence has this word. */
  expectSpeech(word: string, customer: Customer): void {
    this.#spoken.set(word, customer)
  }

  expectRecording(recording: number, customer: Customer): void {
    this.#recorded.set(recording, customer)
  }

  watch(runner: WatchedRunner, pool: SimulatedPool): void {
    this.#runner = runner
    this.#pool = pool
    pool.onBegin = (task) => this.#begins(runner, pool, task)
    pool.onEnd = (task, isLost) => this.#ends(runner, task, isLost)
  }

  /** The node has died. */
  forget(): void {
    this.#runner = undefined
  }

  /** Between any two events. */
  look(): void {
    const [runner, pool] = [this.#runner, this.#pool]
    if (runner === undefined || pool === undefined) return
    this.#dryMsMax = Math.max(this.#dryMsMax, this.#world.clock.monotonic() - runner.runsDryAt)
    if (pool.running === pool.workers) return
    for (const task of runner.waiting) {
      if (this.#isWanted(task) && !this.#mayWaitBesideIdle(runner, pool, task)) {
        this.#world.fail(`a ${task.kind} waits beside an idle worker`)
      }
    }
  }

  /** At the end of a world in which nothing was wrong. */
  requireInTime(): void {
    const { isRush } = this.#world.weather
    if (isRush && this.#dryMsMax > DRY_TASKS_MAX * this.#taskMsMax)
      this.#world.fail(`a listener ran dry for ${this.#dryMsMax} ms`)
    this.#world.note(`late by ${this.#lateMsMax.toFixed(0)} ms at most, tasks of ${this.#taskMsMax.toFixed(0)} ms`)
    if (this.#lateMsMax > LATE_TASKS_MAX * this.#taskMsMax)
      this.#world.fail(`a listener waited ${this.#lateMsMax} ms for audio`)
  }

  #begins(runner: WatchedRunner, pool: SimulatedPool, task: SpeechTask): void {
    const order = runner.orders.get(task)
    // While the models warm up there is no order.
    if (order === undefined) return
    this.#world.note(`${task.kind} begins, due ${order.deadline.toFixed(1)}`)
    runner.waiting.delete(task)
    this.#attempts.set(task, (this.#attempts.get(task) ?? 0) + 1)
    this.#beganAt.set(task, this.#world.clock.monotonic())
    this.#requireCustomer(task, order.signal)
    const others = [...pool.tasks].filter((other) => other !== task)
    const sooner = [...runner.waiting].find(
      (other) => this.#isWanted(other) && this.#goesBefore(other, task) && !isYielding(runner, pool, other, others),
    )
    if (sooner) this.#world.fail(`a ${task.kind} begins before a ${sooner.kind} that is wanted sooner`)
    if (pool.workers === 1 || pool.running < pool.workers) return
    if (order.deadline === Number.POSITIVE_INFINITY) {
      if (runner.listeners > 0) this.#world.fail(`a ${task.kind} of a batch takes the last worker from a listener`)
    } else if (![task, ...others].some(makesSpeech) && runner.runsDryAt < this.#world.clock.monotonic()) {
      this.#world.fail(`a ${task.kind} takes the last worker from somebody who has run dry`)
    } else if (makesSpeech(task) && this.#rank(task) === LATER && others.some((other) => this.#rank(other) === BATCH)) {
      this.#world.fail(`a ${task.kind} that is wanted later takes the worker beside a batch task from whoever may come`)
    }
  }

  /**
   * Until a result is taken; batch tasks leave a worker to whoever may come, speech that is wanted later to them, and what else is live to
   * whoever was about to run dry.
   */
  #mayWaitBesideIdle(runner: WatchedRunner, pool: SimulatedPool, task: SpeechTask): boolean {
    if (this.#endedAt === this.#world.clock.monotonic()) return true
    if (this.#deadline(task) === Number.POSITIVE_INFINITY) return pool.running > 0
    const isBatchDue = [...runner.waiting, ...pool.tasks].some((other) => this.#rank(other) === BATCH)
    if (makesSpeech(task) && this.#rank(task) === LATER && isBatchDue) return true
    return isYielding(runner, pool, task, [...pool.tasks])
  }

  #ends(runner: WatchedRunner, task: SpeechTask, isLost: boolean): void {
    const now = this.#world.clock.monotonic()
    this.#endedAt = now
    if (isLost) {
      this.#world.note(`a worker dies of a ${task.kind}`)
      if ((this.#attempts.get(task) ?? ATTEMPTS_MAX) < ATTEMPTS_MAX) runner.waiting.add(task)
      return
    }
    const beganAt = this.#beganAt.get(task)
    if (beganAt === undefined) return
    this.#taskMsMax = Math.max(this.#taskMsMax, now - beganAt)
    if (task.kind === 'window' && runner.inTime.has(task)) {
      this.#lateMsMax = Math.max(this.#lateMsMax, now - this.#deadline(task))
    }
  }

  #requireCustomer(task: SpeechTask, signal: AbortSignal | undefined): void {
    // Nobody waits for it.
    if (this.#runner?.orders.get(task)?.isAhead) return
    const named = this.#namedBy(task)
    if (named && signal) this.#customers.set(signal, named)
    const customer = named ?? (signal && this.#customers.get(signal))
    if (customer === undefined) return
    if (customer.links.every(({ fate }) => fate !== 'open')) {
      this.#world.fail(`a ${task.kind} begins for ${customer.links.map(({ id }) => id)}, who have gone`)
    }
    if (customer.debits?.every((id) => this.#world.books.charged(id) === undefined)) {
      this.#world.fail(`a ${task.kind} begins before ${customer.debits} is paid for`)
    }
  }

  #namedBy(task: SpeechTask): Customer | undefined {
    if (task.kind === 'recognize' || task.kind === 'embed') return this.#recorded.get(recordingOf(task.samples) ?? -1)
    if (task.kind !== 'plan' && task.kind !== 'measure') return undefined
    const word = /\bq\d{4}\b/i.exec(task.text)?.[0]
    return word === undefined ? undefined : this.#spoken.get(word.toLowerCase())
  }

  #isWanted(task: SpeechTask): boolean {
    const order = this.#runner?.orders.get(task)
    return order !== undefined && !order.signal?.aborted && (order.startBy ?? Infinity) >= this.#world.clock.monotonic()
  }

  #goesBefore(a: SpeechTask, b: SpeechTask): boolean {
    // A short batch task may begin where a long one may not.
    if (this.#deadline(b) === Number.POSITIVE_INFINITY && this.#deadline(a) === Number.POSITIVE_INFINITY) return false
    const [rankOfA, rankOfB] = [this.#rank(a), this.#rank(b)]
    return rankOfA === rankOfB ? this.#deadline(a) < this.#deadline(b) : rankOfA < rankOfB
  }

  #rank(task: SpeechTask): number {
    const deadline = this.#deadline(task)
    if (deadline !== Number.POSITIVE_INFINITY) {
      return deadline - this.#world.clock.monotonic() > PLENTY_MS ? LATER : SOON
    }
    return this.#runner?.orders.get(task)?.isAhead ? AHEAD : BATCH
  }

  #deadline(task: SpeechTask): number {
    return this.#runner?.orders.get(task)?.deadline ?? Number.NaN
  }
}

/** Whether a live task may have to wait for speech: no other worker makes any, and somebody listens who may run dry. */
function isYielding(
  runner: WatchedRunner,
  pool: SimulatedPool,
  task: SpeechTask,
  others: readonly SpeechTask[],
): boolean {
  const isLastWorker = pool.workers > 1 && others.length === pool.workers - 1
  return isLastWorker && ![task, ...others].some(makesSpeech) && runner.runsDryAt < Number.POSITIVE_INFINITY
}

function makesSpeech({ kind }: SpeechTask): boolean {
  return kind === 'plan' || kind === 'measure' || kind === 'window'
}
