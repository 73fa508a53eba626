import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { BatchingDetector } from '../../src/inference/batching-detector.ts'
import { DetectionPool } from '../../src/inference/detection-pool.ts'
import { clip } from '../workers/clips.ts'
import { SILERO_MODEL } from '../workers/packs.ts'

const COMPILED = fileURLToPath(new URL('../../dist/workers/detection.js', import.meta.url))
const pool = new DetectionPool(COMPILED, { sileroModel: SILERO_MODEL })
const detector = new BatchingDetector(pool)

afterAll(async () => {
  await detector.close()
  await pool.close()
})

describe('the detection thread', () => {
  it('hears many streams at once as it hears one, however their audio is cut', async () => {
    const speech = clip('ljspeech/LJ001-0008.wav')
    const [whole, ...others] = await Promise.all([
      detector.open().push(speech),
      ...[100, 512, 1_600, 8_000].map(async (length) => {
        const stream = detector.open()
        const parts: number[] = []
        for (let at = 0; at < speech.length; at += length) {
          parts.push(...(await stream.push(speech.slice(at, at + length))))
        }
        return parts
      }),
    ])
    expect(whole.filter((probability) => probability > 0.5).length).toBeGreaterThan(30)
    for (const parts of others) {
      expect(parts).toHaveLength(whole.length)
      for (const [at, value] of whole.entries()) expect(parts[at]).toBeCloseTo(value, 3)
    }
  })
})
