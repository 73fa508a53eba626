import { concatMap, defer, from, Observable, type OperatorFunction, of } from 'rxjs'
import { finalize, mergeMap, tap } from 'rxjs/operators'
import type { Clock } from '../runtime/clock.ts'
import type { Demand } from '../runtime/demand.ts'
import type { SpeechDetector } from '../speech/detection.ts'
import type { Recognizable, SpeechRecognizer } from '../speech/recognition.ts'
import type { SegmenterSettings } from '../speech/segmenter.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import { LiveAudio, type LiveCut } from './live-audio.ts'
import type { LiveEvent } from './live-event.ts'
import { type Backlog, LiveRecognition } from './live-recognition.ts'

/** What happens to a microphone. `at`: when, on the monotonic clock. */
export type LiveInput =
  /** Mono, in [-1, 1], 16 kHz, any number; the pipeline's from then on. */
  | { readonly kind: 'audio'; readonly samples: Float32Array; readonly at: number }
  /** Whoever speaks has ended, whatever it sounds like; `commit` is answered with `committed`. */
  | { readonly kind: 'flush' | 'commit'; readonly at: number }

export interface ListeningOptions {
  readonly mode: SpeechMode
  readonly segmenter: SegmenterSettings
  /** Paces the inputs: it is granted one credit for each that was judged. */
  readonly demand: Demand
  readonly progress: ListeningProgress
}

/** microphone → where speech is → segments, guesses and previews of them → recogniser → their texts, in order. */
export class LiveTranscriber {
  readonly #detector: SpeechDetector
  readonly #recognizer: SpeechRecognizer
  readonly #clock: Clock

  constructor(detector: SpeechDetector, recognizer: SpeechRecognizer, clock: Clock) {
    this.#detector = detector
    this.#recognizer = recognizer
    this.#clock = clock
  }

  canRecognize(mode: SpeechMode): Recognizable {
    return this.#recognizer.canRecognize(mode)
  }

  /**
   * Listens until `inputs` completes, and completes when everything has been told. Unsubscribing stops the work within one task. Errors
   * are those of the detector, and `RecognitionFailed`.
   */
  listen(inputs: Observable<LiveInput>, options: ListeningOptions): Observable<LiveEvent> {
    const { mode, segmenter, progress, demand } = options
    const guessLeadMs = segmenter.silenceMs - segmenter.pauseMs
    return defer(() => {
      const audio = new LiveAudio(segmenter)
      return inputs.pipe(
        judge(this.#detector, progress),
        tap(() => demand.grant(1)),
        mergeMap((input) => cutsOf(input, audio)),
        this.#recognize({ mode, guessLeadMs, backlog: progress }),
      )
    })
  }

  #recognize(options: ConstructorParameters<typeof LiveRecognition>[2]): OperatorFunction<Step, LiveEvent> {
    return (steps) =>
      new Observable((out) => {
        const recognition = new LiveRecognition(this.#recognizer, this.#clock, options, out)
        const stopListening = this.#recognizer.listen()
        const subscription = steps.subscribe({
          next(step) {
            if (step.kind !== 'commit') recognition.take(step)
            else recognition.follow(() => out.next({ kind: 'committed', at: step.at, end: step.end }))
          },
          error: (error) => out.error(error),
          complete: () => recognition.follow(() => out.complete()),
        })
        return () => {
          subscription.unsubscribe()
          recognition.stop()
          stopListening()
        }
      })
  }
}

/** How far a session has been listened to, in samples at 16 kHz. */
export class ListeningProgress implements Backlog {
  /** Ends of the segments that wait for the recogniser, in order. */
  readonly #waiting: number[] = []
  #judged = 0

  /**
   * What comes after it has not been worked on: the end of the segment that is being recognised, or else what has been looked at.
   * Speech that is still going on waits for nobody but the speaker.
   */
  get frontier(): number {
    return this.#waiting[0] ?? this.#judged
  }

  judge(samples: number): void {
    this.#judged += samples
  }

  await(end: number): void {
    this.#waiting.push(end)
  }

  settle(): void {
    this.#waiting.shift()
  }
}

type Judged =
  | (Extract<LiveInput, { readonly kind: 'audio' }> & { readonly probabilities: Float32Array })
  | Exclude<LiveInput, { readonly kind: 'audio' }>
type Step = LiveCut | { readonly kind: 'commit'; readonly at: number; readonly end: number }

/** Adds the probabilities of speech, to one input after the other. */
function judge(detector: SpeechDetector, progress: ListeningProgress): OperatorFunction<LiveInput, Judged> {
  const stream = detector.open()
  return concatMap((input) => {
    if (input.kind !== 'audio') return of(input)
    const { samples } = input
    // The detector owns what it is given, and the recogniser is going to need them.
    const judged = stream.push(samples.slice()).then((probabilities) => ({ ...input, probabilities }))
    return from(judged).pipe(finalize(() => progress.judge(samples.length)))
  })
}

function cutsOf(input: Judged, audio: LiveAudio): readonly Step[] {
  switch (input.kind) {
    case 'audio':
      return audio.push(input.samples, input.probabilities, input.at)
    case 'flush':
      return audio.flush(input.at)
    case 'commit':
      return [...audio.flush(input.at), { kind: 'commit', at: input.at, end: audio.seconds }]
  }
}
