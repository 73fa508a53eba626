import { SeamJoiner } from '../audio/seam.ts'
import { sliceFeatures } from '../speech/features.ts'
import { STYLE_WIDTH } from '../speech/style-classes.ts'
import type { SpokenWord } from '../speech/synthesis.ts'
import { FRAME_SAMPLES, FRAMES_PER_SECOND, OVERLAP_SAMPLES, type SpeechPlan } from '../speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../speech/task-runner.ts'
import type { TextChunk } from '../speech/text-chunker.ts'
import { layWindows, type WindowSpan } from '../speech/windows.ts'
import type { VoiceStyle } from './voice-styles.ts'

/** Utterances up to this long are decoded whole: on calibrated statistics they are misheard. */
const WHOLE_FRAMES_MAX = 2 * FRAMES_PER_SECOND

/** One chunk of text on its way: waiting for its plan, then rendered span by span. */
export class Segment {
  readonly chunk: TextChunk
  /** Exact length wanted; undefined: as long as the model makes it. */
  readonly frames: number | undefined
  /** Nothing is heard before it: its first windows are short. */
  readonly isOpening: boolean
  readonly #seams = new SeamJoiner(OVERLAP_SAMPLES)
  #plan: SpeechPlan | undefined
  #style: VoiceStyle | undefined
  /** Undefined: decoded whole. */
  #conditioning: Float32Array | undefined
  #spans: readonly WindowSpan[] = []
  #begun = 0

  constructor(chunk: TextChunk, frames: number | undefined, isOpening: boolean) {
    this.chunk = chunk
    this.frames = frames
    this.isOpening = isOpening
  }

  get isPlanned(): boolean {
    return this.#plan !== undefined
  }

  get isExhausted(): boolean {
    return this.isPlanned && this.#begun === this.#spans.length
  }

  /** Samples that will be heard of it. */
  get samples(): number {
    return this.#spans.reduce((total, span) => total + span.to - span.from, 0) * FRAME_SAMPLES
  }

  /** Decides how the planned speech is rendered. Silence at the edges is left out unless an exact length was asked for. */
  setPlan(plan: SpeechPlan, style: VoiceStyle): void {
    const { frames } = plan.features
    const [from, to] = this.frames === undefined ? [plan.leadFrames, frames - plan.tailFrames] : [0, frames]
    this.#plan = plan
    this.#style = style
    if (to - from > WHOLE_FRAMES_MAX) this.#conditioning = conditioningOf(style, plan.styleClass)
    this.#spans = this.#conditioning ? layWindows(from, to, this.isOpening) : [{ from, to }]
  }

  /** The next span. Only when planned and not exhausted. */
  takeSpan(): WindowSpan {
    const span = this.#spans[this.#begun++]
    if (!span) throw new Error('a segment was rendered past its end')
    return span
  }

  /** The words and the samples in which they are heard, counted from the first that is heard of it. */
  get words(): readonly SpokenWord[] {
    const heardFrom = this.#spans[0]?.from ?? 0
    const sampleAt = (frame: number) =>
      Math.min(Math.max(Math.round((frame - heardFrom) * FRAME_SAMPLES), 0), this.samples)
    return (this.#plan?.words ?? []).map(({ word, from, to }) => ({ word, from: sampleAt(from), to: sampleAt(to) }))
  }

  isFirst(span: WindowSpan): boolean {
    return span === this.#spans[0]
  }

  isLast(span: WindowSpan): boolean {
    return span === this.#spans.at(-1)
  }

  /** Audio of a span, reaching over the seams it shares with its neighbours. */
  async render(span: WindowSpan, runner: TaskRunner, order: TaskOrder): Promise<Float32Array> {
    const plan = this.#plan!
    const conditioning = this.#conditioning
    if (!conditioning) {
      const style = this.#style!.rows.slice(plan.styleClass * STYLE_WIDTH, (plan.styleClass + 1) * STYLE_WIDTH)
      const { samples } = await runner.run({ kind: 'whole', features: plan.features, style }, order)
      return samples.subarray(span.from * FRAME_SAMPLES, span.to * FRAME_SAMPLES)
    }
    const frames = span.to - span.from
    const task = { kind: 'window', ...sliceFeatures(plan.features, span), frames, conditioning } as const
    const { samples, before } = await runner.run(task, order)
    const start = before - (this.isFirst(span) ? 0 : OVERLAP_SAMPLES)
    const end = before + frames * FRAME_SAMPLES + (this.isLast(span) ? 0 : OVERLAP_SAMPLES)
    return samples.subarray(start, end)
  }

  /** Joins audio of the spans, in their order; returns what is final. */
  join(span: WindowSpan, audio: Float32Array): Float32Array {
    return this.#seams.push(audio, this.isLast(span))
  }
}

/** What windows of a class need, if it is there; has it made for the next time if it isn't. */
function conditioningOf(style: VoiceStyle, styleClass: number): Float32Array | undefined {
  const conditioning = style.conditioning(styleClass)
  if (!conditioning) {
    style.prepare(styleClass).catch(() => {
      // The voice goes on being decoded whole, and the next request tries again.
    })
  }
  return conditioning
}
