import { Observable } from 'rxjs'
import type { Demand } from '../../src/runtime/demand.ts'
import {
  type PcmFrame,
  type Speakable,
  type SpeechSynthesizer,
  type SpokenWord,
  SynthesisFailed,
  type SynthesisRequest,
  type WordListener,
} from '../../src/speech/synthesis.ts'

export interface Script {
  /** Frames of a whole text. */
  readonly frames?: number
  /** The engine fails instead of making this frame. */
  readonly failsAt?: number
  /** `free`: as fast as there is credit. `by_hand`: one frame a `step`. */
  readonly pace?: 'free' | 'by_hand'
  /** Told before the end, to those who listen. */
  readonly words?: readonly SpokenWord[]
}

/** Samples of a frame of 200 ms at 24 kHz. */
export const FRAME_SAMPLES = 4_800

/** An engine that follows a script: each frame holds its own number in every sample. */
export class ScriptedSynthesizer implements SpeechSynthesizer {
  readonly sampleRate = 24_000
  script: Script = {}
  speakable: Speakable = { status: 'spoken' }
  readonly requests: SynthesisRequest[] = []
  /** Runs that are neither complete nor failed nor given up. */
  running = 0
  made = 0
  #step: (() => boolean) | undefined

  canSpeak(): Speakable {
    return this.speakable
  }

  synthesize(request: SynthesisRequest, demand: Demand, onWord?: WordListener): Observable<PcmFrame> {
    this.requests.push(request)
    const { frames = 3, failsAt, pace = 'free', words = [] } = this.script
    return new Observable((subscriber) => {
      let sequence = 0
      this.running += 1
      subscriber.add(() => {
        this.running -= 1
      })
      const step = (): boolean => {
        if (subscriber.closed) return false
        if (sequence === frames) {
          for (const word of words) onWord?.(word)
          subscriber.complete()
        } else if (sequence + 1 === failsAt) subscriber.error(new SynthesisFailed('the script says so'))
        else if (demand.credits > 0) {
          sequence += 1
          demand.spend(1)
          this.made += 1
          subscriber.next({ samples: new Int16Array(FRAME_SAMPLES).fill(sequence), sequence })
        } else return false
        return true
      }
      const run = () => {
        while (step());
      }
      this.#step = step
      if (pace === 'by_hand') return
      demand.onCredit(run)
      run()
    })
  }

  /** Makes the next frame, or the end. False when there was no credit for it, or nobody to make it for. */
  step(): boolean {
    return this.#step?.() ?? false
  }
}
