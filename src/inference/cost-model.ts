import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import { speechSeconds } from '../speech/speech-length.ts'
import type { SpeechTask } from '../speech/task-protocol.ts'

/** Weight of the newest measurement in the running means: about the last twenty tasks count. */
const SMOOTHING = 0.1
const FRAME_MS = 25
/** About as much speech as is planned of an opening. */
const OPENING_SECONDS = 2

export interface MeasuredTask {
  readonly task: SpeechTask
  readonly ms: number
}

/** By kind of task, milliseconds for one unit of what its time grows with. */
type Costs = Record<SpeechTask['kind'], number>

/** Before the first measurement: a slow machine, so that a cold node promises too little rather than too much. */
const COLD: Costs = {
  plan: 30,
  measure: 15,
  window: 12,
  calibrate: 1_500,
  recognize: 100,
  embed: 20,
  trial: 1_500,
  search: 500,
  rank: 5,
}

/**
 * Milliseconds one worker needs while all of them work, learned from the tasks this machine has finished. Workers often share more
 * than memory, two threads of one core above all: a task that runs alone is no measure of how many would fit.
 */
export class CostModel {
  readonly #crowded: Costs = { ...COLD }
  readonly #alone: Costs = { ...COLD }

  /** Records that `task` took `ms` on its worker. `isCrowded`: all other workers were busy, too, when it began or ended. */
  learn(task: SpeechTask, ms: number, isCrowded: boolean): void {
    const costs = isCrowded ? this.#crowded : this.#alone
    costs[task.kind] += (ms / unitsOf(task) - costs[task.kind]) * SMOOTHING
  }

  /** Forgets the pessimism of the start: what these tasks took while all workers were busy replaces what was assumed. */
  calibrate(measured: readonly MeasuredTask[]): void {
    for (const kind of new Set(measured.map(({ task }) => task.kind))) {
      const alike = measured.filter(({ task }) => task.kind === kind)
      const units = alike.reduce((sum, { task }) => sum + unitsOf(task), 0)
      const msPerUnit = alike.reduce((sum, { ms }) => sum + ms, 0) / units
      this.#crowded[kind] = msPerUnit
      this.#alone[kind] = msPerUnit
    }
  }

  predictMs(task: SpeechTask): number {
    return this.#msPerUnit(task.kind) * unitsOf(task)
  }

  /** Work for one second of speech divided by one second: planning and windows together. */
  get realTimeFactor(): number {
    return factorOf(this.#msPerUnit('window'), this.#msPerUnit('plan'))
  }

  /** The same on a worker while another is idle. */
  get realTimeFactorAlone(): number {
    return factorOf(this.#alone.window, this.#alone.plan)
  }

  /** Work to make this much speech. */
  speechMs(speechSeconds: number): number {
    return speechSeconds * this.realTimeFactor * 1_000
  }

  /** Work to write down a recording of this length. */
  recognitionMs(audioSeconds: number): number {
    return audioSeconds * this.#msPerUnit('recognize')
  }

  /** A machine that has become slower shows it in tasks that run alone as well. */
  #msPerUnit(kind: SpeechTask['kind']): number {
    return Math.max(this.#crowded[kind], this.#alone[kind])
  }
}

function factorOf(msPerFrame: number, msPerPlannedSecond: number): number {
  return (msPerFrame * (1_000 / FRAME_MS) + msPerPlannedSecond) / 1_000
}

/** What a task's time grows with: seconds to plan, frames to keep, seconds to hear, the sentence, or nothing. Never zero. */
function unitsOf(task: SpeechTask): number {
  switch (task.kind) {
    case 'plan':
      return secondsToPlan(task, task.part === 'opening' ? OPENING_SECONDS : Number.POSITIVE_INFINITY)
    case 'measure':
      return secondsToPlan(task, Number.POSITIVE_INFINITY)
    case 'window':
      return Math.max(1, task.frames)
    case 'calibrate':
    case 'search':
    case 'rank':
      return 1
    case 'trial':
      // The second sentence is the longer one, and measured with the first.
      return 1 + task.sentence
    case 'embed':
      return 1 + task.samples.length / task.sampleRate
    case 'recognize':
      // The model always looks at one second more.
      return 1 + task.samples.length / LISTENING_SAMPLE_RATE
  }
}

/** A text of a few signs takes a while, too. */
function secondsToPlan({ text }: { readonly text: string }, secondsMax: number): number {
  return Math.min(Math.max(speechSeconds(text), 0.1), secondsMax)
}
