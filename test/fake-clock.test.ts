import { expect, it } from 'vitest'
import { FakeClock } from './fake-clock.ts'

it('runs timers in the order of their moments, and shows each its own time', () => {
  const clock = new FakeClock(1_000)
  const ran: [string, number][] = []
  clock.after(300, () => ran.push(['late', clock.now()]))
  clock.after(100, () => {
    ran.push(['early', clock.now()])
    clock.after(100, () => ran.push(['set on the way', clock.monotonic()]))
  })
  clock.advance(250)
  expect(ran).toEqual([
    ['early', 1_100],
    ['set on the way', 200],
  ])
  clock.advance(50)
  expect(ran.at(-1)).toEqual(['late', 1_300])
})

it('forgets a cancelled timer', () => {
  const clock = new FakeClock()
  const cancel = clock.after(10, () => expect.unreachable())
  expect(clock.timers).toBe(1)
  cancel()
  clock.advance(100)
  expect(clock.timers).toBe(0)
})

it('lets the wall clock jump alone', () => {
  const clock = new FakeClock(5_000)
  clock.jump(-3_000)
  expect([clock.now(), clock.monotonic()]).toEqual([2_000, 0])
})
