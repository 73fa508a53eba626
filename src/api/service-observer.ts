import type { Generation } from '../ledger/ledger.ts'
import type { ErrorCode } from './error-codes.ts'

export type Way = Generation['way']

/** Hears of what the endpoints do, to count it. Nothing it is told names a key, a request or a text. */
export interface ServiceObserver {
  /**
   * Speech begins to be made for somebody, until the returned function is called. `bufferedBytes` reads how much of it waits
   * for its reader.
   */
  speechBegan(way: Way, bufferedBytes?: () => number): () => void
  /** The first audio was handed to the network, or the whole file where it goes out in one piece, `ms` after it was asked for. */
  firstAudio(way: Way, ms: number): void
  /** `durationMs`: how much speech was made. */
  speechEnded(way: Way, outcome: Generation['outcome'], durationMs: number): void
  /** A microphone is listened to, until the returned function is called. */
  listeningBegan(mode: ListeningMode): () => void
  /** Words became final `ms` after their end was known: the pause was long enough, or the client had said so. */
  wordsFinal(mode: ListeningMode, ms: number): void
  /** A client was told of an error, in an answer or inside a stream. */
  errorTold(code: ErrorCode): void
}

export type ListeningMode = 'auto' | 'manual'

export const unobservedService: ServiceObserver = {
  speechBegan: () => () => {},
  firstAudio() {},
  speechEnded() {},
  listeningBegan: () => () => {},
  wordsFinal() {},
  errorTold() {},
}
