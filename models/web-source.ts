import { open, rm, truncate } from 'node:fs/promises'
import type { PackFile } from './catalog.ts'
import { errorCode, stampFile } from './checked-file.ts'
import { type OnBytes, type SourceContext, SourceError } from './source.ts'

/** Behind a locked-down network packets are often dropped, not refused: no answer in this time means no access. */
export const ANSWER_MS_MAX = 4_000
/** A download that stands still for this long is cut and resumed. */
export const STALL_MS_MAX = 20_000
/** Attempts in a row that bring no new byte before the source is given up. */
const FRUITLESS_ATTEMPTS_MAX = 3

/** Downloads over HTTP(S) that resume where they were cut, within a run and from one run to the next. */
export class WebSource {
  readonly #context: SourceContext
  /** Origin → why it is not asked again in this run. */
  readonly #closedOrigins = new Map<string, string>()
  /** Origins that gave a usable answer: one broken connection later does not close them. */
  readonly #provenOrigins = new Set<string>()

  constructor(context: SourceContext) {
    this.#context = context
  }

  /** Completes the file `part`, continuing with the bytes it holds. Throws `SourceError`, and the signal's reason. */
  async fetch(url: string, file: PackFile, part: string, onBytes: OnBytes): Promise<void> {
    let fruitless = 0
    let present = await bytesOf(part)
    while (present !== file.bytes) {
      if (present > file.bytes) await rm(part)
      const cut = await this.#transfer(url, file, part, onBytes)
      const after = await bytesOf(part)
      fruitless = after > present ? 0 : fruitless + 1
      if (fruitless === FRUITLESS_ATTEMPTS_MAX) throw new SourceError(cut ?? 'the download ends too early')
      present = after
    }
  }

  /** One request, from the end of `part` on. Returns why it was cut, undefined when the server sent all it wanted to. */
  async #transfer(url: string, file: PackFile, part: string, onBytes: OnBytes): Promise<string | undefined> {
    const { clock, signal } = this.#context
    const watchdog = new AbortController()
    const offset = await bytesOf(part)
    const response = await this.#request(url, offset, watchdog)
    if (typeof response === 'string') return response
    if (response.status === 416) {
      await rm(part, { force: true })
      return 'the server refuses to resume'
    }
    const start = response.status === 206 ? rangeStart(response) : 0
    if (start !== 0 && start !== offset) throw new SourceError('the server resumed at the wrong place')

    let written = start
    const bite = () => watchdog.abort(new SourceError(`no data for ${STALL_MS_MAX / 1000} s`))
    let calm = clock.after(STALL_MS_MAX, bite)
    const output = await open(part, 'a')
    try {
      await truncate(part, start)
      for await (const chunk of response.body ?? []) {
        calm()
        calm = clock.after(STALL_MS_MAX, bite)
        if (written + chunk.length > file.bytes) {
          await rm(part)
          throw new SourceError(`the server sent more than ${file.bytes} bytes`)
        }
        await output.appendFile(chunk)
        written += chunk.length
        onBytes(written)
      }
      return undefined
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SourceError && !watchdog.signal.aborted) throw error
      return reasonOf(error)
    } finally {
      calm()
      await output.close()
    }
  }

  /** Returns the head of a usable answer, or why a proven origin gave none. An origin without one is not asked again. */
  async #request(url: string, offset: number, watchdog: AbortController): Promise<Response | string> {
    const { clock, signal } = this.#context
    const { origin, host } = new URL(url)
    const closed = this.#closedOrigins.get(origin)
    if (closed !== undefined) throw new SourceError(closed)

    const close = (reason: string) => {
      this.#closedOrigins.set(origin, reason)
      return new SourceError(reason)
    }
    const calm = clock.after(ANSWER_MS_MAX, () => watchdog.abort(new Error(`no answer in ${ANSWER_MS_MAX / 1000} s`)))
    try {
      const response = await fetch(url, {
        headers: { 'accept-encoding': 'identity', ...(offset > 0 ? { range: `bytes=${offset}-` } : {}) },
        redirect: 'follow',
        signal: AbortSignal.any([signal, watchdog.signal]),
      })
      if (response.ok || response.status === 416) {
        this.#provenOrigins.add(origin)
        return response
      }
      await response.body?.cancel()
      const reason = `${host} answered ${response.status}`
      throw response.status === 404 || response.status === 410 ? new SourceError(reason) : close(reason)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof SourceError) throw error
      const reason = `${host} cannot be reached (${reasonOf(error)})`
      if (this.#provenOrigins.has(origin)) return reason
      throw close(reason)
    } finally {
      calm()
    }
  }
}

async function bytesOf(path: string): Promise<number> {
  return (await stampFile(path))?.bytes ?? 0
}

function rangeStart(response: Response): number {
  const start = /^bytes (\d+)-/.exec(response.headers.get('content-range') ?? '')?.[1]
  return start === undefined ? -1 : Number(start)
}

/** `fetch` hides the useful part of a network error in its cause. */
function reasonOf(error: unknown): string {
  const inner = error instanceof Error && error.cause !== undefined ? error.cause : error
  return errorCode(inner) ?? (inner instanceof Error ? inner.message : String(inner))
}
