/** What the main thread asks of the codec worker. */
export interface EncodeMp3Task {
  readonly kind: 'encode-mp3'
  /** Mono PCM16. */
  readonly samples: Int16Array
  readonly sampleRate: number
}

export type CodecTask = EncodeMp3Task
