import { pcmBytes } from '../../audio/pcm.ts'
import { wavStreamHeader } from '../../audio/wav.ts'
import type { Services } from '../services.ts'
import type { SpeechFormat } from './speech-fields.ts'

/** Encodes speech while it is made. One call at a time, and at the end `finish` or `discard`. */
export interface PieceEncoder {
  /** The bytes that these samples complete, perhaps none. */
  push(samples: Int16Array): Promise<Uint8Array>
  finish(): Promise<Uint8Array>
  discard(): void
}

export type StreamedFormat = Exclude<SpeechFormat, 'opus' | 'flac'>

export function pieceEncoder({ encoder, synthesizer }: EncodingServices, format: StreamedFormat): PieceEncoder {
  const { sampleRate } = synthesizer
  switch (format) {
    case 'pcm':
      return uncompressed(NOTHING)
    case 'wav':
      return uncompressed(wavStreamHeader(sampleRate))
    case 'mp3': {
      const stream = encoder.openMp3(sampleRate)
      // A copy: what is handed over goes to another thread.
      return { ...stream, push: (samples) => stream.push(samples.slice()) }
    }
  }
}

export type EncodingServices = Pick<Services, 'encoder' | 'synthesizer'>

const NOTHING = new Uint8Array(0)

function uncompressed(header: Uint8Array): PieceEncoder {
  let ahead = header
  return {
    async push(samples) {
      const bytes = Buffer.concat([ahead, pcmBytes(samples)])
      ahead = NOTHING
      return bytes
    },
    finish: async () => ahead,
    discard() {},
  }
}
