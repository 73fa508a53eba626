import { pcmBytes } from '../audio/pcm.ts'
import type { Generation, StreamToken } from '../ledger/ledger.ts'
import { SOCKET_START_WAIT_MS } from '../limits.ts'
import type { Voice } from '../speech/voice.ts'
import { whenAborted } from './abort-signals.ts'
import { findPlace } from './admission.ts'
import { parseJsonObject } from './body.ts'
import { ttsSocketChannel } from './documents/tts-socket.ts'
import type { ErrorCode } from './error-codes.ts'
import { ApiError, describe } from './errors.ts'
import type { SocketRoute, SocketSession } from './exchange.ts'
import { parseFields, StartFields } from './fields.ts'
import { recordGeneration } from './history.ts'
import { TTS_SOCKET_PATH } from './public-urls.ts'
import type { Services } from './services.ts'
import { requireSpoken, synthesisRequest } from './speech.ts'
import { pcmFrameBytes, type StreamOutlet, streamSpeech, timesOf } from './speech-stream.ts'
import { requireFeatures } from './voice-access.ts'
import type { WavWriter } from './wav-writer.ts'

/*
 * One socket speaks one text. Its states, and what closes it (D18, D24):
 *
 *   opening ──▶ waiting ──▶ speaking ──▶ closed 1000, after `done`
 *      │           │            │
 *      │           │            ├─ `cancel` ────────────────▶ 1000, after `cancelled`
 *      │           │            ├─ the engine or disk fails ─▶ 1011
 *      │           │            └─ any other message ───────▶ 4400
 *      │           ├─ no `start` in 10 s, or a bad one ─────▶ 4400
 *      │           └─ the voice is gone ────────────────────▶ 1011
 *      ├─ the features of the voice are lost ───────────────▶ 1011: the token is not spent
 *      ├─ no such token, or spent, or expired ──────────────▶ 4401
 *      └─ the node is full 1013, or shutting down 1012: the token is not spent
 *
 *   From anywhere: the client leaves, and everything stops; the node's time to drain is over ─▶ 1012.
 *
 * The token is spent between `opening` and `waiting`. Messages that come earlier are kept until then. Every close but the
 * client's own follows exactly one event `done`, `cancelled` or `error`.
 */
type State =
  | { readonly name: 'opening' }
  | { readonly name: 'waiting'; readonly token: StreamToken; readonly stopWaiting: () => void }
  | { readonly name: 'speaking' }
  | { readonly name: 'closed'; readonly outcome: Generation['outcome'] }

type Message = string | Uint8Array
type SocketEvent = Readonly<Record<string, unknown>> & { readonly type: string }

/** `WS /ws/tts/stream`: speaks one text, paid for with its token, as binary frames of PCM16. */
export function ttsSocket(services: Services): SocketRoute {
  return {
    path: TTS_SOCKET_PATH,
    channel: ttsSocketChannel,
    open: (session) => void new TtsSocket(services, session).open(),
  }
}

/** The only mode there is. */
const MODE = 'fast'
const WAY = 'websocket'
/** A `start` and a `cancel`: nothing else makes sense before the token is spent. */
const EARLY_MESSAGES_MAX = 2

class TtsSocket {
  readonly #services: Services
  readonly #session: SocketSession
  readonly #early: Message[] = []
  readonly #cleanups: (() => void)[] = []
  #state: State = { name: 'opening' }

  constructor(services: Services, session: SocketSession) {
    this.#services = services
    this.#session = session
    session.onMessage((message) => this.#receive(message))
    this.#atClose(whenAborted(session.closed, () => this.#close(undefined, 1000, 'cancelled')))
    this.#atClose(
      whenAborted(services.lifecycle.stopped, () => this.#fail('BACKEND_ERROR', 'the node is shutting down', 1012)),
    )
  }

  /** opening → waiting. A place comes before the token: who is sent away keeps it (D18). Never rejects. */
  async open(): Promise<void> {
    const { ledger, clock } = this.#services
    try {
      if (this.#hasClosed()) return
      const plaintext = this.#session.request.query.get('token') ?? ''
      const offered = ledger.peekToken(plaintext)
      if (offered === undefined) return this.#refuseToken()
      const place = findPlace(this.#services, { pace: 'live' })
      if (place.status === 'refused') {
        return this.#fail('BACKEND_ERROR', place.message, place.reason === 'stopping' ? 1012 : 1013)
      }
      this.#atClose(place.release)
      const voice = this.#services.voices.find(offered.voiceId)
      // One that is gone is told at `start`.
      if (voice !== undefined) await requireFeatures(this.#services, voice)
      if (this.#hasClosed()) return

      const token = await ledger.spendToken(plaintext)
      if (this.#hasClosed()) return
      if (token === undefined) return this.#refuseToken()
      const stopWaiting = clock.after(SOCKET_START_WAIT_MS, () => {
        this.#fail('BAD_REQUEST', `start must come within ${SOCKET_START_WAIT_MS / 1000} seconds`, 4400)
      })
      this.#atClose(stopWaiting)
      this.#state = { name: 'waiting', token, stopWaiting }
      for (const message of this.#early.splice(0)) this.#receive(message)
    } catch (error) {
      if (error instanceof ApiError) this.#fail(error.code, error.message, 1011)
      else this.#crash(error)
    }
  }

  /** The one driver: whatever a message leads to begins here. */
  #receive(message: Message): void {
    const state = this.#state
    try {
      switch (state.name) {
        case 'opening':
          if (this.#early.length === EARLY_MESSAGES_MAX) throw new ApiError('BAD_REQUEST', 'too many messages at once')
          this.#early.push(message)
          return
        case 'waiting':
          this.#start(state, message)
          return
        case 'speaking':
          this.#interrupt(message)
          return
        case 'closed':
          return
      }
    } catch (error) {
      if (error instanceof ApiError) this.#fail(error.code, error.message, 4400, 'cancelled')
      else this.#crash(error)
    }
  }

  /** waiting → speaking. */
  #start({ token, stopWaiting }: State & { name: 'waiting' }, message: Message): void {
    const { voices, synthesizer } = this.#services
    const start = parseMessage(message)
    checkLength(start, token.textLengthMax)
    const fields = parseFields(StartFields, start)
    const voice = voices.find(token.voiceId)
    if (voice === undefined) {
      this.#fail('VOICE_NOT_FOUND', 'the voice of the token no longer exists', 1011)
      return
    }
    requireSpoken(this.#services, fields.text, fields.language, voice)

    stopWaiting()
    this.#state = { name: 'speaking' }
    this.#send({ type: 'start', mode: MODE, sample_rate: synthesizer.sampleRate, format: 'pcm16', channels: 1 })
    void this.#speak(token, fields, voice)
  }

  /** speaking → closed, on the client's word. */
  #interrupt(message: Message): void {
    const { type } = parseMessage(message)
    if (type !== 'cancel') throw new ApiError('BAD_REQUEST', 'after start, only cancel may be sent')
    this.#close({ type: 'cancelled' }, 1000, 'cancelled')
  }

  /** Sends the audio and writes it to a file at the same time. Never rejects. */
  async #speak(token: StreamToken, fields: StartFields, voice: Voice): Promise<void> {
    const { audioFiles, clock, observer, synthesizer } = this.#services
    const askedAt = clock.monotonic()
    const request = synthesisRequest(token.requestId, fields, voice, 'live')
    const file = audioFiles.createWav(synthesizer.sampleRate)
    const stop = new AbortController()
    this.#atClose(() => stop.abort())

    let ttfbMs = 0
    const outlet = bothOutlets(this.#session, file, pcmFrameBytes(synthesizer.sampleRate))
    const ended = observer.speechBegan(WAY, () => outlet.bufferedBytes)
    const end = await streamSpeech(this.#services, request, outlet, stop.signal, ({ samples, sequence }) => {
      this.#session.send(pcmBytes(samples))
      if (sequence === 1) {
        const ms = clock.monotonic() - askedAt
        ttfbMs = Math.round(ms)
        observer.firstAudio(WAY, ms)
      }
      file.write(samples)
    })
    ended()

    if (end.status === 'failed') {
      this.#log(end.error)
      this.#fail('GENERATION_FAILED', 'speech could not be generated', 1011)
    }
    try {
      if (end.status === 'completed') {
        await file.finish()
        const { chunks, durationMs } = end
        const done = { mode: MODE, audio_url: audioFiles.link(file.name), chunks, ttfb_ms: ttfbMs }
        this.#close({ type: 'done', ...done, duration_ms: durationMs, ...timesOf(end) }, 1000, 'completed')
      } else await file.discard()
    } catch (error) {
      this.#crash(error)
    }
    await this.#record(token, end.durationMs, askedAt)
  }

  async #record(token: StreamToken, durationMs: number, askedAt: number): Promise<void> {
    const { requestId: id, keyId, accountId, voiceId, textLengthMax: characters } = token
    const outcome = this.#state.name === 'closed' ? this.#state.outcome : 'failed'
    const subject = { id, key: { id: keyId, accountId }, voiceId, way: WAY, characters, askedAt } as const
    await recordGeneration(this.#services, subject, outcome, durationMs)
  }

  #refuseToken(): void {
    this.#fail('INVALID_API_KEY', 'the stream token is missing, unknown, spent or expired', 4401)
  }

  /** A fault of the node, the disk included. */
  #crash(error: unknown): void {
    this.#log(error)
    this.#fail('INTERNAL_ERROR', 'the stream could not be completed', 1011)
  }

  #log(error: unknown): void {
    this.#services.log.error({ requestId: this.#session.id, ...describe(error) }, 'stream failed')
  }

  #fail(code: ErrorCode, message: string, closeCode: number, outcome: Generation['outcome'] = 'failed'): void {
    if (!this.#hasClosed()) this.#services.observer.errorTold(code)
    this.#close({ type: 'error', code, message }, closeCode, outcome)
  }

  /** The one way out, taken once: stops the engine, gives the place back, says the last word. */
  #close(lastWord: SocketEvent | undefined, closeCode: number, outcome: Generation['outcome']): void {
    if (this.#hasClosed()) return
    this.#state = { name: 'closed', outcome }
    for (const cleanup of this.#cleanups.splice(0)) cleanup()
    if (lastWord !== undefined) this.#send(lastWord)
    this.#session.end(closeCode, lastWord?.type ?? '')
  }

  #send(event: SocketEvent): void {
    this.#session.send(JSON.stringify(event))
  }

  #atClose(cleanup: () => void): void {
    if (this.#hasClosed()) cleanup()
    else this.#cleanups.push(cleanup)
  }

  #hasClosed(): boolean {
    return this.#state.name === 'closed'
  }
}

function parseMessage(message: Message): { readonly type?: unknown; readonly text?: unknown } {
  if (typeof message !== 'string') throw new ApiError('BAD_REQUEST', 'message must be a text frame')
  return parseJsonObject(message, 'message')
}

/** The token's limit comes before the rules of the fields after `text`. */
function checkLength({ type, text }: { readonly type?: unknown; readonly text?: unknown }, lengthMax: number): void {
  if (type === 'start' && typeof text === 'string' && text.trim() !== '' && text.length > lengthMax) {
    throw new ApiError('TEXT_TOO_LONG', `text must be at most ${lengthMax} characters, the length the token is for`)
  }
}

/** A slow disk holds the stream back just as a slow reader does. */
function bothOutlets(session: SocketSession, file: WavWriter, frameBytes: number): StreamOutlet {
  return {
    frameBytes,
    get bufferedBytes() {
      return Math.max(session.bufferedBytes, file.pendingBytes)
    },
    onDrain(callback) {
      session.onDrain(callback)
      file.onDrain(callback)
    },
  }
}
