import { map, Subscription } from 'rxjs'
import { FRAME_MS } from '../limits.ts'
import type { PcmFrame, SpokenWord, SynthesisRequest } from '../speech/synthesis.ts'
import { whenAborted } from './abort-signals.ts'
import { CreditWindow, type Outlet } from './credit-window.ts'
import type { Services } from './services.ts'
import { speak } from './speech.ts'

/** An outlet that says when bytes have left. */
export interface StreamOutlet extends Outlet {
  onDrain(callback: () => void): void
}

export interface StreamEnd {
  /** `stopped`: the signal was aborted before the last frame. */
  readonly status: 'completed' | 'failed' | 'stopped'
  /** Set when `failed`. */
  readonly error?: unknown
  readonly chunks: number
  readonly durationMs: number
  /** Where the request asked for them and all were spoken. */
  readonly words?: readonly WordTime[]
}

/** A word as it is written and when it is heard. */
export interface WordTime {
  readonly word: string
  readonly start_ms: number
  readonly end_ms: number
}

/**
 * Speaks to a listener: hands each frame to `deliver` as it comes, never ahead of what the outlet has room for. Aborting
 * the signal stops the engine before anything else happens. Never rejects.
 */
export function streamSpeech(
  services: Pick<Services, 'synthesizer'>,
  request: SynthesisRequest,
  outlet: StreamOutlet,
  signal: AbortSignal,
  deliver: (frame: PcmFrame) => void,
): Promise<StreamEnd> {
  const { sampleRate } = services.synthesizer
  const window = new CreditWindow(outlet)
  const subscription = new Subscription()
  let chunks = 0
  let samples = 0
  const words: WordTime[] = []
  const ms = (count: number) => Math.round((count * 1000) / sampleRate)
  const onWord = ({ word, from, to }: SpokenWord) => void words.push({ word, start_ms: ms(from), end_ms: ms(to) })
  return new Promise((resolve) => {
    const end = (how: Pick<StreamEnd, 'status' | 'error'>) => {
      subscription.unsubscribe()
      stopListening()
      const isTold = request.timestamps === true && how.status === 'completed'
      resolve({ ...how, chunks, durationMs: ms(samples), ...(isTold && { words }) })
    }
    let stopListening = () => {}
    stopListening = whenAborted(signal, () => end({ status: 'stopped' }))
    if (signal.aborted) return

    const delivered = speak(services, request, window.demand, request.timestamps ? onWord : undefined).pipe(
      map((frame) => {
        deliver(frame)
        chunks += 1
        samples += frame.samples.length
      }),
    )
    subscription.add(
      delivered.subscribe({
        next: () => window.settle(),
        error: (error: unknown) => end({ status: 'failed', error }),
        complete: () => end({ status: 'completed' }),
      }),
    )
    outlet.onDrain(() => {
      if (!subscription.closed) window.settle()
    })
    window.settle()
  })
}

/** Bytes of the PCM16 samples of a full frame. */
export function pcmFrameBytes(sampleRate: number): number {
  return Math.ceil((sampleRate * FRAME_MS) / 1000) * 2
}

/** What `done` says of the words: nothing, unless they were asked for. */
export function timesOf({ words }: StreamEnd): { readonly words?: readonly WordTime[] } {
  return words === undefined ? {} : { words }
}
