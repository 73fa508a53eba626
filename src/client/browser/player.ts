import type { Speech } from '../client.ts'
import { PLAYER_PROCESSOR, type PlayerMessage, type PlayerStatus, playerWorklet } from './player-worklet.ts'
import { requireWorklets } from './requirements.ts'
import { addWorklet } from './worklet.ts'

export type { PlayerStatus } from './player-worklet.ts'

export interface PlayerOptions {
  /** Default: one of the player's own, at the rate at which Syrinx speaks, closed with the player. */
  readonly context?: AudioContext
}

export interface PlayOptions {
  /** 0 to 1; default 1. */
  readonly volume?: number
  /** Sees all samples as they come, before they are heard. Must not keep or change them. */
  readonly onSamples?: (samples: Int16Array<ArrayBuffer>) => void
  /** Called some twenty times a second while it plays, and at each change of state. */
  readonly onStatus?: (status: PlayerStatus) => void
  /** Aborting it stops playback and cancels the speech. */
  readonly signal?: AbortSignal
}

/** Plays a speech, heard from its first samples on. Call it where a click is handled, or the browser keeps it mute. */
export async function play(speech: Speech, options: PlayOptions = {}): Promise<Playback> {
  const player = await Player.open()
  const playback = player.play(speech, options)
  const close = () => player.close()
  void playback.ended.then(close, close)
  return playback
}

/** Where speech is heard: opened once, best while the text is on its way. Browsers only. */
export class Player {
  readonly context: AudioContext
  readonly #isOwn: boolean

  /** Rejects with a `DOMException` that says what the page lacks. */
  static async open({ context }: PlayerOptions = {}): Promise<Player> {
    requireWorklets()
    const player = new Player(context ?? new AudioContext({ sampleRate: 24_000, latencyHint: 'interactive' }), !context)
    // Not awaited: without a click the browser keeps it pending until there is one, or rejects it when the context is closed.
    player.context.resume().catch(() => {})
    try {
      await addWorklet(player.context, playerWorklet)
      return player
    } catch (error) {
      await player.close()
      throw error
    }
  }

  private constructor(context: AudioContext, isOwn: boolean) {
    this.context = context
    this.#isOwn = isOwn
  }

  play(speech: Speech, options: PlayOptions = {}): Playback {
    return new Playback(this.context, speech, options)
  }

  async close(): Promise<void> {
    if (this.#isOwn && this.context.state !== 'closed') await this.context.close()
  }
}

/** Speech is read this far ahead of what is heard, so that a long text does not lie in memory twice. */
const READ_AHEAD_SECONDS = 60

/** One speech being heard. */
export class Playback {
  /** Resolves when the last sample was heard, or after `stop`. Rejects when the speech failed; what had come is still heard. */
  readonly ended: Promise<void>
  /** Where the sound comes out, connected to the context's destination: for a meter. */
  readonly output: GainNode
  readonly #node: AudioWorkletNode
  readonly #speech: Speech
  readonly #onStatus: ((status: PlayerStatus) => void) | undefined
  #status: PlayerStatus = { state: 'waiting', played: 0, buffered: 0, underruns: 0, silentFrames: 0 }
  #written = 0
  #wake = () => {}

  /** Made by `Player.play`. */
  constructor(context: AudioContext, speech: Speech, { volume = 1, onSamples, onStatus, signal }: PlayOptions) {
    this.#speech = speech
    this.#onStatus = onStatus
    this.output = new GainNode(context, { gain: volume })
    this.#node = new AudioWorkletNode(context, PLAYER_PROCESSOR, {
      numberOfInputs: 0,
      outputChannelCount: [1],
      processorOptions: { sampleRate: speech.sampleRate },
    })
    this.#node.connect(this.output).connect(context.destination)
    this.#node.port.onmessage = ({ data }: MessageEvent<PlayerStatus>) => this.#update(data)
    const over = new AbortController()
    context.addEventListener('statechange', () => this.#wake(), { signal: over.signal })
    signal?.addEventListener('abort', () => this.stop(), { signal: over.signal })
    if (signal?.aborted) this.stop()
    this.ended = this.#run(onSamples).finally(() => over.abort())
  }

  get status(): PlayerStatus {
    return this.#status
  }

  /** Seconds heard. */
  get position(): number {
    return this.#status.played / this.#speech.sampleRate
  }

  get volume(): number {
    return this.output.gain.value
  }

  set volume(volume: number) {
    // Ten milliseconds, so that it makes no click.
    this.output.gain.setTargetAtTime(volume, this.output.context.currentTime, 0.01)
  }

  pause(): void {
    this.#post({ type: 'pause', isPaused: true })
  }

  resume(): void {
    this.#post({ type: 'pause', isPaused: false })
  }

  /** Ends it now, and the speech with it. */
  stop(): void {
    this.#post({ type: 'stop' })
    this.#speech.cancel()
  }

  async #run(onSamples: PlayOptions['onSamples']): Promise<void> {
    try {
      for await (const samples of this.#speech) {
        onSamples?.(samples)
        this.#written += samples.length
        this.#post({ type: 'samples', samples }, [samples.buffer])
        while (this.#ahead > READ_AHEAD_SECONDS && this.#isOn) await this.#change()
      }
    } finally {
      this.#post({ type: 'end' })
      while (this.#isOn) await this.#change()
      this.#node.disconnect()
      this.output.disconnect()
    }
  }

  get #isOn(): boolean {
    return this.#status.state !== 'ended' && this.output.context.state !== 'closed'
  }

  get #ahead(): number {
    return (this.#written - this.#status.played) / this.#speech.sampleRate
  }

  #update(status: PlayerStatus): void {
    this.#status = status
    this.#wake()
    this.#onStatus?.(status)
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  #post(message: PlayerMessage, transfer: ArrayBuffer[] = []): void {
    this.#node.port.postMessage(message, transfer)
  }
}
