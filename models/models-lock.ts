import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { lock } from 'proper-lockfile'
import { errorCode } from './checked-file.ts'
import type { Reporter } from './reporter.ts'

/**
 * A holder that has not touched its lock for this long was killed, and the next one takes over. Installing computes on
 * this thread for seconds at a time, so it must not be shorter.
 */
const STALE_MS = 30_000
const TOUCH_MS = 5_000
const RETRY_MS = 250
/** Between rounds the caller's signal is looked at. */
const RETRIES_A_ROUND = 4

/**
 * Runs `work` while no other process changes this models folder; waits, saying so, while one does. The signal given to
 * `work` aborts with the caller's, and when the lock was lost (a machine that slept for minutes).
 */
export async function withModelsLock<T>(
  modelsDir: string,
  reporter: Reporter,
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const lost = new AbortController()
  let release: (() => Promise<void>) | undefined
  for (let round = 0; release === undefined; round++) {
    signal.throwIfAborted()
    if (round === 1) reporter.note('another process is fetching or installing models: waiting for it')
    try {
      release = await lock(modelsDir, {
        lockfilePath: join(modelsDir, '.lock'),
        realpath: true,
        stale: STALE_MS,
        update: TOUCH_MS,
        retries: round === 0 ? 0 : { retries: RETRIES_A_ROUND, minTimeout: RETRY_MS, maxTimeout: RETRY_MS },
        onCompromised: (error) => lost.abort(error),
      })
    } catch (error) {
      if (errorCode(error) !== 'ELOCKED') throw error
    }
  }
  try {
    return await work(AbortSignal.any([signal, lost.signal]))
  } finally {
    if (!lost.signal.aborted) await release()
  }
}

export async function isWritable(folder: string): Promise<boolean> {
  try {
    await access(folder, constants.W_OK)
    return true
  } catch (error) {
    const code = errorCode(error)
    if (code === 'EACCES' || code === 'EROFS' || code === 'EPERM') return false
    throw error
  }
}
