import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import type { RequestHead } from '../api/exchange.ts'
import { remoteAddress } from './remote-address.ts'

/**
 * A copy of everything a request says before its body. uWebSockets.js keeps the original on its stack, so it is gone when
 * the callback returns: the copy is made there and then.
 */
export class CopiedRequestHead implements RequestHead {
  readonly method: string
  /** Path as sent: still percent-encoded. */
  readonly rawPath: string
  readonly rawQuery: string
  /** Segments of the path, each decoded once; undefined when an escape is malformed. */
  readonly segments: readonly string[] | undefined
  readonly path: string
  readonly remoteAddress: string
  readonly #headers = new Map<string, string>()
  #query: URLSearchParams | undefined

  constructor(req: HttpRequest, res: HttpResponse) {
    this.method = req.getCaseSensitiveMethod()
    this.rawPath = req.getUrl()
    // Undefined without a query, whatever its declaration says.
    this.rawQuery = req.getQuery() ?? ''
    req.forEach((name, value) => {
      const earlier = this.#headers.get(name)
      this.#headers.set(name, earlier === undefined ? value : `${earlier}, ${value}`)
    })
    this.remoteAddress = remoteAddress(res.getRemoteAddress(), this.#headers.get('x-forwarded-for'))
    this.segments = decodedSegments(this.rawPath)
    this.path = this.segments?.join('/') ?? this.rawPath
  }

  /** Path and query as sent. May hold a token: not for a log. */
  get target(): string {
    return this.rawQuery === '' ? this.rawPath : `${this.rawPath}?${this.rawQuery}`
  }

  get query(): URLSearchParams {
    this.#query ??= new URLSearchParams(this.rawQuery)
    return this.#query
  }

  header(name: string): string | undefined {
    return this.#headers.get(name)
  }
}

/** Split first, decoded second: an encoded slash stays inside its segment. */
function decodedSegments(rawPath: string): string[] | undefined {
  const segments = rawPath.split('/')
  if (!rawPath.includes('%')) return segments
  try {
    return segments.map(decodeURIComponent)
  } catch {
    return undefined
  }
}
