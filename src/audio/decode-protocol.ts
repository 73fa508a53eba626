import type { WantedAudio } from './decoding.ts'

/** What the main thread asks of a decoder thread: a file of any container as mono PCM16 at one rate, on disk. */
export interface DecodeTask extends WantedAudio {
  /** File to decode. */
  readonly input: string
  /** File to write, little-endian samples without a header. It exists and is empty. */
  readonly output: string
  /** Time after which decoding is given up. */
  readonly msMax: number
  /** One element, shared between threads: anything but 0 ends the work at its next read or write. */
  readonly cancel: Int32Array
}
