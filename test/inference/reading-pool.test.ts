import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { ReadingPool } from '../../src/inference/reading-pool.ts'

const pool = new ReadingPool(fileURLToPath(new URL('../../dist/workers/reading.js', import.meta.url)))

afterAll(() => pool.close())

test('one thread reads both languages, several texts at once', async () => {
  const texts = [
    ['猫です', 'ja'],
    ['你好', 'zh'],
    ['犬です', 'ja'],
  ] as const
  const read = await Promise.all(texts.map(([text, language]) => pool.read(text, language)))
  expect(read).toEqual([
    [{ kind: 'phonemes', phonemes: 'nekodesɨ' }],
    [{ kind: 'phonemes', phonemes: 'ni↓xau↓' }],
    [{ kind: 'phonemes', phonemes: 'inɯdesɨ' }],
  ])
})
