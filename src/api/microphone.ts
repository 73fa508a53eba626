import { Observable } from 'rxjs'
import { PcmReader } from '../audio/pcm-reader.ts'
import { Resampler } from '../audio/resampler.ts'
import { STT_AHEAD_SECONDS_MAX, STT_LULL_MS, STT_MESSAGES_MAX, STT_SECONDS_MAX, STT_SECONDS_MIN } from '../limits.ts'
import { ListeningProgress, type LiveInput } from '../pipelines/transcribe-live.ts'
import type { Clock } from '../runtime/clock.ts'
import { Demand } from '../runtime/demand.ts'
import { Mailbox } from '../runtime/mailbox.ts'
import { LISTENING_SAMPLE_RATE } from '../speech/recognition.ts'
import type { ListeningStart } from './stt-fields.ts'

/** Why audio, or a turn's end, can't be taken. `too_long`: the part that still belonged to the session was. */
export type MicrophoneRefusal = 'too_far_ahead' | 'too_many_messages' | 'too_long'

/**
 * What a client sends, as one ordered stream of audio at 16 kHz and ends of turns, each handled when the one before has been.
 *
 *   frames ─▶ samples ─▶ 16 kHz ─▶ mailbox ─▶ inputs
 *
 * A microphone can't be paused: what comes too fast is refused.
 */
export class Microphone {
  readonly #mode: ListeningStart['mode']
  readonly #clock: Clock
  readonly #pcm = new PcmReader()
  readonly #resampler: Resampler
  readonly demand = new Demand(1)
  readonly progress = new ListeningProgress()
  readonly #mailbox = new Mailbox<LiveInput>(this.demand, STT_MESSAGES_MAX)
  /** What is read here is the only reader's. */
  readonly inputs: Observable<LiveInput> = new Observable((reader) => this.#mailbox.read(reader))
  #samples = 0
  /** Samples there were when the last turn, or silence of the line, ended. */
  #turnStart = 0
  #heardAt: number

  constructor({ mode, sampleRate }: ListeningStart, clock: Clock) {
    this.#mode = mode
    this.#clock = clock
    this.#resampler = new Resampler(sampleRate, LISTENING_SAMPLE_RATE)
    this.#heardAt = clock.monotonic()
  }

  /** Audio so far, in seconds to the millisecond. */
  get seconds(): number {
    return Math.round((this.#samples * 1_000) / LISTENING_SAMPLE_RATE) / 1_000
  }

  /** Time since a frame came, or since the start. */
  get silentMs(): number {
    return this.#clock.monotonic() - this.#heardAt
  }

  /** A frame of PCM16 at the client's rate, of any length. */
  hear(frame: Uint8Array): MicrophoneRefusal | undefined {
    this.#heardAt = this.#clock.monotonic()
    return this.#take(this.#resampler.push(this.#pcm.read(frame)))
  }

  /** The client says that its turn has ended. */
  commit(): MicrophoneRefusal | undefined {
    this.#turnStart = this.#samples
    return this.#post({ kind: 'commit', at: this.#clock.monotonic() })
  }

  /** In automatic mode, a line on which nothing comes is taken for silence. To be called now and then. */
  settle(): void {
    if (this.#mode === 'auto' && this.silentMs >= STT_LULL_MS && this.#samples > this.#turnStart) this.#flush()
  }

  /** Nothing comes any more. A turn that is long enough to hold a word is ended as if the client had said so. */
  stop(): void {
    this.#take(this.#resampler.flush())
    if (this.#samples - this.#turnStart >= STT_SECONDS_MIN * LISTENING_SAMPLE_RATE) {
      if (this.#mode === 'manual') this.commit()
      else this.#flush()
    }
    this.#mailbox.close()
  }

  #take(samples: Float32Array): MicrophoneRefusal | undefined {
    const room = STT_SECONDS_MAX * LISTENING_SAMPLE_RATE - this.#samples
    const taken = samples.length > room ? samples.slice(0, room) : samples
    if (taken.length > 0) {
      this.#samples += taken.length
      const ahead = this.#samples - this.progress.frontier
      if (ahead > STT_AHEAD_SECONDS_MAX * LISTENING_SAMPLE_RATE) return 'too_far_ahead'
      const refusal = this.#post({ kind: 'audio', samples: taken, at: this.#clock.monotonic() })
      if (refusal !== undefined) return refusal
    }
    return taken.length < samples.length ? 'too_long' : undefined
  }

  #flush(): void {
    this.#turnStart = this.#samples
    this.#post({ kind: 'flush', at: this.#clock.monotonic() })
  }

  #post(input: LiveInput): MicrophoneRefusal | undefined {
    return this.#mailbox.post(input) ? undefined : 'too_many_messages'
  }
}
