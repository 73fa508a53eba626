import type { Channel, Operation } from './documents/operation.ts'
import type { Form, FormRules } from './form.ts'

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
  /**
   * The whole request body, the caller's to keep; call once. Rejects with `BodyTooLarge` past `limitBytes`, with
   * `ClientGone` if the client leaves, and with the edge's overload error if the node has no memory left for bodies.
   */
  body(limitBytes: number): Promise<Uint8Array>
  /**
   * The parts of a `multipart/form-data` body, instead of `body`; call once. Its files are written to disk at the pace at which
   * they arrive; whoever gets the form disposes of it. Rejects with `MalformedForm`, with `FileTooLarge` as soon as that is known, with
   * `ClientGone`, and with the edge's overload error if there is no room; then nothing is left on disk.
   */
  form(rules: FormRules): Promise<Form>
  /**
   * Sends a complete response with its `Content-Length`. Only the first answer counts. A header that holds control
   * characters or anything but ASCII is an assertion error, here as in `open` and `file`.
   */
  reply(status: number, headers: Readonly<Record<string, string>>, body: string | Uint8Array): void
  /** Starts a response of unknown length. */
  open(status: number, headers: Readonly<Record<string, string>>): FrameSink
  /**
   * Sends bytes [start, end) of a file at the pace of the reader, with `Content-Length`. Resolves when the last byte is on
   * its way or the client is gone. Rejects before anything is sent if the file can't be opened.
   */
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
  /** The bytes become the sink's: they must not change any more. */
  write(bytes: string | Uint8Array): void
  onDrain(callback: () => void): void
  /** Ends the response once everything written has left. */
  end(): void
}

/**
 * One WebSocket connection. Messages arrive in order, one call each, copied: the receiver owns the bytes. The few that come
 * before `onMessage` is called are kept. What a callback throws closes the socket with 1011.
 */
export interface SocketSession {
  readonly id: string
  readonly request: RequestHead
  readonly closed: AbortSignal
  readonly bufferedBytes: number
  onMessage(callback: (message: string | Uint8Array) => void): void
  onDrain(callback: () => void): void
  /**
   * A string goes out as a text frame, bytes as a binary frame. Sending far past `bufferedBytes` where one should wait for
   * `onDrain` is a fault: the socket is closed with 1011.
   */
  send(message: string | Uint8Array): void
  /** Sends a close frame once everything sent has left. Aborts `closed` at once: no message arrives any more. */
  end(code: number, reason: string): void
}

export class BodyTooLarge extends Error {}
export class ClientGone extends Error {}

export interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Path with `:name` segments. */
  readonly path: string
  /** What the documents say of it. */
  readonly operation?: Operation
  /** Whatever it rejects with is rendered by `http` through `renderError`. GET handlers also answer HEAD. */
  readonly handle: (exchange: Exchange) => Promise<void> | void
}

export interface SocketRoute {
  readonly path: string
  /** Largest message it takes, where that is not the edge's usual limit. */
  readonly messageBytesMax?: number
  readonly open: (session: SocketSession) => void
  /** What the documents say of it. */
  readonly channel?: Channel
}
