/** Calls `callback` once when the signal is aborted, at once if it already is. The returned function takes it back. */
export function whenAborted(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback()
    return () => {}
  }
  signal.addEventListener('abort', callback, { once: true })
  return () => signal.removeEventListener('abort', callback)
}

/**
 * A signal that follows several. `AbortSignal.any` would do, but it keeps every follower of a long-lived signal in memory
 * on Node 20, and one of ours lives as long as the node: hence `unlink`, to be called when the work has ended.
 */
export function linkSignals(...signals: readonly AbortSignal[]): { readonly signal: AbortSignal; unlink(): void } {
  const controller = new AbortController()
  const unlinks = signals.map((signal) => whenAborted(signal, () => controller.abort()))
  return { signal: controller.signal, unlink: () => unlinks.forEach((unlink) => void unlink()) }
}
