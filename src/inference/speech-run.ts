import assert from 'node:assert/strict'
import type { Observer } from 'rxjs'
import type { Clock } from '../runtime/clock.ts'
import type { Demand } from '../runtime/demand.ts'
import { SynthesisFailed, type SynthesisRequest, type WordListener } from '../speech/synthesis.ts'
import {
  FRAME_SAMPLES,
  FRAMES_PER_SECOND,
  type PlanPart,
  type PlanTask,
  type Pronunciation,
  SAMPLE_RATE,
} from '../speech/task-protocol.ts'
import type { TaskOrder, TaskRunner } from '../speech/task-runner.ts'
import { chunkText, halveChunk, type Pause, type TextChunk } from '../speech/text-chunker.ts'
import type { WindowSpan } from '../speech/windows.ts'
import { apportion } from './apportion.ts'
import type { Openings } from './openings.ts'
import { Playout } from './playout.ts'
import { Segment } from './segment.ts'
import type { VoiceStyle } from './voice-styles.ts'

/** Segments under way at once: the one being rendered and the next, planned so that it can follow without a wait. */
const SEGMENTS_AHEAD = 2
/** Silence after a chunk at normal speed, beside what the model itself leaves. */
const PAUSE_MS: Readonly<Record<Pause, number>> = { none: 0, clause: 60, sentence: 220, paragraph: 450 }

interface SpeechRunOptions {
  readonly request: SynthesisRequest
  readonly pronunciation: Pronunciation
  readonly style: Promise<VoiceStyle>
  readonly runner: TaskRunner
  readonly openings: Pick<Openings, 'enter' | 'headStartMs'>
  readonly clock: Clock
  readonly demand: Demand
  readonly windowsInFlightMax: number
  readonly output: Observer<Float32Array>
  /** Told of each word when the audio that holds it begins. */
  readonly onWord?: WordListener | undefined
}

/** Audio in the order in which it will be heard, filled in whichever order the workers finish. */
interface Piece {
  readonly segment: Segment
  readonly span: WindowSpan
  audio?: Float32Array
}

/**
 * One request being spoken:
 *
 *   text ─▶ chunks ─▶ plan (one ahead) ─▶ windows (few in flight, only with credit) ─▶ seams ─▶ samples in order
 *
 * The first chunk is planned in two parts, and the second is planned while the windows of the first are heard.
 *
 * `#advance` is the only driver: it is called after every event (credit, a finished task), looks at the state, starts what
 * may start and returns. Deadlines are when a listener would run dry.
 */
export class SpeechRun {
  readonly #options: SpeechRunOptions
  readonly #stopped = new AbortController()
  readonly #stopListening: () => void
  readonly #playout: Playout
  #style: VoiceStyle | undefined
  /** Segments that wait for their turn to be planned. */
  #waiting: Segment[] = []
  /** Segments from the first that isn't exhausted to the last whose plan was asked for. */
  #active: Segment[] = []
  #pieces: Piece[] = []
  #rendering = 0
  /** Pause owed before the next segment; undefined before the first. */
  #owedPause: Pause | undefined
  #begunSamples = 0
  #plannedSamples = 0
  /** Samples emitted before the segment that is being emitted. */
  #segmentStart = 0

  constructor(options: SpeechRunOptions) {
    this.#options = options
    this.#playout = new Playout(options.clock)
    this.#stopListening = options.request.pace === 'live' ? this.#listen() : () => {}
    options.demand.onCredit(() => this.#advance())
    this.#guard(this.#begin())
  }

  /** Nothing more is emitted. Tasks that wait are dropped, the one that runs finishes unheard. */
  stop(): void {
    this.#stopped.abort()
    this.#stopListening()
  }

  #listen(): () => void {
    const stopListening = this.#options.runner.listen(() => this.#runsDryAt())
    const leave = this.#options.openings.enter(() => (this.#playout.hasBegun ? this.#runsDryAt() : undefined))
    return () => {
      stopListening()
      leave()
    }
  }

  async #begin(): Promise<void> {
    const { request, pronunciation } = this.#options
    this.#style = await this.#options.style
    const chunks = chunkText(request.text, pronunciation)
    this.#waiting =
      request.durationSeconds === null
        ? chunks.map((chunk, index) => new Segment(chunk, undefined, index === 0))
        : await this.#fitted(chunks, Math.ceil(request.durationSeconds * FRAMES_PER_SECOND))
    this.#advance()
  }

  /** Segments whose exact lengths sum to `frames`, in the proportions the model itself would choose. */
  async #fitted(chunks: readonly TextChunk[], frames: number): Promise<Segment[]> {
    const measured: { chunk: TextChunk; frames: number }[] = []
    const unmeasured = [...chunks]
    for (let chunk = unmeasured.shift(); chunk; chunk = unmeasured.shift()) {
      const result = await this.#options.runner.run(
        { kind: 'measure', text: chunk.text, ...this.#voicing() },
        this.#order(0),
      )
      if (result.status === 'too_long') unmeasured.unshift(...halvesOf(chunk))
      else measured.push({ chunk, frames: result.tokens === 0 ? 0 : result.frames })
    }
    const weights = measured.map((item) => item.frames)
    return apportion(frames, weights).flatMap((share, index) =>
      share === 0 ? [] : [new Segment(measured[index]!.chunk, share, index === 0)],
    )
  }

  #advance(): void {
    if (this.#stopped.signal.aborted || !this.#style) return
    while (
      this.#waiting.length > 0 &&
      this.#active.length < SEGMENTS_AHEAD &&
      this.#active.every((segment) => segment.isComplete)
    ) {
      const segment = this.#waiting.shift()!
      this.#active.push(segment)
      this.#guard(this.#plan(segment))
    }
    this.#renderAhead()
    if (this.#waiting.length + this.#active.length + this.#pieces.length > 0) return
    this.stop()
    this.#options.output.complete()
  }

  async #plan(segment: Segment): Promise<void> {
    const inParts = segment.isOpening && segment.frames === undefined
    const order = this.#order(this.#plannedSamples)
    const result = await this.#options.runner.run(this.#planTask(segment, inParts ? 'opening' : 'all'), order)
    if (this.#stopped.signal.aborted) return
    const at = this.#active.indexOf(segment)
    if (result.status === 'too_long') {
      const halves = halvesOf(segment.chunk).map(
        (chunk, half) => new Segment(chunk, undefined, segment.isOpening && half === 0),
      )
      this.#active.splice(at, 1, ...halves)
      for (const half of halves) this.#guard(this.#plan(half))
    } else if (result.tokens === 0) {
      this.#active.splice(at, 1)
      // Nothing follows what is kept back.
      this.#emitReady()
    } else {
      const style = this.#style!
      segment.begin(result, await style.conditioning(result.styleClass, order.deadline), style.equaliser)
      if (result.isComplete) this.#plannedSamples += segment.samples
      else if (!segment.isReady) this.#guard(this.#planRest(segment))
    }
    this.#advance()
  }

  async #planRest(segment: Segment): Promise<void> {
    const { heardDurations } = segment
    const task = { ...this.#planTask(segment, 'rest'), ...(heardDurations && { heardDurations }) }
    const result = await this.#options.runner.run(task, this.#order(segment.samples))
    assert.equal(result.status, 'planned')
    segment.complete(result)
    this.#plannedSamples += segment.samples
    this.#advance()
  }

  #planTask({ chunk, frames }: Segment, part: PlanPart): PlanTask {
    const exact = frames === undefined ? {} : { frames }
    const { request, onWord } = this.#options
    const words = onWord && { timestamps: true }
    const { pitch } = this.#style!
    const voicing = { ...this.#voicing(), ...(pitch !== undefined && { pitch }) }
    return { kind: 'plan', part, text: chunk.text, ...voicing, speed: request.speed, ...exact, ...words }
  }

  #renderAhead(): void {
    const { demand, windowsInFlightMax } = this.#options
    while (this.#rendering < windowsInFlightMax && demand.credits > 0) {
      const segment = this.#active[0]
      if (!segment?.isReady) return
      const piece: Piece = { segment, span: segment.takeSpan() }
      if (segment.isExhausted) this.#active.shift()
      this.#pieces.push(piece)
      this.#guard(this.#render(piece))
    }
  }

  async #render(piece: Piece): Promise<void> {
    const { segment, span } = piece
    const order = this.#order(this.#begunSamples)
    this.#begunSamples += (span.to - span.from) * FRAME_SAMPLES
    this.#rendering += 1
    piece.audio = await segment.render(span, this.#options.runner, order)
    this.#rendering -= 1
    if (this.#stopped.signal.aborted) return
    // Not before: it would share the processor with windows that are wanted sooner, and the opening lasts a second and more.
    if (!segment.isComplete && segment.isLastKnown(span)) this.#guard(this.#planRest(segment))
    this.#emitReady()
    this.#advance()
  }

  /** Hands over the pieces at the front of the line that are finished, as soon as somebody may hear the first of them. */
  #emitReady(): void {
    if (!this.#mayStart()) return
    for (let piece = this.#pieces[0]; piece?.audio; piece = this.#pieces[0]) {
      this.#pieces.shift()
      const { segment, span } = piece
      if (segment.isFirst(span)) {
        this.#emitPause(segment)
        this.#segmentStart = this.#playout.samples
      }
      // Before the audio: whoever takes the last of it may end the run.
      if (segment.isLast(span)) this.#tellWords(segment)
      this.#emit(segment.join(span, piece.audio))
      if (this.#stopped.signal.aborted) return
    }
  }

  /** Who hears nothing yet waits until it can go on without a gap, or all there is is made. */
  #mayStart(): boolean {
    if (this.#playout.hasBegun || this.#options.request.pace === 'batch') return true
    const isAllMade = this.#waiting.length + this.#active.length + this.#rendering === 0
    return isAllMade || (this.#begunSamples / SAMPLE_RATE) * 1_000 >= this.#options.openings.headStartMs
  }

  /** Silence between the segment before and this one. An exact length leaves no room for any. */
  #emitPause(segment: Segment): void {
    const pause = this.#owedPause
    this.#owedPause = segment.chunk.pause
    if (pause === undefined || segment.frames !== undefined) return
    const ms = PAUSE_MS[pause] / this.#options.request.speed
    const samples = Math.round((ms * SAMPLE_RATE) / 1_000)
    if (samples > 0) this.#emit(new Float32Array(samples))
  }

  #tellWords({ words }: Segment): void {
    const before = this.#segmentStart
    for (const { word, from, to } of words) this.#options.onWord?.({ word, from: before + from, to: before + to })
  }

  #emit(samples: Float32Array): void {
    this.#playout.add(samples.length)
    this.#options.output.next(samples)
  }

  #voicing() {
    return { pronunciation: this.#options.pronunciation, styles: this.#style!.rows }
  }

  /** Due when a listener will have heard all `samples` before it, which may be sooner or later than it seemed when the task came. */
  #order(samples: number): TaskOrder {
    const signal = this.#stopped.signal
    if (this.#options.request.pace === 'batch') return { deadline: Number.POSITIVE_INFINITY, signal }
    const playout = this.#playout
    return {
      get deadline() {
        return playout.heardAt(samples)
      },
      signal,
    }
  }

  /** Never, for who hears nothing yet or takes nothing more. */
  #runsDryAt(): number {
    const isServed = this.#rendering > 0 || this.#options.demand.credits > 0
    return this.#playout.hasBegun && isServed ? this.#playout.runsDryAt : Number.POSITIVE_INFINITY
  }

  #guard(work: Promise<void>): void {
    work.catch((error: unknown) => {
      if (this.#stopped.signal.aborted) return
      this.stop()
      this.#options.output.error(new SynthesisFailed('speech could not be rendered', { cause: error }))
    })
  }
}

function halvesOf(chunk: TextChunk): TextChunk[] {
  const halves = halveChunk(chunk)
  assert.ok(halves, 'a single character holds more phonemes than the model takes')
  return [...halves]
}
