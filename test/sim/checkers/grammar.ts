import { createHash } from 'node:crypto'

const FRAME_BYTES = 9_600
/** What comes in the first three seconds may be sent as it is made. */
const OPENING_BYTES = 3 * 48_000 + FRAME_BYTES
const BYTES_PER_MS = 48

/** How a conversation of one kind goes. Each method returns what is wrong, if anything is. */
export interface Grammar {
  take(message: string | Uint8Array): string | undefined
  /** The node has ended it. */
  end(closeCode: number | undefined): string | undefined
  /** Of the whole sound, where there was one to its end. */
  readonly digest: string | undefined
  /** Its last word. */
  readonly last: { readonly type: string; readonly data: Readonly<Record<string, unknown>> } | undefined
}

/** Audio in frames of 200 ms; those of the opening may be shorter, and the last. */
class Sound {
  readonly #hash = createHash('sha1')
  #bytes = 0
  #hasEnded = false
  frames = 0

  add(frame: Uint8Array): string | undefined {
    if (this.#hasEnded) return 'audio follows a short frame'
    if (frame.length === 0 || frame.length > FRAME_BYTES) return `a frame of ${frame.length} bytes`
    this.#bytes += frame.length
    this.#hasEnded = frame.length < FRAME_BYTES && this.#bytes > OPENING_BYTES
    this.frames += 1
    this.#hash.update(frame)
    return undefined
  }

  end({ chunks, duration_ms: ms }: Readonly<Record<string, unknown>>): string | undefined {
    const isTrue = chunks === this.frames && Math.abs(Number(ms) - this.#bytes / BYTES_PER_MS) <= 1
    return isTrue
      ? undefined
      : `done tells of ${chunks} chunks and ${ms} ms, ${this.frames} and ${this.#bytes} bytes came`
  }

  digest(): string {
    return this.#hash.digest('hex')
  }
}

/** `start`, `audio` 1, 2, 3 …, then one `done` or one `error`; comments anywhere. */
export class EventStream implements Grammar {
  readonly #sound = new Sound()
  #pending = ''
  #hasStarted = false
  digest: string | undefined
  last: Grammar['last']

  take(message: string | Uint8Array): string | undefined {
    const blocks = (this.#pending + Buffer.from(message).toString()).split('\n\n')
    this.#pending = blocks.pop() ?? ''
    for (const block of blocks) {
      const wrong = block.startsWith(':') ? undefined : this.#event(block)
      if (wrong) return wrong
    }
    return undefined
  }

  end(): string | undefined {
    return this.last === undefined || this.#pending !== '' ? 'an event stream ends without done or error' : undefined
  }

  #event(block: string): string | undefined {
    const [, type = '', id, json = ''] = /^event: (\w+)\n(?:id: (\d+)\n)?data: (.*)$/.exec(block) ?? []
    if (this.last !== undefined) return `${type} follows ${this.last.type}`
    if ((type === 'start') === this.#hasStarted) return `${type} is out of place`
    this.#hasStarted = true
    const data: Record<string, unknown> = JSON.parse(json)
    switch (type) {
      case 'start':
        return undefined
      case 'audio':
        if (Number(id) !== this.#sound.frames + 1 || data.sequence !== Number(id)) return `audio ${id} is out of turn`
        return this.#sound.add(Buffer.from(String(data.audio), 'base64'))
      case 'done':
        this.last = { type, data }
        this.digest = this.#sound.digest()
        return this.#sound.end(data)
      case 'error':
        this.last = { type, data }
        return undefined
    }
    return `an unknown event ${type}`
  }
}

/** Close codes by the last word that goes before them. */
const CLOSE_CODES: Readonly<Record<string, readonly number[]>> = {
  done: [1000],
  cancelled: [1000],
  error: [4400, 4401, 1011, 1012, 1013],
}

/** `start`, frames, one of `done`, `error` and `cancelled`, close. An error may come alone. */
export class SpeakingSocket implements Grammar {
  readonly #sound = new Sound()
  hasStarted = false
  digest: string | undefined
  last: Grammar['last']

  take(message: string | Uint8Array): string | undefined {
    if (this.last !== undefined) return `a message follows ${this.last.type}`
    if (typeof message !== 'string') return this.hasStarted ? this.#sound.add(message) : 'audio before start'
    const data: Record<string, unknown> = JSON.parse(message)
    const type = String(data.type)
    if (type === 'start') {
      if (this.hasStarted) return 'a second start'
      this.hasStarted = true
      return undefined
    }
    if (!(type in CLOSE_CODES)) return `an unknown event ${type}`
    this.last = { type, data }
    if (type !== 'done') return undefined
    this.digest = this.#sound.digest()
    return this.#sound.end(data)
  }

  end(closeCode: number | undefined): string | undefined {
    const codes = CLOSE_CODES[this.last?.type ?? '']
    return codes?.includes(closeCode ?? 0) ? undefined : `closed ${closeCode} after ${this.last?.type}`
  }
}

/** `started`, `chunk` 0, 1, 2 …, then one `final` or one `error`. */
export class TranscriptLines implements Grammar {
  readonly digest = undefined
  last: Grammar['last']
  combinedText = ''
  /** Told of each piece with text in it. */
  readonly #onChunk: (index: number) => string | undefined
  #chunksTotal: number | undefined
  #chunks = 0

  constructor(onChunk: (index: number) => string | undefined) {
    this.#onChunk = onChunk
  }

  take(message: string | Uint8Array): string | undefined {
    const data: Record<string, unknown> = JSON.parse(Buffer.from(message).toString())
    const type = String(data.type)
    if (this.last !== undefined) return `${type} follows ${this.last.type}`
    if ((type === 'started') === (this.#chunksTotal !== undefined)) return `${type} is out of place`
    switch (type) {
      case 'started':
        this.#chunksTotal = Number(data.chunks_total)
        return undefined
      case 'chunk':
        if (data.index !== this.#chunks) return `chunk ${data.index} is out of turn`
        this.#chunks += 1
        this.combinedText = String(data.combined_text)
        return data.text === '' ? undefined : this.#onChunk(Number(data.index))
      case 'final':
        this.last = { type, data }
        if (this.#chunks !== this.#chunksTotal) return `final after ${this.#chunks} chunks of ${this.#chunksTotal}`
        return data.text === this.combinedText ? undefined : 'final says something else than its chunks'
      case 'error':
        this.last = { type, data }
        return undefined
    }
    return `an unknown line ${type}`
  }

  end(): string | undefined {
    return this.last === undefined ? 'lines end without final or error' : undefined
  }
}

/** What a listening socket may say last before a code, beside `error`. */
const LISTENING_CLOSE_CODES: readonly number[] = [4400, 4401, 1008, 1011, 1012, 1013]

/**
 * In automatic mode partials and segments, then one `final` that says what all segments said; in manual mode partials, and a `final`
 * a turn. An error may come instead of whatever follows, or after it.
 */
export class ListeningSocket implements Grammar {
  readonly digest = undefined
  last: Grammar['last']
  /** What was said for good. */
  combinedText = ''
  readonly #isManual: boolean
  readonly #onSettled: (index: number) => string | undefined
  #settled = 0
  #hasFinal = false

  constructor(isManual: boolean, onSettled: (index: number) => string | undefined) {
    this.#isManual = isManual
    this.#onSettled = onSettled
  }

  take(message: string | Uint8Array): string | undefined {
    if (typeof message !== 'string') return 'a binary frame'
    const data: Record<string, unknown> = JSON.parse(message)
    const type = String(data.type)
    // A session that a limit ends is told what was heard, and then why.
    const mayFollow = this.last?.type !== 'error' && (type === 'error' || !this.#hasFinal)
    if (!mayFollow) return `${type} follows ${this.last?.type}`
    this.last = { type, data }
    if (type === 'error') return undefined
    if (type === 'final' && !this.#isManual) {
      this.#hasFinal = true
      return data.text === this.combinedText ? undefined : 'final says something else than its segments'
    }
    if (type === 'partial')
      return String(data.combined_text).startsWith(this.combinedText) ? undefined : 'a partial forgets'
    if (type !== (this.#isManual ? 'final' : 'segment')) return `an unknown event ${type}`
    return this.#settle(data)
  }

  end(closeCode = 0): string | undefined {
    if (this.last?.type === 'error')
      return LISTENING_CLOSE_CODES.includes(closeCode) ? undefined : `closed ${closeCode}`
    if (closeCode !== 1000) return `closed ${closeCode} after ${this.last?.type}`
    return this.#isManual || this.#hasFinal ? undefined : 'a session ends without final'
  }

  #settle({ index, text, combined_text }: Record<string, unknown>): string | undefined {
    if (index !== this.#settled) return `segment ${index} is out of turn`
    this.#settled += 1
    const gap = this.combinedText === '' || text === '' ? '' : ' '
    if (combined_text !== `${this.combinedText}${gap}${text}`) return `segment ${index} is not what the text grew by`
    this.combinedText = String(combined_text)
    return text === '' ? undefined : this.#onSettled(Number(index))
  }
}
