import type { CompressedFormat } from './codec-protocol.ts'

export interface Mp3Encoder {
  /** A whole file. */
  encodeMp3(samples: Int16Array, sampleRate: number): Promise<Uint8Array>
  openMp3(sampleRate: number): Mp3Stream
}

/** An MP3 file on its way. One call at a time, and at the end `finish` or `discard`. */
export interface Mp3Stream {
  /** The bytes that these samples complete, perhaps none. Takes ownership of the samples. */
  push(samples: Int16Array<ArrayBuffer>): Promise<Uint8Array>
  /** The last bytes. */
  finish(): Promise<Uint8Array>
  /** Nobody wants the rest. */
  discard(): void
}

/** Makes files that are whole before their first byte is known. */
export interface CompressedEncoder {
  /** Takes ownership of the samples. */
  encode(samples: Int16Array<ArrayBuffer>, sampleRate: number, format: CompressedFormat): Promise<Uint8Array>
}
