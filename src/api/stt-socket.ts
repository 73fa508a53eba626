import { concatMap } from 'rxjs'
import {
  SOCKET_START_WAIT_MS,
  STREAM_BUFFER_BYTES_MAX,
  STT_FRAME_BYTES_MAX,
  STT_IDLE_MS_MAX,
  STT_LULL_MS,
  STT_PARTIAL_BUFFER_BYTES_MAX,
} from '../limits.ts'
import { SEGMENTER_SETTINGS, TURN_SEGMENTER_SETTINGS } from '../speech/segmenter.ts'
import type { SpeechMode } from '../speech/speech-modes.ts'
import { whenAborted } from './abort-signals.ts'
import { findPlace } from './admission.ts'
import { authenticate, authenticateKey, type Caller } from './authenticate.ts'
import { parseJsonObject } from './body.ts'
import { sttSocketChannel } from './documents/stt-socket.ts'
import { ApiError } from './errors.ts'
import type { SocketRoute, SocketSession } from './exchange.ts'
import { LiveTranscript, type TranscriptMessage } from './live-transcript.ts'
import { Microphone, type MicrophoneRefusal } from './microphone.ts'
import { STT_SOCKET_PATH } from './public-urls.ts'
import type { LiveListener, Services } from './services.ts'
import { requireAllowance, requireStillValid } from './stt-allowance.ts'
import { type Ending, endingAfter, endingWithoutPlace, LIMITS, NOT_STARTED, STOPPED } from './stt-endings.ts'
import { asSttError } from './stt-errors.ts'
import { type ListeningStart, listeningStart, speechModeOfQuery } from './stt-fields.ts'

/*
 * One socket listens to one microphone. Its states, and what closes it (D29):
 *
 *   idle ──start──▶ started ──stop──▶ draining ──everything told──▶ closed 1000
 *    │                 │                  ▲ │
 *    │                 │                  │ ╰─ after an `error`, where not `stop` but a limit ended it ─▶ 1008
 *    │                 ├─ nothing came for two minutes, or half an hour of audio did
 *    │                 ├─ any message but audio, commit (manual mode) and stop ─▶ 4400
 *    │                 ├─ audio too far ahead, a client that does not read ─────▶ 1008
 *    │                 ├─ the allowance is used up ─────────────────────────────▶ 1008
 *    │                 ├─ the key is no longer good ────────────────────────────▶ 4401
 *    │                 └─ the recogniser or the disk fails ─────────────────────▶ 1011
 *    ├─ no usable key ────────────────────────────────────────▶ 4401
 *    ├─ no `start` in 10 s, or a bad one, or a bad language ──▶ 4400
 *    ├─ no characters left ───────────────────────────────────▶ 1008
 *    ├─ no model, or not for this language ───────────────────▶ 1011
 *    └─ the node is full, or loading its models 1013, or shutting down 1012
 *
 *   From anywhere: the client leaves, and everything stops; the node's time to drain is over ─▶ 1012.
 *
 * Every close but 1000 and the client's own follows an `error`. What comes while the socket drains is not listened to.
 */
type State =
  | { readonly name: 'idle'; readonly speechMode: SpeechMode; readonly stopWaiting: () => void }
  | { readonly name: 'started'; readonly microphone: Microphone; readonly mode: ListeningStart['mode'] }
  | { readonly name: 'draining' }
  | { readonly name: 'closed' }

type Message = string | Uint8Array

/** `WS /api/public/v1/stt/ws`: writes down what is said into a microphone, while it is said. */
export function sttSocket(services: Services): SocketRoute {
  return {
    path: STT_SOCKET_PATH,
    channel: sttSocketChannel,
    messageBytesMax: STT_FRAME_BYTES_MAX,
    open: (session) => new SttSocket(services, session).open(),
  }
}

class SttSocket {
  readonly #services: Services
  readonly #session: SocketSession
  readonly #cleanups: (() => void)[] = []
  #caller: Caller | undefined
  #state: State | undefined
  /** What ends a session that did not end itself. */
  #ending: Ending | undefined
  #stopWatching = () => {}

  constructor(services: Services, session: SocketSession) {
    this.#services = services
    this.#session = session
  }

  /** → idle. Nothing is spent before there is a final word, so the place may come last. */
  open(): void {
    const { clock, lifecycle } = this.#services
    const session = this.#session
    session.onMessage((message) => this.#receive(message))
    this.#atClose(whenAborted(session.closed, () => this.#close(1000, 'left')))
    this.#guard(() => {
      if (this.#hasClosed()) return
      this.#caller = authenticateSocket(this.#services, session)
      this.#requireTranscriber()
      const speechMode = speechModeOfQuery(session.request)
      requireAllowance(this.#services, this.#caller)
      const place = findPlace(this.#services, { pace: 'listening' })
      if (place.status === 'refused') {
        this.#end(endingWithoutPlace(place))
        return
      }
      this.#atClose(place.release)
      const stopWaiting = clock.after(SOCKET_START_WAIT_MS, () => this.#end(NOT_STARTED))
      this.#atClose(stopWaiting)
      this.#atClose(whenAborted(lifecycle.stopped, () => this.#end(STOPPED)))
      this.#state = { name: 'idle', speechMode, stopWaiting }
    })
  }

  /** The one driver: whatever a message leads to begins here. */
  #receive(message: Message): void {
    const state = this.#state
    this.#guard(() => {
      if (state?.name === 'idle') this.#start(state, message)
      else if (state?.name === 'started') this.#listen(state, message)
    })
  }

  /** idle → started. */
  #start({ speechMode: named, stopWaiting }: State & { name: 'idle' }, message: Message): void {
    const { clock, observer } = this.#services
    const caller = this.#requireCaller()
    const transcriber = this.#requireTranscriber()
    const start = listeningStart(parseMessage(message, 'the first message must be start, as a text frame'))
    const speechMode = start.language ?? named
    const answer = transcriber.canRecognize(speechMode)
    if (answer.status === 'not_recognized') throw new ApiError('model_not_ready', answer.message)
    requireStillValid(this.#services, caller)
    requireAllowance(this.#services, caller)

    stopWaiting()
    const { mode } = start
    const microphone = new Microphone(start, clock)
    this.#state = { name: 'started', microphone, mode }
    this.#atClose(observer.listeningBegan(mode))
    const source = { id: this.#session.id, caller, mode, speechMode }
    const transcript = new LiveTranscript(this.#services, source, (event) => this.#tell(event))
    const { inputs, demand, progress } = microphone
    const segmenter = mode === 'auto' ? SEGMENTER_SETTINGS : TURN_SEGMENTER_SETTINGS
    const telling = transcriber
      .listen(inputs, { mode: speechMode, segmenter, demand, progress })
      .pipe(concatMap((event) => transcript.tell(event)))
      .subscribe({
        error: (error) => this.#explain(error),
        complete: () => this.#guard(() => this.#finish(transcript, microphone)),
      })
    this.#atClose(() => telling.unsubscribe())
    this.#atClose(() => this.#log(transcript, microphone, mode))
    this.#atClose(() => this.#stopWatching())
    this.#watch(microphone)
  }

  #listen({ microphone, mode }: State & { name: 'started' }, message: Message): void {
    if (typeof message !== 'string') {
      this.#handle(microphone, microphone.hear(message))
      return
    }
    const { type } = parseMessage(message)
    if (type === 'stop') {
      this.#drain(microphone)
      return
    }
    if (type !== 'commit') throw new ApiError('BAD_REQUEST', 'type must be commit or stop once the session has started')
    if (mode === 'auto') throw new ApiError('BAD_REQUEST', 'type must be stop in auto mode: commit is for manual mode')
    this.#handle(microphone, microphone.commit())
  }

  #handle(microphone: Microphone, refusal: MicrophoneRefusal | undefined): void {
    // What still belongs to the session is told first.
    if (refusal === 'too_long') this.#drain(microphone, LIMITS.too_long)
    else if (refusal !== undefined) this.#end(LIMITS[refusal])
  }

  /** started → draining. */
  #drain(microphone: Microphone, ending?: Ending): void {
    this.#state = { name: 'draining' }
    this.#ending = ending
    microphone.stop()
  }

  /** draining → closed, when everything has been told. */
  #finish(transcript: LiveTranscript, microphone: Microphone): void {
    transcript.finish(microphone.seconds)
    if (this.#ending !== undefined) this.#end(this.#ending)
    else this.#close(1000, 'final')
  }

  /** Looks after a line on which nothing comes, for as long as the session lasts. */
  #watch(microphone: Microphone): void {
    const { clock } = this.#services
    this.#stopWatching = clock.after(STT_LULL_MS, () => {
      if (this.#state?.name !== 'started') return
      microphone.settle()
      if (microphone.silentMs < STT_IDLE_MS_MAX) this.#watch(microphone)
      else this.#drain(microphone, LIMITS.idle)
    })
  }

  /** Partials are left out for a client that reads slowly; one that does not read at all has its session ended. */
  #tell(message: TranscriptMessage): void {
    const { bufferedBytes } = this.#session
    if (message.type === 'partial' && bufferedBytes > STT_PARTIAL_BUFFER_BYTES_MAX) return
    if (bufferedBytes > STREAM_BUFFER_BYTES_MAX) {
      this.#end(LIMITS.unread)
      return
    }
    this.#send(message)
  }

  #requireCaller(): Caller {
    if (this.#caller !== undefined) return this.#caller
    throw new Error('a session without a caller is never started')
  }

  #requireTranscriber(): LiveListener {
    const { liveTranscriber } = this.#services
    if (liveTranscriber !== undefined) return liveTranscriber
    throw new ApiError('SERVICE_NOT_CONFIGURED', 'this node has no speech-to-text model: see syrinx models')
  }

  #guard(action: () => void): void {
    try {
      action()
    } catch (error) {
      this.#explain(error)
    }
  }

  #explain(error: unknown): void {
    if (this.#hasClosed()) return
    this.#end(endingAfter(asSttError(error, 'listening', this.#session.id, this.#services.log)))
  }

  #end({ code, message, closeCode }: Ending): void {
    if (this.#hasClosed()) return
    this.#services.observer.errorTold(code)
    this.#send({ type: 'error', code, message })
    this.#close(closeCode, 'error')
  }

  /** The one way out, taken once: stops the work and gives the place back. */
  #close(closeCode: number, reason: string): void {
    if (this.#hasClosed()) return
    this.#state = { name: 'closed' }
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    this.#session.end(closeCode, reason)
  }

  #log(transcript: LiveTranscript, microphone: Microphone, mode: ListeningStart['mode']): void {
    const fields = {
      requestId: this.#session.id,
      keyId: this.#caller?.key.id,
      mode,
      audioSeconds: microphone.seconds,
      told: transcript.told,
      characters: transcript.characters,
    }
    this.#services.log.info(fields, 'listening ended')
  }

  /** What was being paid for when the session closed is not told any more. */
  #send(event: object): void {
    if (!this.#hasClosed()) this.#session.send(JSON.stringify(event))
  }

  #atClose(cleanup: () => void): void {
    if (this.#hasClosed()) cleanup()
    else this.#cleanups.push(cleanup)
  }

  #hasClosed(): boolean {
    return this.#state?.name === 'closed'
  }
}

/** The key comes in the address, or in `Authorization` where a client can set it. */
function authenticateSocket(services: Services, session: SocketSession): Caller {
  const required = { kinds: ['stt'], scope: 'stt.stream' } as const
  const token = session.request.query.get('token')
  return token === null ? authenticate(services, session, required) : authenticateKey(services, token, required)
}

function parseMessage(message: Message, rule = 'message must be a text frame'): { readonly type?: unknown } {
  if (typeof message !== 'string') throw new ApiError('BAD_REQUEST', rule)
  return parseJsonObject(message, 'message')
}
