import { request } from 'node:http'
import WebSocket from 'ws'
import { SAMPLE_RATE } from '../src/speech/task-protocol.ts'
import { Playback } from './playback.ts'

const BYTES_PER_MS = (SAMPLE_RATE * 2) / 1_000
/** The node sends a socket away with these: full, or shutting down. */
const TRY_AGAIN_LATER = 1013

export interface Heard {
  /** `left`: the signal was aborted before the end. */
  readonly status: 'heard' | 'left'
  /** From the request to the first audio; NaN without any. */
  readonly firstAudioMs: number
  readonly playback: Playback
}

export type Listened = Heard | Refused

export interface Refused {
  readonly status: 'refused'
  /** From the request to its answer. */
  readonly ms: number
}

/** A light client with one key: counts the bytes of speech as they come, decodes and keeps nothing. */
export class SpeechClient {
  readonly #url: string
  readonly #key: string

  constructor(url: string, key: string) {
    this.#url = url
    this.#key = key
  }

  /** Rejects for every answer but success and a refusal that says when to come back. */
  sse(text: string, signal?: AbortSignal): Promise<Listened> {
    return new Promise((resolve, reject) => {
      const startedAt = performance.now()
      const listening = new Listening(startedAt)
      const headers = { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json' }
      const call = request(`${this.#url}/api/v1/tts/sse`, { method: 'POST', headers, agent: false })
      call.on('error', reject)
      call.on('response', (response) => {
        if (response.statusCode === 503 && response.headers['retry-after']) {
          response.resume()
          resolve({ status: 'refused', ms: performance.now() - startedAt })
          return
        }
        if (response.statusCode !== 200) {
          reject(new Error(`a stream was answered with ${response.statusCode}`))
          response.resume()
          return
        }
        let pending = ''
        let isDone = false
        response.setEncoding('latin1')
        response.on('data', (part: string) => {
          const events = (pending + part).split('\n\n')
          pending = events.pop() ?? ''
          for (const event of events) {
            if (event.startsWith('event: audio')) listening.receive(audioBytes(event))
            isDone ||= event.startsWith('event: done')
          }
        })
        response.on('error', reject)
        response.on('end', () => {
          if (isDone) resolve(listening.end('heard'))
          else reject(new Error('a stream ended before it was done'))
        })
      })
      signal?.addEventListener('abort', () => {
        resolve(listening.end('left'))
        call.destroy()
      })
      call.end(JSON.stringify({ text }))
    })
  }

  /** As `sse`; the time counts from `start`. */
  async socket(text: string, signal?: AbortSignal): Promise<Listened> {
    const askedAt = performance.now()
    const answer = await this.post('/api/v1/tts/stream-token', { text_length: text.length })
    if (answer.status === 503) return { status: 'refused', ms: performance.now() - askedAt }
    const { data } = (await answer.json()) as { data: { ws_url: string; stream_token: string } }
    if (signal?.aborted) return new Listening(0).end('left')
    const socket = new WebSocket(`${data.ws_url}?token=${data.stream_token}`)
    return new Promise((resolve, reject) => {
      let listening = new Listening(Number.NaN)
      socket.on('open', () => {
        listening = new Listening(performance.now())
        socket.send(JSON.stringify({ type: 'start', text }))
      })
      socket.on('message', (message: Buffer, isBinary) => {
        if (isBinary) listening.receive(message.length)
      })
      socket.on('close', (code) => {
        if (code === 1000) resolve(listening.end('heard'))
        else if (code === TRY_AGAIN_LATER) resolve({ status: 'refused', ms: performance.now() - askedAt })
        else reject(new Error(`a socket was closed with ${code}`))
      })
      socket.on('error', reject)
      signal?.addEventListener('abort', () => {
        resolve(listening.end('left'))
        socket.terminate()
      })
    })
  }

  /** An answer of any status, on a connection of its own. */
  post(path: string, body: object, signal: AbortSignal | null = null): Promise<Response> {
    const headers = { Authorization: `Bearer ${this.#key}`, 'Content-Type': 'application/json', Connection: 'close' }
    return fetch(`${this.#url}${path}`, { method: 'POST', headers, body: JSON.stringify(body), signal })
  }

  /** Characters the key has paid for so far. */
  async charactersUsed(): Promise<number> {
    const headers = { Authorization: `Bearer ${this.#key}`, Connection: 'close' }
    const response = await fetch(`${this.#url}/api/v1/usage`, { headers })
    const { data } = (await response.json()) as { data: { key: { credit_used: number } } }
    return data.key.credit_used
  }
}

class Listening {
  readonly #startedAt: number
  readonly #playback = new Playback()
  #firstAudioMs = Number.NaN

  constructor(startedAt: number) {
    this.#startedAt = startedAt
  }

  receive(bytes: number): void {
    const now = performance.now()
    if (this.#playback.audioMs === 0) this.#firstAudioMs = now - this.#startedAt
    this.#playback.receive(now, bytes / BYTES_PER_MS)
  }

  end(status: Heard['status']): Heard {
    return { status, firstAudioMs: this.#firstAudioMs, playback: this.#playback }
  }
}

/** Bytes of PCM16 behind the base64 of one `audio` event. */
function audioBytes(event: string): number {
  const from = event.indexOf('"audio":"') + '"audio":"'.length
  return Buffer.byteLength(event.slice(from, event.lastIndexOf('"')), 'base64')
}
