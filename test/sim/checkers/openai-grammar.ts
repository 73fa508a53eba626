import { createHash } from 'node:crypto'
import type { Grammar } from './grammar.ts'

const WAV_HEADER_BYTES = 44

/** A file on its way: bytes, and nothing that tells of its end. */
export class AudioBytes implements Grammar {
  readonly last = undefined
  digest: string | undefined
  readonly #hash = createHash('sha1')
  /** Undefined where the bytes say nothing of the samples. */
  #skip: number | undefined

  constructor(mediaType: string) {
    this.#skip = { 'audio/pcm': 0, 'audio/wav': WAV_HEADER_BYTES }[mediaType]
  }

  take(message: string | Uint8Array): string | undefined {
    if (typeof message === 'string') return 'text in a file'
    if (message.length === 0) return 'no bytes'
    this.#hash.update(message.subarray(this.#skip))
    if (this.#skip !== undefined) this.#skip = Math.max(0, this.#skip - message.length)
    return undefined
  }

  end(): undefined {
    if (this.#skip !== undefined) this.digest = this.#hash.digest('hex')
  }
}

/** As OpenAI streams: a delta for every piece, then one `done` or one `error`. The type is in the data. */
export class OpenAiEvents implements Grammar {
  readonly #deltas: string[] = []
  readonly #kind: 'speech.audio' | 'transcript.text'
  /** Told of each delta. */
  readonly #onDelta: () => string | undefined
  digest: string | undefined
  last: Grammar['last']

  constructor(kind: 'speech.audio' | 'transcript.text', onDelta: () => string | undefined = () => undefined) {
    this.#kind = kind
    this.#onDelta = onDelta
  }

  /** Of a transcript. */
  get combinedText(): string {
    return this.#deltas.join('')
  }

  take(message: string | Uint8Array): string | undefined {
    const [, json] = /^data: (.*)\n\n$/.exec(Buffer.from(message).toString()) ?? []
    if (json === undefined) return `not an event: ${message}`
    const data: Record<string, unknown> = JSON.parse(json)
    if (this.last !== undefined) return `${data.type} follows ${this.last.type}`
    switch (data.type) {
      case `${this.#kind}.delta`:
        this.#deltas.push(String(data.audio ?? data.delta))
        return this.#onDelta()
      case `${this.#kind}.done`:
        this.last = { type: 'final', data }
        this.#close()
        return data.text === undefined || data.text === this.combinedText ? undefined : 'done says something else'
      case 'error':
        this.last = { type: 'error', data: data.error as Readonly<Record<string, unknown>> }
        return undefined
    }
    return `an unknown event ${data.type}`
  }

  end(): string | undefined {
    return this.last === undefined ? 'events end without done or error' : undefined
  }

  #close(): void {
    const hash = createHash('sha1')
    for (const delta of this.#deltas) hash.update(Buffer.from(delta, 'base64'))
    this.digest = hash.digest('hex')
  }
}
