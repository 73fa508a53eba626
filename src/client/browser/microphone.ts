import { MICROPHONE_PROCESSOR, type MicrophoneChunk, microphoneWorklet } from './microphone-worklet.ts'
import { requireMicrophones, requireWorklets } from './requirements.ts'
import { addWorklet } from './worklet.ts'

export interface MicrophoneOptions {
  /** Default: the user's microphone, which the browser asks leave for. */
  readonly stream?: MediaStream
  /** Level of each 40 ms: root mean square, 0 to 1. */
  readonly onLevel?: (level: number) => void
  /** Aborted while the user is asked: `open` rejects with its reason, and a microphone that is granted afterwards is switched off. */
  readonly signal?: AbortSignal
}

/** A microphone can't be told to wait. What is unread for longer than the service would take at once is an error. */
const UNREAD_SECONDS_MAX = 30

/**
 * A microphone as samples, for `SyrinxClient.listen`. Iterate over it once; leaving the loop switches it off. Rejects where the reader
 * has fallen too far behind. Browsers only.
 */
export class Microphone implements AsyncIterable<Int16Array<ArrayBuffer>> {
  /** Hz. */
  readonly sampleRate: number
  readonly #context: AudioContext
  readonly #stream: MediaStream
  readonly #isOwn: boolean
  readonly #chunks: Int16Array<ArrayBuffer>[] = []
  #unread = 0
  #isStopped = false
  #isOverrun = false
  #wake = () => {}

  /**
   * Rejects with a `DOMException`: the browser's where there is no microphone, or no leave to use it, and one that says what the page lacks
   * to ask for it.
   */
  static async open({ stream, onLevel, signal }: MicrophoneOptions = {}): Promise<Microphone> {
    requireWorklets()
    if (stream === undefined) requireMicrophones()
    const media = stream ?? (await askForMicrophone(signal))
    try {
      const { context, source } = listenTo(media)
      const microphone = new Microphone(context, media, stream === undefined)
      await Promise.all([addWorklet(context, microphoneWorklet), context.resume()])
      microphone.#connect(source, onLevel)
      return microphone
    } catch (error) {
      if (stream === undefined) release(media)
      throw error
    }
  }

  private constructor(context: AudioContext, stream: MediaStream, isOwn: boolean) {
    this.sampleRate = context.sampleRate
    this.#context = context
    this.#stream = stream
    this.#isOwn = isOwn
  }

  /** Switches it off; what has been heard is still handed on. */
  stop(): void {
    if (this.#isStopped) return
    this.#isStopped = true
    if (this.#isOwn) release(this.#stream)
    void this.#context.close()
    this.#wake()
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Int16Array<ArrayBuffer>, void> {
    try {
      for (;;) {
        const chunk = this.#chunks.shift()
        if (chunk !== undefined) {
          this.#unread -= chunk.length
          yield chunk
        } else if (this.#isOverrun) throw new Error('what the microphone heard was not read in time')
        else if (this.#isStopped) return
        else await this.#something()
      }
    } finally {
      this.stop()
    }
  }

  #connect(source: MediaStreamAudioSourceNode, onLevel: MicrophoneOptions['onLevel']): void {
    const node = new AudioWorkletNode(this.#context, MICROPHONE_PROCESSOR, {
      channelCount: 1,
      channelCountMode: 'explicit',
    })
    node.port.onmessage = ({ data: { samples, level } }: MessageEvent<MicrophoneChunk>) => {
      if (this.#isStopped) return
      this.#chunks.push(samples)
      this.#unread += samples.length
      onLevel?.(level)
      this.#wake()
      if (this.#unread <= UNREAD_SECONDS_MAX * this.sampleRate) return
      this.#isOverrun = true
      this.stop()
    }
    // Its output is silent. A node that leads nowhere may not be run at all.
    source.connect(node).connect(this.#context.destination)
    for (const track of this.#stream.getAudioTracks()) track.addEventListener('ended', () => this.stop())
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

function askForMicrophone(signal: AbortSignal | undefined): Promise<MediaStream> {
  const answered = new AbortController()
  return new Promise<MediaStream>((resolve, reject) => {
    signal?.throwIfAborted()
    signal?.addEventListener('abort', () => reject(signal.reason), { signal: answered.signal })
    navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1 } }).then((media) => {
      if (signal?.aborted) release(media)
      resolve(media)
    }, reject)
  }).finally(() => answered.abort())
}

/** At 16 kHz, which is all a recogniser hears, where the browser can convert; Firefox can't, and keeps the device's own rate. */
function listenTo(stream: MediaStream): { context: AudioContext; source: MediaStreamAudioSourceNode } {
  const rates = [{ sampleRate: 16_000 }, {}]
  for (const options of rates) {
    const context = new AudioContext(options)
    try {
      return { context, source: context.createMediaStreamSource(stream) }
    } catch (error) {
      void context.close()
      if (options === rates.at(-1)) throw error
    }
  }
  throw new Error('unreachable')
}

function release(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop()
}
