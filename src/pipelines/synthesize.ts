import { concat, defer, EMPTY, type MonoTypeOperatorFunction, type Observable, type OperatorFunction, of } from 'rxjs'
import { map, mergeMap, tap } from 'rxjs/operators'
import { EdgeTrimmer } from '../audio/edge-trimmer.ts'
import { Framer } from '../audio/framer.ts'
import { toPcm16 } from '../audio/pcm.ts'
import { FRAME_MS } from '../limits.ts'
import type { Demand } from '../runtime/demand.ts'
import type {
  PcmFrame,
  SpeechEngine,
  SpeechSynthesizer,
  SpokenWord,
  SynthesisRequest,
  WordListener,
} from '../speech/synthesis.ts'

/** Silence at both edges of a finished utterance. */
const EDGE_PAD_MS = 100
/** Quieter than this (−50 dB of full scale) is silence at an edge. */
const SILENCE_MAGNITUDE = 0.0032
/**
 * While a listener has heard less than this, what the engine has made is sent at once rather than kept until a frame is full: the
 * windows of the opening are short, and a fraction of a frame kept back is a third of what the listener has in hand.
 */
const OPENING_MS = 3_000
/** Less than this isn't worth a frame of its own. */
const FRAME_MS_MIN = 50

/**
 * request → engine → exact length or trimmed edges → PCM16 → frames of about 200 ms. All four ways of speaking read from here,
 * so the same request gives the same samples in each. Everything below the engine is synchronous.
 */
export class Synthesizer implements SpeechSynthesizer {
  readonly #engine: SpeechEngine

  constructor(engine: SpeechEngine) {
    this.#engine = engine
  }

  get sampleRate(): number {
    return this.#engine.sampleRate
  }

  canSpeak(text: string, language: string, voiceId: string) {
    return this.#engine.canSpeak(text, language, voiceId)
  }

  synthesize(request: SynthesisRequest, demand: Demand, onWord?: WordListener): Observable<PcmFrame> {
    const rate = this.sampleRate
    return defer(() => {
      const words = new ShiftedWords()
      const spoken = this.#engine.render(request, demand, onWord && ((word) => words.add(word)))
      return spoken.pipe(
        exactLength(request.durationSeconds === null ? null : Math.round(request.durationSeconds * rate)),
        request.postprocess ? trimEdges((EDGE_PAD_MS * rate) / 1_000, words) : (blocks) => blocks,
        map(toPcm16),
        frames(rate),
        tap({ next: (samples) => words.lengthen(samples.length), complete: () => words.tell(onWord) }),
        map((samples, index) => ({ samples, sequence: index + 1 })),
        tap(() => demand.spend(1)),
      )
    })
  }
}

/** Words whose places follow what is done to the audio they are in. */
class ShiftedWords {
  readonly #words: SpokenWord[] = []
  #samples = 0
  shift = 0

  add(word: SpokenWord): void {
    this.#words.push(word)
  }

  lengthen(samples: number): void {
    this.#samples += samples
  }

  /** None reaches over the edges of what is heard. */
  tell(onWord: WordListener | undefined): void {
    const within = (sample: number) => Math.min(Math.max(sample + this.shift, 0), this.#samples)
    for (const { word, from, to } of this.#words) onWord?.({ word, from: within(from), to: within(to) })
  }
}

/** Cuts or pads with silence so that exactly `samples` pass; null lets everything pass. */
function exactLength(samples: number | null): MonoTypeOperatorFunction<Float32Array> {
  if (samples === null) return (blocks) => blocks
  return (blocks) =>
    defer(() => {
      let left = samples
      const cut = blocks.pipe(
        map((block) => {
          const kept = block.subarray(0, left)
          left -= kept.length
          return kept
        }),
      )
      return concat(
        cut,
        defer(() => of(new Float32Array(left))),
      )
    })
}

function trimEdges(padSamples: number, words: ShiftedWords): MonoTypeOperatorFunction<Float32Array> {
  return (blocks) =>
    defer(() => {
      const trimmer = new EdgeTrimmer(padSamples, SILENCE_MAGNITUDE)
      return concat(
        blocks.pipe(mergeMap((block) => trimmer.push(block))),
        defer(() => {
          words.shift = trimmer.shift
          return of(trimmer.flush())
        }),
      )
    })
}

/** Frames of 200 ms; those of the opening may be shorter, and the last. */
function frames(rate: number): OperatorFunction<Int16Array, Int16Array> {
  const samplesOf = (ms: number) => (ms * rate) / 1_000
  return (blocks) =>
    defer(() => {
      const framer = new Framer(samplesOf(FRAME_MS))
      let made = 0
      const whole = blocks.pipe(
        mergeMap((block) => {
          made += block.length
          const full = framer.push(block)
          if (made > samplesOf(OPENING_MS) || framer.waiting < samplesOf(FRAME_MS_MIN)) return full
          return [...full, framer.flush()!]
        }),
      )
      const rest = defer(() => {
        const frame = framer.flush()
        return frame ? of(frame) : EMPTY
      })
      return concat(whole, rest)
    })
}
