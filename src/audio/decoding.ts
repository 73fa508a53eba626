/** Turns a file of any supported container into samples on disk. */
export interface AudioDecoder {
  /**
   * Writes the audio of `input`, mono PCM16, to the empty file `output`: at 16 kHz and as much as may be transcribed, unless `wanted`
   * says otherwise. Resolves with `cancelled` when the signal aborts. Rejects when the disk fails, or with `DecoderBusy` when too many
   * files wait.
   */
  decode(input: string, output: string, signal: AbortSignal, wanted?: WantedAudio): Promise<DecodeResult>
}

export interface WantedAudio {
  readonly sampleRate: number
  readonly secondsMax: number
  /** What becomes of a longer file: `too_long`, or its beginning. */
  readonly longer: 'refused' | 'cut'
}

/** Messages are written for whoever sent the file. */
export type DecodeResult =
  | { readonly status: 'decoded'; readonly samples: number }
  /** A container or an encoding that is not known. */
  | { readonly status: 'unsupported'; readonly message: string }
  /** A known container whose audio is broken, missing, or takes too long. */
  | { readonly status: 'undecodable'; readonly message: string }
  | { readonly status: 'too_long' }
  | { readonly status: 'cancelled' }

export class DecoderBusy extends Error {}
