import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import type { SpeechTask } from '../speech/task-protocol.ts'

/** Weight of the newest measurement in the running means: about the last twenty tasks count. */
const SMOOTHING = 0.1
/** Characters of text a second of speech holds, on average over languages written with an alphabet. */
const CHARACTERS_PER_AUDIO_SECOND = 15
const FRAME_MS = 25
/** About as much text as is planned of an opening. */
const OPENING_CHARACTERS = 30

/** Milliseconds one worker needs, learned from the tasks this machine has finished. */
export class CostModel {
  // Before the first measurement: a slow machine, so that a cold node promises too little rather than too much.
  readonly #msPerUnit: Record<SpeechTask['kind'], number> = {
    plan: 2,
    measure: 1,
    window: 12,
    calibrate: 1_500,
    recognize: 100,
  }

  /** Records that `task` took `ms` on its worker. */
  learn(task: SpeechTask, ms: number): void {
    const measured = ms / unitsOf(task)
    this.#msPerUnit[task.kind] += (measured - this.#msPerUnit[task.kind]) * SMOOTHING
  }

  /** Forgets the pessimism of the start: the measurement replaces what was assumed. */
  calibrate(task: SpeechTask, ms: number): void {
    this.#msPerUnit[task.kind] = ms / unitsOf(task)
  }

  predictMs(task: SpeechTask): number {
    return this.#msPerUnit[task.kind] * unitsOf(task)
  }

  /** Work for one second of speech divided by one second: planning and windows together. */
  get realTimeFactor(): number {
    return (this.#msPerUnit.window * (1_000 / FRAME_MS) + this.#msPerUnit.plan * CHARACTERS_PER_AUDIO_SECOND) / 1_000
  }

  /** Work to speak a text of this length. */
  speechMs(characters: number): number {
    return (characters / CHARACTERS_PER_AUDIO_SECOND) * this.realTimeFactor * 1_000
  }

  /** Work to write down a recording of this length. */
  recognitionMs(audioSeconds: number): number {
    return audioSeconds * this.#msPerUnit.recognize
  }
}

/** What a task's time grows with: characters, frames to keep, seconds to hear, or nothing. Never zero. */
function unitsOf(task: SpeechTask): number {
  switch (task.kind) {
    case 'plan':
      return Math.max(1, task.part === 'opening' ? Math.min(OPENING_CHARACTERS, task.text.length) : task.text.length)
    case 'measure':
      return Math.max(1, task.text.length)
    case 'window':
      return Math.max(1, task.frames)
    case 'calibrate':
      return 1
    case 'recognize':
      // The model always looks at one second more.
      return 1 + task.samples.length / LISTENING_SAMPLE_RATE
  }
}
