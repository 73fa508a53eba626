import { fileURLToPath } from 'node:url'
import type { Worker } from 'node:worker_threads'
import { describe, expect, it, onTestFinished } from 'vitest'
import { CodecPool } from '../../src/inference/codec-pool.ts'
import { EncoderPool } from '../../src/inference/encoder-pool.ts'
import { waitFor } from '../wait-for.ts'

const RESTLESS = fileURLToPath(new URL('restless-worker.mjs', import.meta.url))
const ANSWERS = 3
const ATTEMPTS_MAX = 50

/** Asks again whenever the thread that has answered is dead. */
async function answersOf(ask: () => Promise<Uint8Array>): Promise<number[]> {
  let deaths = 0
  const onWorker = (worker: Worker) => void worker.once('exit', () => (deaths += 1))
  process.on('worker', onWorker)
  onTestFinished(() => void process.off('worker', onWorker))
  const lengths: number[] = []
  for (let asked = 1; lengths.length < ANSWERS && asked <= ATTEMPTS_MAX; asked++) {
    // News of the death may overtake the answer: then it was at work.
    const answer = await ask().catch(() => undefined)
    if (answer !== undefined) lengths.push(answer.length)
    await waitFor(() => deaths >= asked, 'the thread to die')
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
})
