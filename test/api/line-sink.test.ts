import { describe, expect, it } from 'vitest'
import { LineSink } from '../../src/api/line-sink.ts'
import { FakeExchange } from './fake-exchange.ts'

function open(reader: 'eager' | 'stalled') {
  const exchange = new FakeExchange('request_1', { method: 'POST', url: '/' })
  exchange.reader = reader
  const sink = exchange.open(200, {})
  return { exchange, lines: new LineSink(sink) }
}

/** Whether a promise has been settled by now. */
async function isSettled(promise: Promise<unknown>): Promise<boolean> {
  const waiting = Symbol('waiting')
  await new Promise((resolve) => setImmediate(resolve))
  return (await Promise.race([promise, Promise.resolve(waiting)])) !== waiting
}

describe('lines', () => {
  it('are one JSON object each', async () => {
    const { exchange, lines } = open('eager')
    await lines.write({ text: 'one\ntwo' })
    await lines.write({})
    lines.end()
    expect([exchange.sink?.text, exchange.sink?.ended]).toEqual(['{"text":"one\\ntwo"}\n{}\n', true])
  })

  it('wait while a reader has more than enough to read', async () => {
    const { exchange, lines } = open('stalled')
    expect(await isSettled(lines.write({ text: 'short' }))).toBe(true)
    const long = lines.write({ text: 'x'.repeat(300_000) })
    expect(await isSettled(long)).toBe(false)
    exchange.sink?.drain(10_000)
    expect(await isSettled(long)).toBe(false)
    exchange.sink?.drain(100_000)
    expect(await isSettled(long)).toBe(true)
  })

  it('wait for nobody when the reader has left', async () => {
    const { exchange, lines } = open('stalled')
    const long = lines.write({ text: 'x'.repeat(300_000) })
    exchange.leave()
    expect(await isSettled(long)).toBe(true)
  })
})
