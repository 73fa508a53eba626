import type { WebSocketLike } from '../../src/client/channel.ts'
import type { Transcript } from '../../src/client/transcript.ts'

export interface Sent {
  readonly url: string
  readonly method: string
  readonly headers: Headers
  readonly body: unknown
}

/** A service that answers each call with the next of its answers. An `Error` stands for a connection that fails. */
export class ScriptedService {
  readonly sent: Sent[] = []
  readonly #answers: (Response | Error)[]

  constructor(...answers: (Response | Error)[]) {
    this.#answers = answers
  }

  readonly fetch: typeof globalThis.fetch = async (input, init = {}) => {
    const { method = 'GET', headers, body } = init
    const parsed = typeof body === 'string' ? JSON.parse(body) : body
    this.sent.push({ url: String(input), method, headers: new Headers(headers), body: parsed })
    const answer = this.#answers.shift()
    if (answer === undefined) throw new Error('the script has no more answers')
    if (answer instanceof Error) throw answer
    return answer
  }
}

/** Of one piece. */
export const TRANSCRIPT: Transcript = {
  text: 'so far',
  language: 'en',
  is_final: true,
  provider: 'syrinx',
  model: 'm',
  duration_seconds: 3,
  latency_ms: 5,
  segments: [{ index: 0, start: 0, end: 1.5, text: 'so far', language: 'en' }],
}

export function ok(data: object): Response {
  return Response.json({ ok: true, data })
}

export function refusal(status: number, code: string, headers: Readonly<Record<string, string>> = {}): Response {
  return Response.json({ ok: false, error: { code, message: `${code} it is` } }, { status, headers })
}

/** A response whose body comes in these pieces. With `isCut` the connection is lost after them. */
export function streamed(
  pieces: readonly (string | Uint8Array)[],
  isCut = false,
): Response & { wasCancelled: boolean } {
  const encoder = new TextEncoder()
  const left = pieces.map((piece) => (typeof piece === 'string' ? encoder.encode(piece) : piece))
  const response = new Response(
    new ReadableStream<Uint8Array>({
      pull(controller) {
        const piece = left.shift()
        if (piece !== undefined) controller.enqueue(piece)
        else if (isCut) controller.error(new TypeError('terminated'))
        else controller.close()
      },
      cancel() {
        marked.wasCancelled = true
      },
    }),
    { headers: { 'X-Request-Id': 'req_1' } },
  )
  const marked = Object.assign(response, { wasCancelled: false })
  return marked
}

/** A socket that a test plays the other side of. */
export class ScriptedSocket implements WebSocketLike {
  static readonly opened: ScriptedSocket[] = []
  readonly url: string
  readonly sent: (string | ArrayBuffer | Uint8Array)[] = []
  binaryType = 'blob'
  readyState = 0
  readonly bufferedAmount = 0
  onopen: ((event: never) => void) | null = null
  onmessage: ((event: never) => void) | null = null
  onclose: ((event: never) => void) | null = null
  onerror: ((event: never) => void) | null = null

  constructor(url: string) {
    this.url = url
    ScriptedSocket.opened.push(this)
  }

  open(): void {
    this.readyState = 1
    call(this.onopen, {})
  }

  say(message: object | ArrayBuffer): void {
    call(this.onmessage, { data: message instanceof ArrayBuffer ? message : JSON.stringify(message) })
  }

  end(code: number, reason = ''): void {
    if (this.readyState === 3) return
    this.readyState = 3
    call(this.onclose, { code, reason })
  }

  send(data: string | ArrayBuffer | Uint8Array): void {
    this.sent.push(data)
  }

  close(code = 1005): void {
    this.end(code)
  }
}

/** Handlers take `never`, because each kind of WebSocket has event types of its own. */
function call(handler: ((event: never) => void) | null, event: object): void {
  handler?.(event as never)
}
