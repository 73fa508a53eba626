import type { WorkletScope } from './worklet-scope.ts'

export const PLAYER_PROCESSOR = 'syrinx-player'

export interface PlayerProcessorOptions {
  /** Hz of the samples that will come. */
  readonly sampleRate: number
}

export type PlayerMessage =
  /** Mono PCM16, the processor's from now on. */
  | { readonly type: 'samples'; readonly samples: Int16Array<ArrayBuffer> }
  /** No more samples come. */
  | { readonly type: 'end' }
  | { readonly type: 'pause'; readonly isPaused: boolean }
  /** What is left is not heard. */
  | { readonly type: 'stop' }

export interface PlayerStatus {
  /** `waiting`: nothing has come yet, or too little since it ran dry. */
  readonly state: 'waiting' | 'playing' | 'paused' | 'ended'
  /** Samples heard. */
  readonly played: number
  /** Samples that wait to be heard. */
  readonly buffered: number
  /** Times that playback ran dry. */
  readonly underruns: number
  /** Frames of the context, at its own rate, that were silent because of that. */
  readonly silentFrames: number
}

/**
 * Registers the processor that plays samples without a gap. They wait in a queue and are drawn from it one by one, so where one chunk
 * ends and the next begins can't be heard. Where the context runs at another rate they pass through one windowed sinc filter (Smith,
 * "Digital audio resampling", 1984) that knows nothing of chunks either. It never waits for chunks to be "due": the first is heard at once.
 *
 * Runs dry: the last sample fades out within milliseconds, and playback goes on, faded in, once a tenth of a second has come; twice as much
 * each further time, up to two seconds.
 */
export function playerWorklet(scope: WorkletScope): void {
  /** Time of a fade, so that a pause makes no click. */
  const FADE_SECONDS = 0.005
  /** Gathered after running dry: rather one long gap than many. */
  const RECOVERY_SECONDS = 0.1
  const RECOVERY_SECONDS_MAX = 2
  /** A status is posted every so many blocks of 128 frames. */
  const STATUS_BLOCKS = 12
  /** Zero crossings of the sinc on each side; 16 with this window leave images 70 dB down. */
  const HALF_WIDTH = 16
  const PHASES = 256
  const KAISER_BETA = 8

  class PlayerProcessor extends scope.AudioWorkletProcessor {
    readonly #sampleRate: number
    readonly #step: number
    /** Samples on each side of an output's place; 0 where the rates are equal and samples pass as they are. */
    readonly #half: number
    readonly #kernel: Float32Array
    /** The last samples drawn, written twice so that they are always found in one piece. */
    readonly #window: Float32Array
    #windowAt = 0
    #chunks: Int16Array[] = []
    #chunkAt = 0
    #buffered = 0
    #drawn = 0
    /** Samples to draw before the next output, and the fraction it lies beyond the last of them. */
    #due: number
    #gain = 1
    #last = 0
    #isPaused = false
    #isStopping = false
    #hasEnd = false
    #state: PlayerStatus['state'] = 'waiting'
    /** Zeros that follow the last sample, for the filter to run out on. */
    #tail: number
    #underruns = 0
    #silentFrames = 0
    #blocks = 0

    constructor({ processorOptions }: { readonly processorOptions: PlayerProcessorOptions }) {
      super()
      this.#sampleRate = processorOptions.sampleRate
      this.#step = this.#sampleRate / scope.sampleRate
      this.#half = this.#step === 1 ? 0 : HALF_WIDTH
      this.#tail = this.#half
      this.#due = this.#half + 1
      this.#window = new Float32Array(4 * this.#half)
      this.#kernel = this.#step === 1 ? new Float32Array(0) : sincTable(Math.min(1, 1 / this.#step))
      this.port.onmessage = ({ data }: { readonly data: PlayerMessage }) => this.#receive(data)
    }

    process(_inputs: unknown, outputs: readonly (readonly Float32Array[])[]): boolean {
      const before = this.#state
      const [left, ...others] = outputs[0] ?? []
      if (left !== undefined) {
        for (let i = 0; i < left.length; i++) left[i] = this.#nextFrame()
        for (const channel of others) channel.set(left)
      }
      this.#blocks++
      if (this.#state !== before || this.#blocks % STATUS_BLOCKS === 0) this.#postStatus()
      return this.#state !== 'ended'
    }

    #receive(message: PlayerMessage): void {
      if (message.type === 'samples') {
        this.#chunks.push(message.samples)
        this.#buffered += message.samples.length
      } else if (message.type === 'end') this.#hasEnd = true
      else if (message.type === 'pause') this.#isPaused = message.isPaused
      else {
        this.#isStopping = true
        this.#hasEnd = true
      }
    }

    #nextFrame(): number {
      if (this.#state === 'ended') return 0
      const isHeld = this.#isPaused || this.#isStopping
      if (isHeld && this.#gain === 0) {
        this.#state = this.#isStopping ? 'ended' : 'paused'
        return 0
      }
      if (!this.#hasNext()) return this.#runDry()
      this.#state = 'playing'
      for (; this.#due >= 1; this.#due--) this.#draw()
      const value = this.#half === 0 ? this.#last : this.#interpolated()
      this.#last = value
      this.#due += this.#step
      const frame = value * this.#gain
      const fade = 1 / (FADE_SECONDS * scope.sampleRate)
      this.#gain = isHeld ? Math.max(0, this.#gain - fade) : Math.min(1, this.#gain + fade)
      return frame
    }

    /** Whether the next output can be made. After running dry only once enough has come again. */
    #hasNext(): boolean {
      const available = this.#buffered + (this.#hasEnd ? this.#tail : 0)
      if (available < Math.floor(this.#due)) return false
      const isRecovering = this.#state === 'waiting' && this.#drawn > 0
      if (!isRecovering || this.#hasEnd) return true
      const seconds = Math.min(RECOVERY_SECONDS_MAX, RECOVERY_SECONDS * 2 ** (this.#underruns - 1))
      return this.#buffered >= seconds * this.#sampleRate
    }

    #runDry(): number {
      if (this.#hasEnd) this.#state = 'ended'
      else if (this.#drawn > 0) {
        if (this.#state === 'playing') this.#underruns++
        this.#silentFrames++
        this.#state = 'waiting'
        this.#gain = 0
      } else {
        this.#state = 'waiting'
        if (this.#isPaused) this.#gain = 0
      }
      this.#last *= 0.97
      return this.#last
    }

    #draw(): void {
      const sample = this.#takeSample()
      this.#drawn++
      if (this.#half === 0) {
        this.#last = sample
        return
      }
      const size = 2 * this.#half
      this.#window[this.#windowAt] = sample
      this.#window[this.#windowAt + size] = sample
      this.#windowAt = (this.#windowAt + 1) % size
    }

    #takeSample(): number {
      for (let chunk = this.#chunks[0]; chunk !== undefined; chunk = this.#chunks[0]) {
        if (this.#chunkAt < chunk.length) {
          this.#buffered--
          return (chunk[this.#chunkAt++] ?? 0) / 32_768
        }
        this.#chunks.shift()
        this.#chunkAt = 0
      }
      this.#tail--
      return 0
    }

    /** The signal `#due` of a sample beyond the middle of the window. */
    #interpolated(): number {
      const size = 2 * this.#half
      const phase = this.#due * PHASES
      const row = Math.floor(phase)
      const fraction = phase - row
      let sum = 0
      for (let i = 0, at = row * size; i < size; i++, at++) {
        const low = this.#kernel[at] ?? 0
        const high = this.#kernel[at + size] ?? 0
        sum += (this.#window[this.#windowAt + i] ?? 0) * (low + fraction * (high - low))
      }
      return sum
    }

    #postStatus(): void {
      const status: PlayerStatus = {
        state: this.#state,
        // The filter looks ahead by half its width.
        played: Math.max(0, this.#drawn - this.#half),
        buffered: this.#buffered,
        underruns: this.#underruns,
        silentFrames: this.#silentFrames,
      }
      this.port.postMessage(status)
    }
  }

  /** Row `p`: weights of the window's samples for a place `p / PHASES` beyond its middle. `cutoff`: 1 keeps the whole band. */
  function sincTable(cutoff: number): Float32Array {
    const size = 2 * HALF_WIDTH
    const table = new Float32Array((PHASES + 1) * size)
    for (let phase = 0; phase <= PHASES; phase++) {
      const row = table.subarray(phase * size, (phase + 1) * size)
      let sum = 0
      for (let i = 0; i < size; i++) {
        const distance = i - (HALF_WIDTH - 1) - phase / PHASES
        const edge = distance / HALF_WIDTH
        const window = Math.abs(edge) < 1 ? bessel(KAISER_BETA * Math.sqrt(1 - edge * edge)) / bessel(KAISER_BETA) : 0
        const angle = Math.PI * cutoff * distance
        row[i] = window * (angle === 0 ? 1 : Math.sin(angle) / angle)
        sum += row[i] ?? 0
      }
      // A constant signal stays what it is, whatever the phase.
      for (let i = 0; i < size; i++) row[i] = (row[i] ?? 0) / sum
    }
    return table
  }

  /** Modified Bessel function of the first kind, order 0, as its power series. */
  function bessel(x: number): number {
    let [sum, term] = [1, 1]
    for (let k = 1; term > sum * 1e-9; k++) {
      term *= (x / (2 * k)) ** 2
      sum += term
    }
    return sum
  }

  scope.registerProcessor('syrinx-player', PlayerProcessor)
}
