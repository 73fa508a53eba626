import WebSocket from 'ws'
import type { NodeUnderTest } from '../../bench/node-under-test.ts'

/** A caller of a running node, with one key. */
export class Client {
  readonly #node: NodeUnderTest
  readonly #key: string

  constructor(node: NodeUnderTest, key: string) {
    this.#node = node
    this.#key = key
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    const all = { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json', ...headers }
    return fetch(`${this.#node.url}${path}`, { method: 'POST', headers: all, body: JSON.stringify(body) })
  }

  /** Resolves as soon as the node says that it takes no work, or no longer answers at all. */
  async notReady(): Promise<void> {
    const isReady = () =>
      fetch(`${this.#node.url}/readyz`).then(
        (response) => response.ok,
        () => false,
      )
    while (await isReady());
  }

  async usage(): Promise<{ used: number; remaining: number; key: { credit_used: number } }> {
    const headers = { Authorization: `Bearer ${this.#key}` }
    const response = await fetch(`${this.#node.url}/api/v1/usage`, { headers })
    return ((await response.json()) as { data: never }).data
  }

  /** Samples of the file that `bytes` answers with, and the response. */
  async bytes(body: object): Promise<{ response: Response; samples: Int16Array }> {
    const response = await this.post('/api/v1/tts/bytes', { format: 'wav', ...body })
    return { response, samples: samplesOfWav(await response.arrayBuffer()) }
  }

  /** Samples of the file that `generate` leads to, and its answer. */
  async generate(body: object): Promise<{ answer: Record<string, unknown>; samples: Int16Array }> {
    const response = await this.post('/api/v1/tts/generate', { format: 'wav', ...body })
    const { data } = (await response.json()) as { data: Record<string, unknown> }
    const file = await fetch(String(data.audio_url))
    return { answer: data, samples: samplesOfWav(await file.arrayBuffer()) }
  }

  /** Events of an SSE stream, in order. */
  async *events(body: object, signal?: AbortSignal): AsyncGenerator<SseEvent> {
    const response = await fetch(`${this.#node.url}/api/v1/tts/sse`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${this.#key}`, Accept: 'text/event-stream' },
      body: JSON.stringify(body),
      ...(signal ? { signal } : {}),
    })
    if (!response.ok) throw new Error(await response.text())
    let pending = ''
    for await (const text of response.body!.pipeThrough(new TextDecoderStream())) {
      const parts = (pending + text).split('\n\n')
      pending = parts.pop()!
      for (const part of parts) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(part)?.[1]
        const event = field('event')
        if (event) yield { event, id: field('id'), data: JSON.parse(field('data')!) }
      }
    }
  }

  async sse(body: object): Promise<{ events: SseEvent[]; samples: Int16Array }> {
    const events: SseEvent[] = []
    for await (const event of this.events(body)) events.push(event)
    const audio = events
      .filter(({ event }) => event === 'audio')
      .map(({ data }) => Buffer.from(String(data.audio), 'base64'))
    return { events, samples: samplesOfPcm(Buffer.concat(audio)) }
  }

  /** Connects with a fresh token for `text`, sends `start` and collects everything until the close. */
  async socket(body: SpeechFields, onFrame: (socket: WebSocket) => void = () => {}): Promise<SocketResult> {
    const response = await this.post('/api/v1/tts/stream-token', { text_length: body.text.length })
    const { data } = (await response.json()) as { data: { ws_url: string; stream_token: string } }
    const socket = new WebSocket(`${data.ws_url}?token=${data.stream_token}`)
    const [events, frames]: [Record<string, unknown>[], Buffer[]] = [[], []]
    return new Promise((resolve, reject) => {
      socket.on('open', () => socket.send(JSON.stringify({ type: 'start', ...body })))
      socket.on('message', (message: Buffer, isBinary) => {
        if (isBinary) {
          frames.push(message)
          onFrame(socket)
        } else events.push(JSON.parse(message.toString()))
      })
      socket.on('close', (code) => resolve({ code, events, samples: samplesOfPcm(Buffer.concat(frames)) }))
      socket.on('error', reject)
    })
  }
}

/** Fields of a request to speak. */
export interface SpeechFields {
  readonly text: string
  readonly [field: string]: unknown
}

export interface SseEvent {
  readonly event: string
  readonly id: string | undefined
  readonly data: Record<string, unknown>
}

export interface SocketResult {
  readonly code: number
  readonly events: Record<string, unknown>[]
  readonly samples: Int16Array
}

function samplesOfWav(file: ArrayBuffer): Int16Array {
  return new Int16Array(file.slice(44))
}

function samplesOfPcm(bytes: Buffer): Int16Array {
  return new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.byteLength))
}
