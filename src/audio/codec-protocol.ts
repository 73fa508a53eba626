/** What the main thread asks of the codec thread. The pieces of a stream come in order, and its first one opens it. */
export type CodecTask =
  | {
      readonly kind: 'encode-mp3'
      readonly stream: number
      /** Mono PCM16. */
      readonly samples: Int16Array
      readonly sampleRate: number
    }
  | { readonly kind: 'finish-mp3'; readonly stream: number }
  /** Nobody wants the rest. */
  | { readonly kind: 'discard-mp3'; readonly stream: number }

/** What the main thread asks of the FFmpeg thread that encodes: a whole file. */
export interface EncodeTask {
  /** Mono PCM16. */
  readonly samples: Int16Array
  readonly sampleRate: number
  readonly format: CompressedFormat
}

/** Opus in an Ogg file, or FLAC. */
export type CompressedFormat = 'opus' | 'flac'
