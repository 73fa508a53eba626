import type { VoiceStyle } from '../../src/inference/voice-styles.ts'
import { STYLE_CLASSES, STYLE_WIDTH } from '../../src/speech/style-classes.ts'
import {
  CONTEXT_FRAMES,
  FRAME_SAMPLES,
  OVERLAP_SAMPLES,
  type PlanTask,
  type RenderedAudio,
  type SpeechPlan,
  type SpeechTask,
  type TaskResult,
  type WordSpan,
} from '../../src/speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../../src/speech/task-runner.ts'

export const LEAD_FRAMES = 3
export const TAIL_FRAMES = 5

/**
 * A runner whose "speech" is a formula, so that what was rendered in pieces can be compared with what it should be: every
 * chunk lasts two frames a character, and sample `p` of it is `sampleAt(p)`. Checks that windows get their context.
 */
export class AnalyticRunner implements TaskRunner {
  /** `dueAt`: the deadline when the task came, which may have changed since. */
  readonly ran: { task: SpeechTask; order: TaskOrder; dueAt: number }[] = []
  listeners = 0
  /** When the last to listen runs dry. */
  runsDryAt: () => number = () => Number.NaN
  inFlight = 0
  inFlightMax = 0
  /** Called before each task is answered; may wait or throw. */
  before: (task: SpeechTask) => Promise<void> | void = () => {}

  listen(runsDryAt = this.runsDryAt): () => void {
    this.listeners += 1
    this.runsDryAt = runsDryAt
    let open = true
    return () => {
      if (open) this.listeners -= 1
      open = false
    }
  }

  async run<T extends SpeechTask>(task: T, order: TaskOrder): Promise<TaskResult<T>> {
    this.ran.push({ task, order, dueAt: order.deadline })
    this.inFlight += 1
    this.inFlightMax = Math.max(this.inFlight, this.inFlightMax)
    try {
      await this.before(task)
      return analyticAnswer(task) as TaskResult<T>
    } finally {
      this.inFlight -= 1
    }
  }

  tasks<K extends SpeechTask['kind']>(kind: K): Extract<SpeechTask, { kind: K }>[] {
    return this.ran
      .map(({ task }) => task)
      .filter((task): task is Extract<SpeechTask, { kind: K }> => task.kind === kind)
  }
}

export function sampleAt(position: number): number {
  return 0.5 * Math.sin(position / 50)
}

/** Frames the formula gives a text at speed 1. */
export function framesOf(text: string): number {
  return 2 * text.length + LEAD_FRAMES + TAIL_FRAMES
}

/** Frames of a longer text that its opening holds. */
export const OPENING_FRAMES = 45

/** A voice, and what was asked of it. */
export function styleOf(): VoiceStyle & { asked: { styleClass: number; deadline: number }[] } {
  const asked: { styleClass: number; deadline: number }[] = []
  return {
    hertz: 200,
    rows: new Float32Array(STYLE_CLASSES.length * STYLE_WIDTH),
    conditioning: (styleClass, deadline) => {
      asked.push({ styleClass, deadline })
      return Promise.resolve(Float32Array.of(1))
    },
    prepare() {},
    asked,
  }
}

/** What a worker answers whose speech is the formula. */
export function analyticAnswer(task: SpeechTask): unknown {
  switch (task.kind) {
    case 'plan':
      if (task.text.length > 400) return { status: 'too_long', tokens: task.text.length, tokensMax: 400 }
      return planOf(task, task.frames ?? Math.round(framesOf(task.text) / task.speed))
    case 'measure':
      return {
        status: 'measured',
        frames: framesOf(task.text),
        tokens: /\p{L}/u.test(task.text) ? task.text.length : 0,
      }
    case 'window':
      return windowOf(task.features.tracks.index!.data, task.before, task.frames)
    case 'calibrate':
      return { conditioning: Float32Array.of(1) }
    case 'recognize':
      return { text: '', language: task.languages[0] }
    case 'embed':
      return print
    case 'trial':
      return { print, gains: new Float32Array(40), coloured: print.embedding }
    case 'rank':
      return { scores: task.trials.map(() => 1), best: task.trials.length - 1 }
    case 'search':
      throw new Error('nobody looks for voices here')
  }
}

/** The one voice there is. */
const print = { embedding: Float32Array.of(1), pitch: 100, spectrum: new Float32Array(40), bands: new Float32Array(40) }

/** Two frames a character, behind the silence. */
function wordsOf(text: string): WordSpan[] {
  return Array.from(text.matchAll(/\S+/g), ({ 0: word, index }) => {
    const from = LEAD_FRAMES + 2 * index
    return { word, from, to: from + 2 * word.length }
  })
}

function planOf({ text, part, timestamps }: PlanTask, all: number): SpeechPlan {
  const isParted = part !== 'all' && all > 2 * OPENING_FRAMES
  const from = part === 'rest' ? OPENING_FRAMES : 0
  const to = part === 'opening' && isParted ? OPENING_FRAMES : all
  const frames = to - from
  const index = Float32Array.from({ length: frames }, (_, i) => from + i)
  return {
    status: 'planned',
    features: {
      frames,
      tracks: { index: { data: index, width: 1 }, wide: { data: new Float32Array(3 * frames), width: 3 } },
    },
    isComplete: to === all,
    styleClass: 1,
    tokens: /\p{L}/u.test(text) ? text.length : 0,
    leadFrames: from === 0 ? LEAD_FRAMES : 0,
    tailFrames: to === all ? TAIL_FRAMES : 0,
    ...(timestamps && to === all && { words: wordsOf(text) }),
  }
}

function windowOf(index: Float32Array, before: number, frames: number): RenderedAudio {
  const first = index[before]!
  if (before !== Math.min(CONTEXT_FRAMES, first)) throw new Error('a window lacks its context')
  const hasContextBehind = index.length > before + frames
  const start = first * FRAME_SAMPLES - (before > 0 ? OVERLAP_SAMPLES : 0)
  const end = (first + frames) * FRAME_SAMPLES + (hasContextBehind ? OVERLAP_SAMPLES : 0)
  return audio(start, end, first * FRAME_SAMPLES - start)
}

function audio(from: number, to: number, before: number): RenderedAudio {
  return { samples: samplesUpTo(to).slice(from, to), before }
}

let table = new Float32Array(0)

/** The formula is worked out once: simulations speak for hours. */
function samplesUpTo(end: number): Float32Array {
  if (table.length < end) table = Float32Array.from({ length: 2 * end }, (_, position) => sampleAt(position))
  return table
}
