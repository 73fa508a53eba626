import type { Observable } from 'rxjs'
import type { Mp3Stream } from '../audio/encoding.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { AudioFile, FileFormat } from '../pipelines/encode-file.ts'
import type { FileTranscriber } from '../pipelines/transcribe-file.ts'
import type { LiveTranscriber } from '../pipelines/transcribe-live.ts'
import type { VoiceLearner } from '../pipelines/voice-learner.ts'
import type { Clock } from '../runtime/clock.ts'
import type { Log } from '../runtime/log.ts'
import type { Random } from '../runtime/random.ts'
import type { Admission } from '../speech/admission.ts'
import type { PcmFrame, SpeechSynthesizer } from '../speech/synthesis.ts'
import type { VoiceDirectory } from '../speech/voice.ts'
import type { AudioFiles } from './audio-files.ts'
import type { ServiceObserver } from './service-observer.ts'
import type { VoiceFiles } from './voice-files.ts'
import type { VoiceRefiner } from './voice-refiner.ts'

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
  /** undefined: no recogniser is set up. */
  readonly transcriber: Transcriber | undefined
  /** undefined: no recogniser is set up. */
  readonly liveTranscriber: LiveListener | undefined
  readonly voiceFiles: VoiceFiles
  /** undefined: no engine is set up that learns voices. */
  readonly voiceLearner: VoiceLearning | undefined
  /** absent: voices stay as they are enrolled. */
  readonly voiceRefiner?: Pick<VoiceRefiner, 'add' | 'cancel'>
  /** Does in quiet moments what the first request to a new voice would wait for. */
  readonly prepareVoice?: (voiceId: string) => void
  readonly lifecycle: Lifecycle
  readonly observer: ServiceObserver
  readonly exposition: Exposition
  /** undefined: switched off. */
  readonly playground?: PlaygroundPage | undefined
  /** Base of the URLs handed out; undefined: the request's own host. */
  readonly publicUrl: string | undefined
  readonly publicWsUrl: string | undefined
  /** What clients written for OpenAI are told; undefined: there are no routes for them (D33). */
  readonly openAi: { readonly speechModel: string } | undefined
}

/** The page at `/`, as it is served. */
export interface PlaygroundPage {
  readonly html: string
  readonly etag: string
  readonly contentSecurityPolicy: string
}

/** Turns frames into a file. Subscribes once; aborting `signal` unsubscribes and rejects. */
export interface AudioEncoder {
  encode(frames: Observable<PcmFrame>, format: FileFormat, sampleRate: number, signal: AbortSignal): Promise<AudioFile>
  /** An MP3 file that is heard while it is made. */
  openMp3(sampleRate: number): Mp3Stream
}

/** Writes down what is said in a file. `FileTranscriber` implements it. */
export type Transcriber = Pick<FileTranscriber, 'provider' | 'model' | 'canRecognize' | 'open' | 'transcribe'>

/** Writes down what is said into microphones. `LiveTranscriber` implements it. */
export type LiveListener = Pick<LiveTranscriber, 'canRecognize' | 'listen'>

/** Learns a voice from a recording. `VoiceLearner` implements it. */
export type VoiceLearning = Pick<VoiceLearner, 'learn'>

/** The node's figures as text, for whoever watches over it. */
export interface Exposition {
  readonly contentType: string
  text(): Promise<string>
}

export interface Lifecycle {
  /** Models warm, ledger open, not draining. */
  readonly ready: boolean
  readonly draining: boolean
  /** Aborted when the drain time is over and whatever still runs must end. */
  readonly stopped: AbortSignal
}
