import { describe, expect, it } from 'vitest'
import { Demand } from '../../src/runtime/demand.ts'

describe('Demand', () => {
  it('wakes the producer when there is credit, and not while it is in debt', () => {
    const demand = new Demand()
    let woken = 0
    demand.onCredit(() => {
      woken += 1
    })
    demand.spend(3)
    demand.grant(2)
    expect([demand.credits, woken]).toEqual([-1, 0])
    demand.grant(2)
    expect([demand.credits, woken]).toEqual([1, 1])
  })

  it('never runs out when it is unbounded', () => {
    const demand = Demand.unbounded()
    demand.spend(1_000_000)
    expect(demand.credits).toBe(Number.POSITIVE_INFINITY)
  })
})
