import { WorkerLost, type WorkerPool } from '../../src/inference/scheduler.ts'
import type { RecognizeTask, SearchTask, SpeechTask, TaskResult, VoiceMixture } from '../../src/speech/task-protocol.ts'
import { PRESET_VOICES } from '../../src/speech/voices.ts'
import { analyticAnswer } from '../inference/analytic-runner.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'
import { transcriptOf } from './recordings.ts'

/** How fast the machine is, and how often its workers let a task down. */
export interface Machine {
  readonly workers: number
  /** Seconds one worker needs for a second of speech. */
  readonly realTimeFactor: number
  /** Share of tasks that take several times as long. */
  readonly slowShare: number
  /** Share of tasks that fail. */
  readonly failedShare: number
  /** Share of tasks whose worker dies, some of them after a long silence. */
  readonly lostShare: number
}

const SILENCE_MS = 20_000

/** Workers that answer by formula, after the time that the machine takes. */
export class SimulatedPool implements WorkerPool {
  readonly workers: number
  /** What the workers are at. */
  readonly tasks = new Set<SpeechTask>()
  /** Told of each task that a worker begins and ends, and whether its worker died. */
  onBegin: (task: SpeechTask) => void = () => {}
  onEnd: (task: SpeechTask, isLost: boolean) => void = () => {}
  readonly #machine: Machine
  readonly #life: Life
  readonly #chance: Chance

  constructor(machine: Machine, life: Life, chance: Chance) {
    this.workers = machine.workers
    this.#machine = machine
    this.#life = life
    this.#chance = chance
  }

  get running(): number {
    return this.tasks.size
  }

  run<T extends SpeechTask>(task: T): Promise<TaskResult<T>> {
    const [chance, { slowShare, failedShare, lostShare }] = [this.#chance, this.#machine]
    this.tasks.add(task)
    this.onBegin(task)
    const ms = this.#usualMs(task) * chance.between(0.9, 1.1) * (chance.hits(slowShare) ? chance.between(2, 8) : 1)
    const isLost = chance.hits(lostShare)
    const hasFailed = chance.hits(failedShare)
    const untilLost = chance.hits(0.2) ? SILENCE_MS : ms * chance.between(0, 1)
    return new Promise((resolve, reject) => {
      this.#life.after(isLost ? untilLost : ms, () => {
        this.tasks.delete(task)
        this.onEnd(task, isLost)
        if (isLost) reject(new WorkerLost('the worker died'))
        else if (hasFailed) reject(new Error('the model failed'))
        else resolve(this.#answer(task) as TaskResult<T>)
      })
    })
  }

  #answer(task: SpeechTask): unknown {
    if (task.kind === 'recognize') return heard(task)
    return task.kind === 'search' ? searched(task) : analyticAnswer(task)
  }

  #usualMs(task: SpeechTask): number {
    const { realTimeFactor } = this.#machine
    switch (task.kind) {
      case 'plan':
        return realTimeFactor * 5 * (task.part === 'opening' ? 30 : task.text.length)
      case 'measure':
        return realTimeFactor * 3 * task.text.length
      case 'window':
        return realTimeFactor * 22 * task.frames
      case 'calibrate':
        return realTimeFactor * 2_000
      case 'recognize':
        return realTimeFactor * 400 * (1 + task.samples.length / 16_000)
      case 'embed':
      case 'search':
      case 'trial':
        return realTimeFactor * 1_000
      case 'rank':
        return realTimeFactor
    }
  }
}

/** All voices in equal parts. */
function searched({ trials }: SearchTask): VoiceMixture {
  const weights = new Float32Array(PRESET_VOICES.length).fill(1 / PRESET_VOICES.length)
  return { coordinates: Float32Array.of(trials.length), timbre: weights, prosody: weights, pitch: 1 }
}

function heard({ samples, languages }: RecognizeTask) {
  return { text: transcriptOf(samples), language: languages[0] }
}
