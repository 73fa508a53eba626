/** What a worklet function finds in its global scope. */
export interface WorkletScope {
  readonly AudioWorkletProcessor: new () => { readonly port: WorkletPort }
  readonly sampleRate: number
  registerProcessor(
    name: string,
    processor: new (
      // The options are what the node was made with.
      options: never,
    ) => object,
  ): void
}

export interface WorkletPort {
  onmessage: ((event: { readonly data: never }) => void) | null
  postMessage(message: unknown, transfer?: ArrayBuffer[]): void
}

/**
 * A function that registers a processor. It is sent to the audio thread as its own source text, so that no other file has to be fetched:
 * nothing outside its body may be used in it.
 */
export type Worklet = (scope: WorkletScope) => void
