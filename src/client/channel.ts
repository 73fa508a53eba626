import { SyrinxError } from './syrinx-error.ts'

/** What is used of a WebSocket. The global one of browsers and of Node 22 fits, and so does that of the package `ws`. */
export interface WebSocketLike {
  binaryType: string
  readonly readyState: number
  readonly bufferedAmount: number
  onopen: ((event: never) => void) | null
  onmessage: ((event: never) => void) | null
  onclose: ((event: never) => void) | null
  onerror: ((event: never) => void) | null
  send(data: string | ArrayBuffer | Uint8Array<ArrayBuffer>): void
  close(code?: number, reason?: string): void
}

export type WebSocketConstructor = new (url: string) => WebSocketLike

export interface Closing {
  readonly code: number
  readonly reason: string
}

/** The messages of one WebSocket, in order, kept until they are asked for; one reader. */
export class Channel {
  readonly #socket: WebSocketLike
  readonly #signal: AbortSignal
  readonly #messages: (string | ArrayBuffer)[] = []
  #closing: Closing | undefined
  #wake = () => {}

  /**
   * Rejects with `CONNECTION_FAILED`, or with the reason of the signal. Aborting the signal later closes the socket and makes
   * `messages` reject with its reason.
   */
  static connect(url: string, WebSocket: WebSocketConstructor, signal: AbortSignal): Promise<Channel> {
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason)
      const socket = new WebSocket(url)
      const channel = new Channel(socket, signal)
      signal.addEventListener('abort', () => {
        // Before the close, which rejects with a reason of its own.
        reject(signal.reason)
        channel.#wake()
        socket.close()
      })
      socket.onopen = () => resolve(channel)
      socket.onclose = ({ code, reason }: Closing) => {
        channel.#closing = { code, reason }
        channel.#wake()
        const { origin } = new URL(url)
        reject(new SyrinxError('CONNECTION_FAILED', `no WebSocket to ${origin}`, { closeCode: code }))
      }
    })
  }

  private constructor(socket: WebSocketLike, signal: AbortSignal) {
    this.#socket = socket
    this.#signal = signal
    socket.binaryType = 'arraybuffer'
    // The close that follows says all there is to say; without a listener `ws` throws.
    socket.onerror = () => {}
    socket.onmessage = ({ data }: { readonly data: string | ArrayBuffer }) => {
      this.#messages.push(data)
      this.#wake()
    }
  }

  /** Does nothing once the socket is closing. */
  send(message: string | ArrayBuffer | Uint8Array<ArrayBuffer>): void {
    if (this.#socket.readyState === OPEN) this.#socket.send(message)
  }

  close(): void {
    this.#socket.close(1000)
  }

  /** What arrives until the socket closes; returns how it closed. Ending the iteration early closes it. */
  async *messages(): AsyncGenerator<string | ArrayBuffer, Closing> {
    try {
      for (;;) {
        if (this.#signal.aborted) throw this.#signal.reason
        const message = this.#messages.shift()
        if (message !== undefined) yield message
        else if (this.#closing !== undefined) return this.#closing
        else await this.#something()
      }
    } finally {
      this.#messages.length = 0
      this.close()
    }
  }

  #something(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}

const OPEN = 1
