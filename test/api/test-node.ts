import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { AudioFiles } from '../../src/api/audio-files.ts'
import { renderError } from '../../src/api/errors.ts'
import type { SocketRoute } from '../../src/api/exchange.ts'
import { routes } from '../../src/api/routes.ts'
import { unobservedService } from '../../src/api/service-observer.ts'
import type { Services } from '../../src/api/services.ts'
import { VoiceFiles } from '../../src/api/voice-files.ts'
import { VoiceRefiner } from '../../src/api/voice-refiner.ts'
import type { Mp3Encoder } from '../../src/audio/encoding.ts'
import { Router } from '../../src/http/router.ts'
import { type LedgerObserver, LmdbLedger } from '../../src/ledger/lmdb-ledger.ts'
import { SPOOL_BYTES_MAX } from '../../src/limits.ts'
import { FileEncoder } from '../../src/pipelines/encode-file.ts'
import { FileTranscriber } from '../../src/pipelines/transcribe-file.ts'
import { LiveTranscriber } from '../../src/pipelines/transcribe-live.ts'
import { VoiceLearner } from '../../src/pipelines/voice-learner.ts'
import { systemDisk } from '../../src/runtime/disk.ts'
import type { Log } from '../../src/runtime/log.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Spool } from '../../src/runtime/spool.ts'
import type { AdmissionOutcome, Work } from '../../src/speech/admission.ts'
import type { Voice } from '../../src/speech/voice.ts'
import { allVoices } from '../../src/speech/voice-directory.ts'
import { FakeClock } from '../fake-clock.ts'
import { ScriptedFitter, scriptedState } from '../scripted-fitter.ts'
import { LoudnessDetector, ScriptedDecoder, ScriptedRecognizer } from '../scripted-listening.ts'
import { expectDescribed, expectMessages } from './documents/conformance.ts'
import { FakeExchange, type FakeResponse, FakeSocket, type Reader } from './fake-exchange.ts'
import { ScriptedSynthesizer } from './scripted-synthesizer.ts'

/** Allowance of the test account. */
export const QUOTA = 1_000

export const PRESET_VOICE = 'preset_ada'
export const OWN_VOICE = 'voice_ownownownownownownow'
export const FOREIGN_VOICE = 'voice_foreignforeignforeig'

/** What stands in for the MP3 encoder's output. */
export const MP3_BYTES = Buffer.from('ID3 as if encoded')

/** Of a stream: a line for every piece. */
const scriptedMp3: Mp3Encoder = {
  encodeMp3: async () => MP3_BYTES,
  openMp3: () => ({
    push: async (samples) => Buffer.from(`${samples[0]} × ${samples.length}\n`),
    finish: async () => Buffer.from('end\n'),
    discard() {},
  }),
}

export interface CallOptions {
  /** Plaintext key; null: none. Default: the voice key. */
  readonly key?: string | null
  readonly headers?: Readonly<Record<string, string>>
  readonly reader?: Reader
}

/** The endpoints over a real ledger and real files in a folder of their own; engine, clock and network are fakes. */
export class TestNode {
  readonly clock = new FakeClock()
  readonly synthesizer = new ScriptedSynthesizer()
  readonly decoder = new ScriptedDecoder()
  readonly recognizer = new ScriptedRecognizer()
  readonly fitter = new ScriptedFitter()
  readonly spool: Spool
  readonly voices = new Map<string, Voice>()
  readonly admission = new CountingAdmission()
  readonly lifecycle = new FakeLifecycle()
  readonly logLines: object[] = []
  readonly services: Services
  readonly refiner: VoiceRefiner
  /** Voices that sound otherwise since. */
  readonly changed: string[] = []
  readonly ledger: LmdbLedger
  readonly accountId: string
  readonly adminKey: string
  readonly voiceKey: string
  readonly sttKey: string
  readonly audioFolder: string
  readonly voiceFolder: string
  readonly #folder: string
  readonly #sockets: { readonly route: SocketRoute; readonly socket: FakeSocket }[] = []
  #exchanges = 0

  static async start(overrides: Partial<Services> = {}, observer?: LedgerObserver): Promise<TestNode> {
    const folder = await mkdtemp(join(tmpdir(), 'syrinx-api-'))
    const clock = new FakeClock()
    const ledger = LmdbLedger.open(folder, clock, systemRandom, observer)
    const first = await ledger.bootstrap(PRESET_VOICE)
    if (first === undefined) throw new Error('the ledger of a test must be empty')
    await ledger.setAccount(first.account.id, { ttsQuota: QUOTA, sttQuota: QUOTA })
    const audioFolder = join(folder, 'audio')
    const audioFiles = await AudioFiles.open(audioFolder, Buffer.from('a secret of the tests'), clock, systemRandom)
    const spool = await Spool.open(join(folder, 'spool'), SPOOL_BYTES_MAX, systemRandom)
    const voiceFolder = join(folder, 'voices')
    const voiceFiles = await VoiceFiles.open(voiceFolder, systemDisk, scriptedState)
    await giveFeatures(voiceFiles, OWN_VOICE)
    const keys = { admin: first.admin.plaintext, voice: first.voice.plaintext, stt: first.stt.plaintext }
    return new TestNode({
      folder,
      audioFolder,
      voiceFolder,
      voiceFiles,
      clock,
      ledger,
      accountId: first.account.id,
      keys,
      audioFiles,
      spool,
      overrides,
    })
  }

  private constructor(parts: {
    readonly folder: string
    readonly audioFolder: string
    readonly voiceFolder: string
    readonly voiceFiles: VoiceFiles
    readonly clock: FakeClock
    readonly ledger: LmdbLedger
    readonly accountId: string
    readonly keys: { readonly admin: string; readonly voice: string; readonly stt: string }
    readonly audioFiles: AudioFiles
    readonly spool: Spool
    readonly overrides: Partial<Services>
  }) {
    this.#folder = parts.folder
    this.audioFolder = parts.audioFolder
    this.voiceFolder = parts.voiceFolder
    this.clock = parts.clock
    this.ledger = parts.ledger
    this.accountId = parts.accountId
    this.adminKey = parts.keys.admin
    this.voiceKey = parts.keys.voice
    this.sttKey = parts.keys.stt
    this.spool = parts.spool
    const listening = { decoder: this.decoder, detector: new LoudnessDetector(), spool: parts.spool }
    for (const [id, accountId] of [
      [PRESET_VOICE, null],
      [OWN_VOICE, this.accountId],
      [FOREIGN_VOICE, 'acct_of_someone_else'],
    ] as const) {
      const name = id.replace(/^\w+_/, '')
      const model = accountId === null ? 'ada' : null
      this.voices.set(id, { id, model, name, accountId, language: 'en', british: true, gender: 'female' })
    }
    const enrolled = allVoices(this.ledger)
    const voiceLearner = new VoiceLearner({ decoder: this.decoder, spool: parts.spool, fitter: this.fitter })
    const log = collectingLog(this.logLines)
    this.refiner = new VoiceRefiner({
      learner: voiceLearner,
      voiceFiles: parts.voiceFiles,
      isVoice: (id) => this.ledger.voice(id) !== undefined,
      onRefined: (id) => this.changed.push(id),
      log,
    })
    this.services = {
      clock: this.clock,
      random: systemRandom,
      log,
      ledger: this.ledger,
      voices: { find: (id) => this.voices.get(id) ?? enrolled.find(id) },
      synthesizer: this.synthesizer,
      admission: this.admission,
      encoder: new FileEncoder(scriptedMp3, { encode: async (_, __, format) => Buffer.from(`as if ${format}`) }),
      audioFiles: parts.audioFiles,
      transcriber: new FileTranscriber(listening, this.recognizer, 3),
      liveTranscriber: new LiveTranscriber(listening.detector, this.recognizer, this.clock),
      voiceFiles: parts.voiceFiles,
      voiceLearner,
      voiceRefiner: this.refiner,
      lifecycle: this.lifecycle,
      observer: unobservedService,
      exposition: { contentType: 'text/plain', text: async () => '' },
      publicUrl: undefined,
      publicWsUrl: undefined,
      openAi: undefined,
      ...parts.overrides,
    }
  }

  /** Sends a request and waits for its answer. */
  async call(
    method: string,
    url: string,
    body?: object | string | Uint8Array,
    options: CallOptions = {},
  ): Promise<FakeResponse> {
    const { exchange, handled } = this.begin(method, url, body, options)
    await handled
    if (exchange.response === undefined) throw new Error('no answer')
    return exchange.response
  }

  post(url: string, body: object | string, options: CallOptions = {}): Promise<FakeResponse> {
    return this.call('POST', url, body, options)
  }

  /** Sends a request; `handled` resolves when its endpoint has ended with an answer that the documents describe. */
  begin(
    method: string,
    url: string,
    body?: object | string | Uint8Array,
    { key = this.voiceKey, headers = {}, reader = 'eager' }: CallOptions = {},
  ): { readonly exchange: FakeExchange; readonly handled: Promise<void> } {
    const [path = ''] = url.split('?')
    const routing = new Router(routes(this.services).requests).find(method, path.split('/').map(decodeURIComponent))
    if (routing.status !== 'found') throw new Error(`no route for ${method} ${path}`)
    const { route, params } = routing
    this.#exchanges += 1
    const exchange = new FakeExchange(
      `request_${this.#exchanges}`,
      {
        method,
        url,
        headers: { ...(key !== null && { authorization: `Bearer ${key}` }), ...headers },
        body: typeof body === 'string' || body instanceof Uint8Array ? body : JSON.stringify(body ?? {}),
      },
      params,
    )
    exchange.reader = reader
    const handled = Promise.resolve()
      .then(() => route.handle(exchange))
      .catch((error: unknown) => renderError(error, exchange, this.services.log, this.services.observer))
      .then(() => route.operation && expectDescribed(route.operation, exchange))
    return { exchange, handled }
  }

  /** Opens the socket that speaks. */
  connect(token: string | undefined, reader: Reader = 'eager'): FakeSocket {
    const [route] = routes(this.services).sockets
    if (route === undefined) throw new Error('no socket')
    const query = token === undefined ? '' : `?token=${encodeURIComponent(token)}`
    const socket = new FakeSocket('socket_1', `${route.path}${query}`, reader)
    this.#sockets.push({ route, socket })
    route.open(socket)
    return socket
  }

  /** Opens the socket that listens. `query` begins with `?`. */
  listen(
    query = `?token=${this.sttKey}`,
    options: { readonly reader?: Reader; readonly key?: string } = {},
  ): FakeSocket {
    const route = routes(this.services).sockets[1]
    if (route === undefined) throw new Error('no socket')
    const headers = options.key === undefined ? {} : { authorization: `Bearer ${options.key}` }
    const socket = new FakeSocket('socket_1', `${route.path}${query}`, options.reader, headers)
    this.#sockets.push({ route, socket })
    route.open(socket)
    return socket
  }

  /** Uploads a form to be transcribed, with the STT key. */
  async upload(url: string, form: FormData, options: CallOptions = {}) {
    const request = new Response(form)
    const body = new Uint8Array(await request.arrayBuffer())
    const headers = { 'content-type': request.headers.get('content-type') ?? '', ...options.headers }
    return this.begin('POST', url, body, { key: this.sttKey, ...options, headers })
  }

  /** Characters of transcripts charged to the account so far. */
  get heard(): number {
    return this.ledger.account(this.accountId)?.stt.used ?? Number.NaN
  }

  /** Characters charged to the account so far. */
  get charged(): number {
    return this.ledger.account(this.accountId)?.tts.used ?? Number.NaN
  }

  /** Fails if a socket was sent an event that the documents do not describe. */
  async stop(): Promise<void> {
    await this.refiner.stop()
    await this.ledger.close()
    await rm(this.#folder, { recursive: true, force: true })
    for (const { route, socket } of this.#sockets) {
      const events = socket.events.filter((event) => typeof event !== 'number')
      if (route.channel !== undefined) expectMessages(route.path, route.channel, events)
    }
  }
}

/** What an enrollment leaves on disk. */
async function giveFeatures(voiceFiles: VoiceFiles, voiceId: string): Promise<void> {
  const files = { reference: fileURLToPath(import.meta.url), features: new Uint8Array(Buffer.from('refined: once')) }
  await voiceFiles.add(voiceId, files, async () => ({ status: 'created' }))
}

class CountingAdmission {
  full = false
  /** Places taken and not given back. */
  held = 0
  readonly asked: Work[] = []

  admit(work: Work): AdmissionOutcome {
    this.asked.push(work)
    if (this.full) return { status: 'refused', retryAfterSeconds: 3 }
    this.held += 1
    let isHeld = true
    const release = () => {
      if (isHeld) this.held -= 1
      isHeld = false
    }
    return { status: 'admitted', release }
  }
}

class FakeLifecycle {
  ready = true
  draining = false
  readonly #stopped = new AbortController()
  readonly stopped = this.#stopped.signal

  /** The time to drain is over. */
  stop(): void {
    this.draining = true
    this.#stopped.abort()
  }
}

function collectingLog(lines: object[]): Log {
  const line = (fields: object, message: string) => void lines.push({ ...fields, message })
  return { debug: line, info: line, warn: line, error: line }
}
