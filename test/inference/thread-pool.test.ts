import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CodecPool } from '../../src/inference/codec-pool.ts'
import { EncoderPool } from '../../src/inference/encoder-pool.ts'
import { openThreadPool } from '../../src/inference/thread-pool.ts'

const RESTLESS = fileURLToPath(new URL('restless-worker.mjs', import.meta.url))
const ANSWERS = 3
const ATTEMPTS_MAX = 50

/** Asks until there were some answers. A question may reach a thread that is about to die, and fail. */
async function answersOf(ask: () => Promise<Uint8Array>): Promise<number[]> {
  const lengths: number[] = []
  for (let attempts = 0; lengths.length < ANSWERS && attempts < ATTEMPTS_MAX; attempts++) {
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) lengths.push(answer.length)
  }
  return lengths
}

// Without anybody who listens for it, the error of such a thread would end the process.
describe('a thread that dies without work', () => {
  it('is replaced in the pool that encodes MP3', async () => {
    const pool = new CodecPool(RESTLESS)
    onTestFinished(() => pool.close())
    expect(await answersOf(() => pool.openMp3(24_000).finish())).toEqual([7, 7, 7])
  })

  it('is replaced in the pool that encodes what few ask for', async () => {
    const pool = new EncoderPool(RESTLESS)
    onTestFinished(() => pool.close())
    expect(await answersOf(() => pool.encode(new Int16Array(10), 24_000, 'flac'))).toEqual([7, 7, 7])
  })

  it('is heard of by nobody who opens a pool', async () => {
    const pool = openThreadPool<object, Uint8Array>(RESTLESS, { idleMs: 1_000, queueMax: 1 })
    onTestFinished(() => pool.destroy())
    const died = new Promise((resolve) => pool.once('error', resolve))
    await pool.run({})
    expect(await died).toMatchObject({ message: 'dies without work' })
  })
})
