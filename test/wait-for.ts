/**
 * Resolves as soon as `condition` holds, looking once a turn of the event loop. Rejects with what was waited for after
 * `timeoutMs`, which only bounds a failure: no test depends on how long anything takes.
 */
export async function waitFor(
  condition: () => boolean | Promise<boolean>,
  what: string,
  timeoutMs = 120_000,
): Promise<void> {
  const deadline = performance.now() + timeoutMs
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`waited ${timeoutMs} ms for ${what}`)
    await new Promise((resolve) => setImmediate(resolve))
  }
}
