import { describe, expect, it } from 'vitest'
import { RequestBody, UploadBudget } from '../../src/http/request-body.ts'
import { SlowReader } from '../../src/http/slow-reader.ts'
import { FakeClock } from '../fake-clock.ts'
import { waitFor } from '../wait-for.ts'
import { get, patterned, RawClient, startEdge } from './edge.ts'
import { ScriptedResponse } from './scripted-response.ts'

describe('a slow reader', () => {
  it('is kept from the 10 s cut of uWebSockets.js for as long as it lags', () => {
    const clock = new FakeClock()
    const response = new ScriptedResponse()
    const reader = new SlowReader(clock, response.asResponse(), 120_000)
    reader.blocked()
    reader.blocked()
    clock.advance(60_000)
    expect([response.pauses, response.resumes]).toEqual([15, 15])
    reader.caughtUp()
    clock.advance(60_000)
    expect([response.pauses, clock.timers]).toEqual([15, 0])
  })

  it('is cut when it takes nothing for too long, however often it took something before', () => {
    const clock = new FakeClock()
    const response = new ScriptedResponse()
    const reader = new SlowReader(clock, response.asResponse(), 120_000)
    reader.blocked()
    for (let i = 0; i < 5; i++) {
      clock.advance(110_000)
      reader.progressed()
    }
    expect(response.closed).toBe(false)
    clock.advance(124_000)
    expect([response.closed, clock.timers]).toEqual([true, 0])
  })

  it.each(['/reply', '/stream'])('of %s that stands still loses its connection', async (path) => {
    const clock = new FakeClock()
    const { port, server } = await startEdge({
      clock,
      limits: { readerStallMsMax: 30_000 },
      routes: [
        get('/reply', (exchange) => exchange.reply(200, {}, patterned(12_000_000))),
        get('/stream', (exchange) => exchange.open(200, {}).write(patterned(12_000_000))),
      ],
    })
    const reader = new RawClient(port)
    reader.pause()
    reader.request('GET', path)
    await waitFor(() => clock.timers === 1, 'the response to be held up')
    clock.advance(28_000)
    expect(server.openCount).toBe(1)
    clock.advance(4_000)
    expect([server.openCount, clock.timers]).toEqual([0, 0])
    reader.resume()
    await waitFor(() => reader.isClosed, 'the connection to close')
  })
})

describe('a fast sender', () => {
  it('is paused while nobody has asked for its body, and resumed when somebody does', async () => {
    const response = new ScriptedResponse()
    const body = new RequestBody(
      response.asResponse(),
      { declaredBytes: 3_000 },
      { unclaimedBytesMax: 1_500, budget: new UploadBudget(10_000), overloaded: () => new Error('overloaded') },
    )
    response.receive(patterned(1_000, 1), false)
    expect(response.pauses).toBe(0)
    response.receive(patterned(1_000, 2), false)
    expect([response.pauses, response.resumes]).toEqual([1, 0])
    const reading = body.read(3_000)
    expect(response.resumes).toBe(1)
    response.receive(patterned(1_000, 3), true)
    expect(Buffer.from(await reading)).toEqual(Buffer.concat([1, 2, 3].map((seed) => patterned(1_000, seed))))
    expect([response.pauses, response.resumes]).toEqual([1, 1])
  })

  it('is resumed when its request is answered without the body, so that the rest can be thrown away', () => {
    const response = new ScriptedResponse()
    const budget = new UploadBudget(10_000)
    const body = new RequestBody(
      response.asResponse(),
      { declaredBytes: 3_000 },
      { unclaimedBytesMax: 500, budget, overloaded: () => new Error('overloaded') },
    )
    response.receive(patterned(1_000), false)
    expect([response.pauses, budget.freeBytes]).toEqual([1, 9_000])
    body.drop()
    response.receive(patterned(2_000), true)
    expect([response.resumes, budget.freeBytes]).toEqual([1, 10_000])
  })
})
