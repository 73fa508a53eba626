import { describe, expect, it, vi } from 'vitest'
import { describeOutcome, runWorld } from './world.ts'

vi.mock('node:fs', async (original) => {
  const { createReadStream } = await import('./simulated-files.ts')
  return { ...(await original<object>()), mkdirSync: () => {}, createReadStream }
})
vi.mock('lmdb', () => import('./simulated-lmdb.ts'))
vi.mock('node:fs/promises', () => import('./simulated-files.ts'))

const { SEED, SIM_SEEDS } = process.env
const FIRST = Number(SEED ?? 1)
const COUNT = Number(SIM_SEEDS ?? (SEED === undefined ? 250 : 1))
const REPLAYED = 10
const seeds = Array.from({ length: COUNT }, (_, i) => FIRST + i)

describe('a simulated world', () => {
  it.each(seeds)('keeps every promise with seed %i', async (seed) => {
    const outcome = await runWorld(seed)
    if (outcome.broken !== undefined) throw new Error(describeOutcome(outcome))
  })

  it.each(seeds.slice(0, REPLAYED))('happens again exactly as it did with seed %i', async (seed) => {
    const first = await runWorld(seed)
    expect((await runWorld(seed)).trace).toEqual(first.trace)
  })
})
