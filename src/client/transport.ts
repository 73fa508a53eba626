import { pause, type Repetition, randomFraction, waitBeforeRetry } from './retry.ts'
import { errorOf, isRecord, parsed, SyrinxError } from './syrinx-error.ts'

export interface TransportOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string
  readonly apiKey: string
  readonly fetch: typeof globalThis.fetch
  /** Repetitions of one call at most. */
  readonly retriesMax: number
  /** For tests. */
  readonly pause?: typeof pause
  readonly random?: () => number
}

export interface Call {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** With its query. */
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly json?: object
  readonly form?: FormData
  readonly repetition: Repetition
  readonly signal?: AbortSignal | undefined
}

/** Sends calls with the key, repeats those that may be, and turns refusals into errors. */
export class Transport {
  readonly #options: TransportOptions

  constructor(options: TransportOptions) {
    this.#options = options
  }

  /** The `data` of a successful answer. */
  data<T>(call: Call): Promise<T> {
    return this.repeated(call, async () => {
      const response = await this.#attempt(call)
      const body = parsed(await response.text().catch((error: unknown) => this.#lost(error, call.signal)))
      if (!isRecord(body) || body.ok !== true || !isRecord(body.data)) {
        throw new SyrinxError('UNEXPECTED_ANSWER', 'the answer is not one of this service', { status: response.status })
      }
      return body.data as T
    })
  }

  /** A successful response, its body unread. Aborting the signal later on still cuts the body. */
  async response(call: Call): Promise<Response> {
    return this.repeated(call, () => this.#attempt(call))
  }

  /** Runs `attempt` until it succeeds, fails for good, or has failed too often. */
  async repeated<T>(
    { repetition, signal }: Pick<Call, 'repetition' | 'signal'>,
    attempt: () => Promise<T>,
  ): Promise<T> {
    const { retriesMax, random = randomFraction } = this.#options
    for (let failures = 0; ; failures++) {
      try {
        return await attempt()
      } catch (error) {
        if (!(error instanceof SyrinxError) || failures === retriesMax) throw error
        const waitMs = waitBeforeRetry(error, repetition, failures, random)
        if (waitMs === undefined) throw error
        await (this.#options.pause ?? pause)(waitMs, signal)
      }
    }
  }

  async #attempt({ method, path, headers, json, form, signal }: Call): Promise<Response> {
    const { baseUrl, apiKey, fetch } = this.#options
    const body = json === undefined ? form : JSON.stringify(json)
    const init = {
      method,
      headers: {
        Authorization: `Bearer ${apiKey}`,
        ...(json !== undefined && { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    }
    const response = await fetch(`${baseUrl}${path}`, init).catch((error: unknown) => this.#lost(error, signal))
    if (!response.ok) throw await errorOf(response)
    return response
  }

  #lost(error: unknown, signal: AbortSignal | undefined): never {
    if (signal?.aborted) throw signal.reason
    throw new SyrinxError('CONNECTION_FAILED', `no answer from ${this.#options.baseUrl}`, { cause: error })
  }
}
