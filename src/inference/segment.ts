import assert from 'node:assert/strict'
import { SeamJoiner } from '../audio/seam.ts'
import { joinFeatures, sliceFeatures } from '../speech/features.ts'
import type { SpokenWord } from '../speech/synthesis.ts'
import {
  type Features,
  FRAME_SAMPLES,
  OVERLAP_SAMPLES,
  type SpeechPlan,
  type WordSpan,
} from '../speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../speech/task-runner.ts'
import type { TextChunk } from '../speech/text-chunker.ts'
import { layFirstWindows, layWindows, type WindowSpan } from '../speech/windows.ts'

/** One chunk of text on its way: waiting for its plan, which may come in two parts, then rendered span by span. */
export class Segment {
  readonly chunk: TextChunk
  /** Exact length wanted; undefined: as long as the model makes it. */
  readonly frames: number | undefined
  /** Nothing is heard before it: its first windows are short. */
  readonly isOpening: boolean
  readonly #seams = new SeamJoiner(OVERLAP_SAMPLES)
  #features: Features | undefined
  #conditioning: Float32Array | undefined
  #equaliser: Float32Array | undefined
  #words: readonly WordSpan[] = []
  #heardDurations: Int32Array | undefined
  #isComplete = false
  /** First frame that is rendered. */
  #from = 0
  readonly #spans: WindowSpan[] = []
  #begun = 0

  constructor(chunk: TextChunk, frames: number | undefined, isOpening: boolean) {
    this.chunk = chunk
    this.frames = frames
    this.isOpening = isOpening
  }

  /** Nothing of its plan is outstanding. */
  get isComplete(): boolean {
    return this.#isComplete
  }

  /** What the plan of the rest is to know of the opening. */
  get heardDurations(): Int32Array | undefined {
    return this.#heardDurations
  }

  /** There is a span to take. */
  get isReady(): boolean {
    return this.#begun < this.#spans.length
  }

  get isExhausted(): boolean {
    return this.#isComplete && !this.isReady
  }

  /** Samples that will be heard of what is planned. */
  get samples(): number {
    return this.#spans.reduce((total, span) => total + span.to - span.from, 0) * FRAME_SAMPLES
  }

  /**
   * Takes the plan, or its opening, with the conditioning of its style class and the voice's filter, if it has one. Silence at the
   * edges is left out unless an exact length was asked for.
   */
  begin(plan: SpeechPlan, conditioning: Float32Array, equaliser?: Float32Array): void {
    const { frames } = plan.features
    this.#features = plan.features
    this.#conditioning = conditioning
    this.#equaliser = equaliser
    this.#isComplete = plan.isComplete
    this.#words = plan.words ?? []
    this.#heardDurations = plan.heardDurations
    const [from, to] = this.frames === undefined ? [plan.leadFrames, frames - plan.tailFrames] : [0, frames]
    const heard = this.isOpening ? 0 : Number.POSITIVE_INFINITY
    this.#spans.push(...(plan.isComplete ? layWindows(from, to, heard) : layFirstWindows(from, frames)))
    this.#from = from
  }

  /** Takes the rest of the plan. */
  complete(plan: SpeechPlan): void {
    assert.ok(this.#features && !this.#isComplete)
    const opening = this.#features.frames
    this.#features = joinFeatures(this.#features, plan.features)
    this.#isComplete = true
    this.#words = plan.words ?? []
    const from = this.#spans.at(-1)?.to ?? this.#from
    const to = Math.max(opening, this.#features.frames - plan.tailFrames)
    this.#spans.push(...layWindows(from, to, this.#spans.length))
  }

  /** The next span. Only when ready. */
  takeSpan(): WindowSpan {
    const span = this.#spans[this.#begun++]
    assert.ok(span, 'a segment was rendered past its end')
    return span
  }

  /** The words, once it is complete, and the samples in which they are heard, counted from the first that is heard of it. */
  get words(): readonly SpokenWord[] {
    const heardFrom = this.#spans[0]?.from ?? 0
    const sampleAt = (frame: number) =>
      Math.min(Math.max(Math.round((frame - heardFrom) * FRAME_SAMPLES), 0), this.samples)
    return this.#words.map(({ word, from, to }) => ({ word, from: sampleAt(from), to: sampleAt(to) }))
  }

  isFirst(span: WindowSpan): boolean {
    return span === this.#spans[0]
  }

  /** Nothing that is planned yet follows it. */
  isLastKnown(span: WindowSpan): boolean {
    return span === this.#spans.at(-1)
  }

  isLast(span: WindowSpan): boolean {
    return this.#isComplete && this.isLastKnown(span)
  }

  /** Audio of a span, reaching over the seams it shares with its neighbours. */
  async render(span: WindowSpan, runner: TaskRunner, order: TaskOrder): Promise<Float32Array> {
    assert.ok(this.#features && this.#conditioning)
    const frames = span.to - span.from
    const slice = sliceFeatures(this.#features, span)
    const [isFirst, isLast] = [this.isFirst(span), this.isLast(span)]
    const equaliser = this.#equaliser && { equaliser: this.#equaliser }
    const task = { kind: 'window', ...slice, frames, conditioning: this.#conditioning, ...equaliser } as const
    const { samples, before } = await runner.run(task, order)
    const start = before - (isFirst ? 0 : OVERLAP_SAMPLES)
    const end = before + frames * FRAME_SAMPLES + (isLast ? 0 : OVERLAP_SAMPLES)
    return samples.subarray(start, end)
  }

  /** Joins audio of the spans, in their order; returns what is final. */
  join(span: WindowSpan, audio: Float32Array): Float32Array {
    return this.#seams.push(audio, this.isLast(span))
  }
}
