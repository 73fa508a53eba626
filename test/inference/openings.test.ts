import { describe, expect, it } from 'vitest'
import { CostModel } from '../../src/inference/cost-model.ts'
import { Openings } from '../../src/inference/openings.ts'
import type { WindowTask } from '../../src/speech/task-protocol.ts'
import { FakeClock } from '../fake-clock.ts'

/** On a machine on which a second of speech costs `factor` seconds of one worker. */
function openingsOf(factor: number, workers = 2) {
  const [costs, clock] = [new CostModel(), new FakeClock()]
  const features = { frames: 40, tracks: {} }
  const window: WindowTask = { kind: 'window', features, before: 0, frames: 40, conditioning: new Float32Array() }
  const plan = { kind: 'plan', part: 'all', text: 'x'.repeat(15), pronunciation: 'en-us', speed: 1 } as const
  costs.calibrate([
    { task: window, ms: factor * 1_000 },
    { task: { ...plan, styles: new Float32Array() }, ms: 0 },
  ])
  return { openings: new Openings(costs, workers, clock), clock, costs, window }
}

const hearsNothing = () => undefined

describe('Openings', () => {
  it('counts whoever hears nothing yet or has less than an opening in hand, until they leave', () => {
    const { openings, clock } = openingsOf(0.4)
    clock.advance(10_000)
    const leave = openings.enter(hearsNothing)
    openings.enter(() => 10_500)
    openings.enter(() => 12_000)
    openings.enter(() => Number.POSITIVE_INFINITY)
    expect(openings.short).toBe(2)
    clock.advance(1_500)
    expect(openings.short).toBe(3)
    leave()
    expect(openings.short).toBe(2)
  })

  it('lets everybody begin at once while there is a worker for each', () => {
    const { openings } = openingsOf(0.5)
    openings.enter(hearsNothing)
    expect(openings.headStartMs).toBe(0)
    openings.enter(hearsNothing)
    expect(openings.headStartMs).toBe(0)
    openings.enter(hearsNothing)
    expect(openings.headStartMs).toBeGreaterThan(0)
  })

  it('lets nobody begin at once whose opening takes a worker longer than it lasts', () => {
    const { openings } = openingsOf(0.7)
    openings.enter(hearsNothing)
    // 1.26 workers for 900 ms where there is one; a window is made in 560 ms.
    expect(openings.headStartMs).toBeCloseTo(234 + 560)
  })

  it('knows that a worker beside an idle one may be quicker', () => {
    const { openings, costs, window } = openingsOf(0.7)
    for (let i = 0; i < 100; i++) costs.learn(window, 400, false)
    openings.enter(hearsNothing)
    expect(openings.headStartMs).toBe(0)
    openings.enter(hearsNothing)
    expect(openings.headStartMs).toBeGreaterThan(0)
  })

  it('asks for as much as goes missing in an opening at a share of the workers, and a window more', () => {
    const { openings } = openingsOf(0.4)
    for (let i = 0; i < 3; i++) openings.enter(hearsNothing)
    // Three need 2.16 workers of two for 900 ms; a window is made in 320 ms.
    expect(openings.headStartMs).toBeCloseTo(72 + 320)
    const quick = openingsOf(0.2).openings
    for (let i = 0; i < 3; i++) quick.enter(hearsNothing)
    expect(quick.headStartMs).toBe(0)
  })

  it('lets in whoever can begin soon, a worker for each in any case', () => {
    const { openings, clock } = openingsOf(0.4)
    expect(openings.room).toBe(3)
    openings.enter(hearsNothing)
    openings.enter(() => 2_000)
    expect(openings.room).toBe(2)
    clock.advance(1_200)
    expect(openings.room).toBe(1)
    openings.enter(hearsNothing)
    openings.enter(hearsNothing)
    expect(openings.room).toBe(0)
    expect(openingsOf(0.2).openings.room).toBe(7)
    expect(openingsOf(4).openings.room).toBe(2)
  })

  it('never keeps a listener back for more than a second of speech', () => {
    const { openings } = openingsOf(0.4)
    for (let i = 0; i < 40; i++) openings.enter(hearsNothing)
    expect(openings.headStartMs).toBe(1_000)
  })
})
