import { createHash } from 'node:crypto'
import type { Meter } from '../../../src/ledger/ledger.ts'
import { STREAM_BUFFER_BYTES_MAX } from '../../../src/limits.ts'
import { type Connection, type Link, SocketConnection, type Watch } from '../connection.ts'
import type { World } from '../world.ts'
import { EventStream, type Grammar, ListeningSocket, SpeakingSocket, TranscriptLines } from './grammar.ts'
import { AudioBytes, OpenAiEvents } from './openai-grammar.ts'

/** What one step of a producer may add to a full buffer: a window and the pause before it, as base64. */
const STEP_BYTES = 160 * 1_024
const WAV_HEADER_BYTES = 44

/** What a connection is about, as far as its answers can be checked by it. */
export interface Topic {
  readonly keyId: string
  readonly meter: Meter
  /** Undefined where it costs nothing, or shows only later what it costs. */
  readonly price: number | undefined
  /** Equal topics sound equal, to the sample. */
  readonly sound?: string
  /** What a recording says. */
  readonly transcript?: string
  /** Of what is said into a microphone: whether the client says where its turns end. */
  readonly isManual?: boolean
}

type Lines = TranscriptLines | ListeningSocket | OpenAiEvents
interface Transcribed {
  readonly text: string
}

/** Listens to everything the node says: each stream keeps to its grammar, and every answer is true of the books on disk. */
export class Conversations implements Watch {
  readonly #world: World
  readonly #topics = new Map<string, Topic & { readonly since: number }>()
  readonly #grammars = new Map<Link, Grammar>()
  readonly #digests = new Map<string, string>()
  readonly #tokensSpent = new Map<string, string>()

  constructor(world: World) {
    this.#world = world
  }

  expect(id: string, topic: Topic): void {
    this.#topics.set(id, { ...topic, since: this.#world.clock.monotonic() })
  }

  grammarOf(link: Link): Grammar | undefined {
    return this.#grammars.get(link)
  }

  answered(connection: Connection): void {
    const { id, status = 0, headers, answer } = connection
    const isJson = headers['Content-Type']?.startsWith('application/json') === true && answer !== undefined
    const json = isJson ? connection.json : {}
    const { error, data = json.text === undefined ? undefined : json } = json
    this.#world.note(`${id} ${connection.request.path} is answered ${status} ${error?.code ?? ''}`)
    if (error !== undefined) this.#refusal(connection, error, data)
    else if (answer === undefined) this.#grammars.set(connection, this.#grammarFor(connection))
    if (isJson) this.#world.voices.answered(connection, json)
    const topic = this.#topics.get(id)
    if (status !== 200 || topic === undefined) return
    if (topic.meter === 'stt') this.#transcript(id, topic, data ?? (answer && textOf(connection)))
    else this.#success(id, topic, headers, data)
    if (topic.sound && headers['X-Service-Format'] === 'wav')
      this.#sounds(topic.sound, answer!.subarray(WAV_HEADER_BYTES))
  }

  wrote(link: Link, message: string | Uint8Array): void {
    const grammar = this.#grammars.get(link) ?? this.#grammarOf(link.id)
    this.#grammars.set(link, grammar)
    const wrong = grammar.take(message)
    if (wrong) this.#world.fail(`${link.id}: ${wrong}`)
    if (grammar instanceof SpeakingSocket && grammar.hasStarted) this.#spends(link)
    if (link.bufferedBytes > STREAM_BUFFER_BYTES_MAX + STEP_BYTES) {
      this.#world.fail(`${link.id} has ${link.bufferedBytes} bytes waiting for its reader`)
    }
  }

  ended(link: Link): void {
    const grammar = this.#grammars.get(link)
    if (grammar === undefined) return
    const closeCode = link instanceof SocketConnection ? link.closeCode : undefined
    const wrong = grammar.end(closeCode)
    if (wrong) this.#world.fail(`${link.id}: ${wrong}`)
    const { last, digest } = grammar
    this.#world.note(`${link.id} ends with ${last?.type} ${last?.data.code ?? ''} ${closeCode ?? ''}`)
    const topic = this.#topics.get(link.id)
    if (digest && topic?.sound) this.#digest(topic.sound, digest)
    if (topic?.meter === 'stt') this.#lines(link.id, topic, grammar as Lines)
    if (last?.type === 'error') this.#fault(link.id, String(last.data.code))
  }

  misused(link: Link, how: string): void {
    this.#world.fail(`${link.id}: ${how}`)
  }

  #grammarFor({ id, request, headers }: Connection): Grammar {
    const mediaType = headers['Content-Type'] ?? ''
    const isSpeech = this.#topics.get(id)?.meter === 'tts'
    if (mediaType.startsWith('audio/')) return new AudioBytes(mediaType)
    if (!mediaType.startsWith('text/event-stream')) return new TranscriptLines((index) => this.#unpaid(id, index))
    if (request.path !== '/v1/audio/speech' && isSpeech) return new EventStream()
    if (isSpeech) return new OpenAiEvents('speech.audio')
    const unpaid = () => (this.#world.books.chargedInPieces(id) === 0 ? 'text that nobody paid for' : undefined)
    return new OpenAiEvents('transcript.text', unpaid)
  }

  #grammarOf(socketId: string): Grammar {
    const topic = this.#topics.get(socketId)
    if (topic?.meter !== 'stt') return new SpeakingSocket()
    return new ListeningSocket(topic.isManual === true, (index) => this.#unpaid(socketId, index))
  }

  #unpaid(id: string, piece: number): string | undefined {
    return this.#world.books.charged(`${id}.${piece}`) === undefined ? `piece ${piece} is not paid for` : undefined
  }

  #success(
    id: string,
    { price }: Topic,
    headers: Connection['headers'],
    data: Record<string, unknown> | undefined,
  ): void {
    if (price === undefined) return
    const told = data?.chars_deducted ?? headers['X-Service-Chars-Deducted'] ?? price
    const debit = String(data?.request_id ?? id)
    const charged = this.#world.books.charged(debit)
    if (Number(told) !== price || charged !== price) {
      this.#world.fail(`${id} costs ${price}, is told ${told}, and ${charged} are on disk for ${debit}`)
    }
  }

  /** Who is told no has not paid; and is told so only where it is true. */
  #refusal({ id, status = 0, headers }: Connection, error: { code: string; message: string }, data: unknown): void {
    this.#fault(id, error.code)
    const topic = this.#topics.get(id)
    if (topic === undefined) return
    if (topic.meter === 'stt') this.#delivered(id, (data as Transcribed | undefined)?.text ?? '', error.code)
    if (data === undefined && (status < 500 || headers['Retry-After'] !== undefined)) this.#world.books.refused(id)
    if (error.code === 'VOICE_FEATURE_UNAVAILABLE' || error.code === 'VOICE_NOT_FOUND') {
      this.#world.voices.requireGone(id, topic.keyId)
    }
    if (this.#world.books.easedAt >= topic.since) return
    if (!isCut(error.code)) return
    const { credit, quota } = this.#world.books.left(topic.keyId, topic.meter)
    // A transcript ends when either is used up; where both are too small for its next piece, the key is what is told (D14).
    const isKey = error.code === 'KEY_CREDIT_EXCEEDED'
    const [left, needed] =
      topic.meter === 'stt' ? [Math.min(credit, quota), 1] : [isKey ? credit : quota, topic.price ?? 1]
    if (left >= needed) this.#world.fail(`${id} is told ${error.code}, needs ${needed}, and has ${credit} and ${quota}`)
  }

  /** A fault of the node is told only where there was one. */
  #fault(id: string, code: string): void {
    const { machine, commits, diskFills, drains, voicesCome } = this.#world.weather
    const tasksFail = machine.failedShare > 0 || machine.lostShare > 0
    const disksFail = commits.refusedShare > 0 || diskFills
    const isFault = code === 'INTERNAL_ERROR' || code === 'internal_error'
    if (isFault && !disksFail) this.#world.fail(`${id} is told ${code} although nothing was wrong`)
    const hasFailed = code === 'GENERATION_FAILED' || code === 'stt_upstream_error'
    if (hasFailed && !tasksFail && !drains && !voicesCome)
      this.#world.fail(`${id} is told ${code} although no task failed`)
  }

  #transcript(id: string, { transcript }: Topic, data: Transcribed | undefined): void {
    if (transcript === undefined || data === undefined) return
    if (data.text !== transcript) this.#world.fail(`${id} said "${transcript}" and is told "${data.text}"`)
    // Its last piece may have been cut.
    if (this.#world.books.chargedInPieces(id) > transcript.length) this.#world.fail(`${id} was charged too much`)
  }

  /** With an error comes what was charged before it: as much, or more where the allowance ended in the midst of a piece. */
  #delivered(id: string, text: string, code: string): void {
    const charged = this.#world.books.chargedInPieces(id)
    if (isCut(code) ? charged > text.length : charged !== text.length) {
      this.#world.fail(`${id} is told ${code} with ${text.length} characters and was charged ${charged}`)
    }
  }

  /** Everything that was delivered was paid for: all of it, or what there was. */
  #lines(id: string, { keyId, transcript, isManual }: Topic, { last, combinedText }: Lines): void {
    const charged = this.#world.books.chargedInPieces(id)
    // Who commits in the midst of a word is told of it twice, and who stops early not of all.
    const isComplete = isManual === undefined && last?.type === 'final'
    const isTrue = isComplete ? combinedText === transcript : isManual || transcript?.startsWith(combinedText)
    if (!isTrue) this.#world.fail(`${id} said "${transcript}" and is told "${combinedText}"`)
    const wasCut = isCut(String(last?.data.code))
    if (wasCut ? charged > combinedText.length : charged < combinedText.length) {
      this.#world.fail(`${id} was delivered ${combinedText.length} characters and charged ${charged}`)
    }
    if (!wasCut) return
    const { credit, quota } = this.#world.books.left(keyId, 'stt')
    if (Math.min(credit, quota) > 0 && this.#world.books.easedAt < (this.#topics.get(id)?.since ?? 0)) {
      this.#world.fail(`${id} was cut although ${credit} and ${quota} are left`)
    }
  }

  #spends(link: Link): void {
    const token = link.request.query.get('token') ?? ''
    const first = this.#tokensSpent.get(token) ?? link.id
    this.#tokensSpent.set(token, first)
    if (first !== link.id) this.#world.fail(`${link.id} speaks with the token that ${first} has spent`)
  }

  #sounds(sound: string, pcm: Uint8Array): void {
    this.#digest(sound, createHash('sha1').update(pcm).digest('hex'))
  }

  #digest(sound: string, digest: string): void {
    const first = this.#digests.get(sound) ?? digest
    this.#digests.set(sound, first)
    if (first !== digest) this.#world.fail(`${sound} sounds otherwise than before`)
  }
}

function isCut(code: string): boolean {
  return code === 'KEY_CREDIT_EXCEEDED' || code === 'QUOTA_EXCEEDED'
}

/** Of an answer that is nothing but text. */
function textOf({ headers, answer }: Connection): Transcribed | undefined {
  if (!headers['Content-Type']?.startsWith('text/plain')) return undefined
  return {
    text: Buffer.from(answer ?? [])
      .toString()
      .trim(),
  }
}
