import { firstValueFrom, fromEvent, map, type Observable, takeUntil, throwIfEmpty, toArray } from 'rxjs'
import { joinPcm, pcmBytes } from '../audio/pcm.ts'
import { wavHeader } from '../audio/wav.ts'
import type { PcmFrame } from '../speech/synthesis.ts'

export type AudioFormat = 'mp3' | 'wav'

/** Makes MP3 files; takes ownership of the samples. */
export interface Mp3Encoder {
  encodeMp3(samples: Int16Array<ArrayBuffer>, sampleRate: number): Promise<Uint8Array>
}

export interface AudioFile {
  readonly bytes: Uint8Array
  readonly durationMs: number
}

/** frames → one file, complete with its header. */
export class FileEncoder {
  readonly #mp3: Mp3Encoder

  constructor(mp3: Mp3Encoder) {
    this.#mp3 = mp3
  }

  /** Subscribes once. Aborting `signal` unsubscribes at once and rejects with its reason. */
  async encode(
    frames: Observable<PcmFrame>,
    format: AudioFormat,
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
    if (format === 'mp3') return { bytes: await this.#mp3.encodeMp3(samples, sampleRate), durationMs }
    const pcm = pcmBytes(samples)
    return { bytes: Buffer.concat([wavHeader(sampleRate, pcm.length), pcm]), durationMs }
  }
}
