import { firstValueFrom, fromEvent, map, type Observable, takeUntil, throwIfEmpty, toArray } from 'rxjs'
import type { CompressedFormat } from '../audio/codec-protocol.ts'
import type { CompressedEncoder, Mp3Encoder, Mp3Stream } from '../audio/encoding.ts'
import { joinPcm, pcmBytes } from '../audio/pcm.ts'
import { wavHeader } from '../audio/wav.ts'
import type { PcmFrame } from '../speech/synthesis.ts'

export type AudioFormat = 'mp3' | 'wav'

/** What a file may be encoded as. */
export type FileFormat = AudioFormat | CompressedFormat

export interface AudioFile {
  readonly bytes: Uint8Array
  readonly durationMs: number
}

/** frames → one file, complete with its header. */
export class FileEncoder {
  readonly #mp3: Mp3Encoder
  readonly #compressed: CompressedEncoder

  constructor(mp3: Mp3Encoder, compressed: CompressedEncoder) {
    this.#mp3 = mp3
    this.#compressed = compressed
  }

  /** An MP3 file that is heard while it is made. */
  openMp3(sampleRate: number): Mp3Stream {
    return this.#mp3.openMp3(sampleRate)
  }

  /** Subscribes once. Aborting `signal` unsubscribes at once and rejects with its reason. */
  async encode(
    frames: Observable<PcmFrame>,
    format: FileFormat,
    sampleRate: number,
    signal: AbortSignal,
  ): Promise<AudioFile> {
    signal.throwIfAborted()
    const samples = joinPcm(
      await firstValueFrom(
        frames.pipe(
          map((frame) => frame.samples),
          toArray(),
          takeUntil(fromEvent(signal, 'abort')),
          throwIfEmpty(() => signal.reason),
        ),
      ),
    )
    const durationMs = Math.round((samples.length / sampleRate) * 1_000)
    return { bytes: await this.#encode(samples, format, sampleRate), durationMs }
  }

  async #encode(samples: Int16Array<ArrayBuffer>, format: FileFormat, sampleRate: number): Promise<Uint8Array> {
    switch (format) {
      case 'mp3':
        return this.#mp3.encodeMp3(samples, sampleRate)
      case 'wav': {
        const pcm = pcmBytes(samples)
        return Buffer.concat([wavHeader(sampleRate, pcm.length), pcm])
      }
      case 'opus':
      case 'flac':
        return this.#compressed.encode(samples, sampleRate, format)
    }
  }
}
