import type { Observer } from 'rxjs'
import type { Clock } from '../runtime/clock.ts'
import {
  type Hypothesis,
  LISTENING_SAMPLE_RATE,
  RecognitionFailed,
  type SpeechRecognizer,
  type SpeechSegment,
} from '../speech/recognition.ts'
import { SettlingText } from '../speech/settling-text.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import type { LiveCut } from './live-audio.ts'
import type { LiveEvent } from './live-event.ts'

/** Between two previews of the same speech, at least; and so much longer than the last one took, … */
const PREVIEW_INTERVAL_MS = 500
/** … so that a session's previews take a third of a worker at most. */
const PREVIEW_REST = 2
/** A preview that no worker was free for within this is left out. */
const PREVIEW_STALE_MS = 400

/** Keeps account of the segments that wait for a recogniser. */
export interface Backlog {
  /** A segment that ends at this position waits for the recogniser … */
  await(end: number): void
  /** … and the one that has waited longest has been recognised. */
  settle(): void
}

/**
 * Has the speech of one session recognised:
 *
 *   speaking   ─▶ a preview now and then: the newest of what is said, shown as `partial`
 *   paused     ─▶ guess: recognised as if it were over, so that the words are there when it is
 *   resumed    ─▶ the guess is dropped, or was a preview
 *   ended      ─▶ the guess is the answer; without one the segment is recognised now
 *
 * Segments come out in order. There is no preview while a segment waits: its words come first.
 */
export class LiveRecognition {
  readonly #recognizer: SpeechRecognizer
  readonly #clock: Clock
  readonly #mode: SpeechMode
  /** From a pause until the end of speech. */
  readonly #guessLeadMs: number
  readonly #backlog: Backlog
  readonly #out: Pick<Observer<LiveEvent>, 'next' | 'error'>
  readonly #attempts = new Set<AbortController>()
  #isStopped = false
  /** Resolves when all segments so far, and what was to follow them, have come out. Never rejects. */
  #tail: Promise<void> = Promise.resolve()
  #waiting = 0
  #guess: Attempt<Hypothesis> | undefined
  #preview: Attempt<Hypothesis | undefined> | undefined
  #previewAt = Number.NEGATIVE_INFINITY
  #shown = new SettlingText()
  #isShown = false

  constructor(
    recognizer: SpeechRecognizer,
    clock: Clock,
    options: { readonly mode: SpeechMode; readonly guessLeadMs: number; readonly backlog: Backlog },
    out: Pick<Observer<LiveEvent>, 'next' | 'error'>,
  ) {
    this.#recognizer = recognizer
    this.#clock = clock
    this.#mode = options.mode
    this.#guessLeadMs = options.guessLeadMs
    this.#backlog = options.backlog
    this.#out = out
  }

  take(cut: LiveCut): void {
    switch (cut.kind) {
      case 'speaking':
        this.#show(cut)
        return
      case 'paused':
        this.#guessAt(cut)
        return
      case 'resumed':
        this.#drop('guess')
        return
      case 'ended':
        this.#end(cut)
        return
    }
  }

  /** Calls back when every segment so far has come out. */
  follow(callback: () => void): void {
    this.#tail = this.#tail.then(() => {
      if (!this.#isStopped) callback()
    })
  }

  /** Stops whatever runs or waits, within one task. */
  stop(): void {
    this.#isStopped = true
    for (const attempt of this.#attempts) attempt.abort()
    this.#attempts.clear()
  }

  #show({ start, end, samples }: Extract<LiveCut, { readonly kind: 'speaking' }>): void {
    const now = this.#clock.monotonic()
    if (this.#preview !== undefined || this.#waiting > 0 || now < this.#previewAt) return
    const preview = this.#attempt(start, samples(), (segment) =>
      this.#recognizer.preview(segment, now + PREVIEW_STALE_MS),
    )
    this.#preview = preview
    this.#previewAt = now + PREVIEW_INTERVAL_MS
    void this.#tellPreview(preview, end).then(() => {
      if (this.#preview !== preview) return
      this.#preview = undefined
      const took = this.#clock.monotonic() - now
      this.#previewAt = Math.max(this.#previewAt, now + (1 + PREVIEW_REST) * took)
    })
  }

  #guessAt({ start, end, samples, at }: Extract<LiveCut, { readonly kind: 'paused' | 'ended' }>): void {
    this.#drop('preview')
    const guess = this.#recognize(start, samples, at + this.#guessLeadMs)
    this.#guess = guess
    void this.#tellPreview(guess, end)
  }

  #end({ start, end, samples, at }: Extract<LiveCut, { readonly kind: 'paused' | 'ended' }>): void {
    this.#drop('preview')
    const { hypothesis } = this.#guess ?? this.#recognize(start, samples, at)
    this.#guess = undefined
    this.#waiting += 1
    this.#backlog.await(end)
    const wasShown = this.#isShown
    this.#shown = new SettlingText()
    this.#isShown = false
    const tell = async () => {
      try {
        const { text, language } = await hypothesis
        if (this.#isStopped) return
        this.#waiting -= 1
        this.#backlog.settle()
        this.#out.next({ kind: 'segment', start: seconds(start), end: seconds(end), text, language, at, wasShown })
      } catch (error) {
        if (!this.#isStopped) this.#out.error(error)
      }
    }
    this.#tail = this.#tail.then(tell)
  }

  #recognize(start: number, samples: Float32Array, wantedAt: number): Attempt<Hypothesis> {
    return this.#attempt(start, samples, (segment) => this.#recognizer.recognize(segment, { pace: 'live', wantedAt }))
  }

  #attempt<T>(start: number, samples: Float32Array, run: (segment: SpeechSegment) => Promise<T>): Attempt<T> {
    const stop = new AbortController()
    this.#attempts.add(stop)
    const hypothesis = run({ samples, mode: this.#mode, wordTimes: false, signal: stop.signal })
    const forget = () => this.#attempts.delete(stop)
    // Whoever awaits it sees its failure; nobody may, where speech goes on.
    hypothesis.then(forget, forget)
    return { start, stop, hypothesis }
  }

  /** Shows what was heard, unless something else has been heard since. What can't be previewed is not worth an error. */
  async #tellPreview(attempt: Attempt<Hypothesis | undefined>, end: number): Promise<void> {
    try {
      const hypothesis = await attempt.hypothesis
      const isCurrent = attempt === this.#preview || attempt === this.#guess
      if (hypothesis === undefined || !isCurrent || this.#waiting > 0 || this.#isStopped) return
      const { language } = hypothesis
      const text = this.#shown.update(hypothesis.text, language)
      if (text === '') return
      this.#isShown = true
      this.#out.next({ kind: 'partial', start: seconds(attempt.start), end: seconds(end), text, language })
    } catch (error) {
      if (!(error instanceof RecognitionFailed || attempt.stop.signal.aborted)) this.#out.error(error)
    }
  }

  #drop(which: 'guess' | 'preview'): void {
    const attempt = which === 'guess' ? this.#guess : this.#preview
    if (which === 'guess') this.#guess = undefined
    else this.#preview = undefined
    attempt?.stop.abort()
  }
}

interface Attempt<T> {
  readonly start: number
  readonly stop: AbortController
  readonly hypothesis: Promise<T>
}

/** To the millisecond, as clients see it. */
function seconds(samples: number): number {
  return Math.round((samples * 1_000) / LISTENING_SAMPLE_RATE) / 1_000
}
