import type { Observable } from 'rxjs'
import type { Ledger } from '../ledger/ledger.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { PcmFrame, SpeechSynthesizer } from '../speech/synthesis.ts'
import type { VoiceDirectory } from '../speech/voice.ts'
import type { AudioFiles } from './audio-files.ts'

/** Everything an endpoint may use, handed to each endpoint once at start by the composition root. */
export interface Services {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly ledger: Ledger
  readonly voices: VoiceDirectory
  readonly synthesizer: SpeechSynthesizer
  readonly admission: Admission
  readonly encoder: AudioEncoder
  readonly audioFiles: AudioFiles
  readonly lifecycle: Lifecycle
  /** Base of the URLs handed out; undefined: the request's own host. */
  readonly publicUrl: string | undefined
  readonly publicWsUrl: string | undefined
}

/** Decides, before any money moves, whether the node can serve one more request in time. */
export interface Admission {
  admit(work: Work): AdmissionOutcome
}

export interface Work {
  /** As in `SynthesisRequest`. */
  readonly pace: 'live' | 'batch'
  readonly characters: number
}

export type AdmissionOutcome =
  /** The place is held until `release`, which may be called more than once. */
  | { readonly status: 'admitted'; readonly release: () => void }
  | { readonly status: 'refused'; readonly retryAfterSeconds: number }

/** Turns frames into a file. Subscribes once; aborting `signal` unsubscribes and rejects. */
export interface AudioEncoder {
  encode(
    frames: Observable<PcmFrame>,
    format: AudioFormat,
    sampleRate: number,
    signal: AbortSignal,
  ): Promise<{ readonly bytes: Uint8Array; readonly durationMs: number }>
}

export type AudioFormat = 'mp3' | 'wav'

export interface Lifecycle {
  /** Models warm, ledger open, not draining. */
  readonly ready: boolean
  readonly draining: boolean
  /** Aborted when the drain time is over and whatever still runs must end. */
  readonly stopped: AbortSignal
}
