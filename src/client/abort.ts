/** A signal of one's own that the caller's aborts too. `unlink` when it is over, so that a long-lived signal keeps nothing. */
export function linkedAbort(signal: AbortSignal | undefined): {
  readonly controller: AbortController
  readonly unlink: () => void
} {
  const controller = new AbortController()
  if (signal === undefined) return { controller, unlink() {} }
  const abort = () => controller.abort(signal.reason)
  if (signal.aborted) abort()
  else signal.addEventListener('abort', abort, { once: true })
  return { controller, unlink: () => signal.removeEventListener('abort', abort) }
}
