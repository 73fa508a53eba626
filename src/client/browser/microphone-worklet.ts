import type { WorkletScope } from './worklet-scope.ts'

export const MICROPHONE_PROCESSOR = 'syrinx-microphone'

export interface MicrophoneChunk {
  readonly samples: Int16Array<ArrayBuffer>
  /** Root mean square, 0 to 1. */
  readonly level: number
}

/** Registers the processor that hands on what a microphone hears in chunks of 40 ms. */
export function microphoneWorklet(scope: WorkletScope): void {
  const CHUNK_SECONDS = 0.04

  class MicrophoneProcessor extends scope.AudioWorkletProcessor {
    readonly #size = Math.round(CHUNK_SECONDS * scope.sampleRate)
    #samples = new Int16Array(this.#size)
    #filled = 0
    #energy = 0

    process(inputs: readonly (readonly Float32Array[])[]): boolean {
      const [channel] = inputs[0] ?? []
      for (const value of channel ?? []) {
        const limited = Math.max(-1, Math.min(1, value))
        this.#energy += limited * limited
        this.#samples[this.#filled++] = Math.round(limited * 32_767)
        if (this.#filled === this.#size) this.#post()
      }
      return true
    }

    #post(): void {
      const chunk: MicrophoneChunk = { samples: this.#samples, level: Math.sqrt(this.#energy / this.#size) }
      this.port.postMessage(chunk, [this.#samples.buffer])
      this.#samples = new Int16Array(this.#size)
      this.#filled = 0
      this.#energy = 0
    }
  }

  scope.registerProcessor('syrinx-microphone', MicrophoneProcessor)
}
