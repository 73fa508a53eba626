import { describe, expect, it } from 'vitest'
import { Playout } from '../../src/inference/playout.ts'
import { SAMPLE_RATE } from '../../src/speech/task-protocol.ts'
import { FakeClock } from '../fake-clock.ts'

describe('a listener', () => {
  it('is owed the first sound soon after asking, and what follows in step with it', () => {
    const clock = new FakeClock()
    clock.advance(1_000)
    const playout = new Playout(clock)
    clock.advance(50)
    expect([playout.hasBegun, playout.heardAt(0), playout.heardAt(SAMPLE_RATE)]).toEqual([false, 1_400, 2_400])
  })

  it('plays from the first sample on, however early the rest comes', () => {
    const clock = new FakeClock()
    const playout = new Playout(clock)
    clock.advance(150)
    playout.add(SAMPLE_RATE)
    clock.advance(300)
    playout.add(SAMPLE_RATE)
    expect([playout.hasBegun, playout.samples]).toEqual([true, 2 * SAMPLE_RATE])
    expect([playout.heardAt(0), playout.runsDryAt]).toEqual([150, 2_150])
  })

  it('that ran dry goes on with what comes, and hears everything later by the gap', () => {
    const clock = new FakeClock()
    const playout = new Playout(clock)
    playout.add(SAMPLE_RATE)
    clock.advance(1_700)
    expect(playout.runsDryAt).toBe(1_000)
    playout.add(SAMPLE_RATE / 2)
    expect([playout.runsDryAt, playout.heardAt(2 * SAMPLE_RATE)]).toEqual([2_200, 2_700])
  })
})
