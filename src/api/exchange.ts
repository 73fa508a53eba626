/**
 * What an endpoint sees of the network. `http` implements it over uWebSockets.js; tests implement it in memory. Nothing
 * here throws when the client is gone: writes become no-ops and `closed` is aborted.
 */
export interface RequestHead {
  readonly method: string
  /** Path without the query, percent-decoded once. */
  readonly path: string
  readonly query: URLSearchParams
  /** Value of a header by lower-case name; `undefined` when absent. */
  header(name: string): string | undefined
  readonly remoteAddress: string
}

export interface Exchange {
  /** Sent as `X-Request-Id` on every response; the ledger's id for whatever this request is charged. */
  readonly id: string
  readonly request: RequestHead
  /** Values of `:name` segments of the matched route. */
  readonly params: Readonly<Record<string, string>>
  /** Aborted when the client is gone or the response has ended. */
  readonly closed: AbortSignal
  /** The whole request body. Rejects with `BodyTooLarge` past `limitBytes`, and with `ClientGone` if the client leaves. */
  body(limitBytes: number): Promise<Uint8Array>
  /** Sends a complete response with its `Content-Length`. Only the first reply counts. */
  reply(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void
  /** Starts a response of unknown length. */
  open(status: number, headers: Readonly<Record<string, string>>): FrameSink
  /** Sends bytes [start, end) of a file at the pace of the reader, with `Content-Length`. HEAD sends no body. */
  file(
    status: number,
    headers: Readonly<Record<string, string>>,
    path: string,
    start: number,
    end: number,
  ): Promise<void>
}

/** A response or socket in progress. `onDrain` callbacks run each time buffered bytes have left. */
export interface FrameSink {
  readonly closed: AbortSignal
  /** Bytes accepted by `write` that the network has not taken yet. */
  readonly bufferedBytes: number
  write(bytes: string | Uint8Array): void
  onDrain(callback: () => void): void
  end(): void
}

/** One WebSocket connection. Messages arrive in order, one call each, copied: the receiver owns the bytes. */
export interface SocketSession {
  readonly id: string
  readonly request: RequestHead
  readonly closed: AbortSignal
  readonly bufferedBytes: number
  onMessage(callback: (message: string | Uint8Array) => void): void
  onDrain(callback: () => void): void
  /** A string goes out as a text frame, bytes as a binary frame. */
  send(message: string | Uint8Array): void
  end(code: number, reason: string): void
}

export class BodyTooLarge extends Error {}
export class ClientGone extends Error {}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path with `:name` segments. */
  readonly path: string
  /** Whatever it rejects with is rendered by `http` through `renderError`. GET handlers also answer HEAD. */
  readonly handle: (exchange: Exchange) => Promise<void> | void
}

export interface SocketRoute {
  readonly path: string
  readonly open: (session: SocketSession) => void
}
