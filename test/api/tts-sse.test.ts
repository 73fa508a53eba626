import { getEventListeners } from 'node:events'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SSE_KEEP_ALIVE_MS, STREAM_BUFFER_BYTES_MAX } from '../../src/limits.ts'
import { FRAME_SAMPLES } from './scripted-synthesizer.ts'
import { PRESET_VOICE, TestNode } from './test-node.ts'

const URL = '/api/v1/tts/sse'
const BODY = { text: 'Hello there' }
const PRICE = BODY.text.length

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

const outcomes = () => node.ledger.generationsOf(node.accountId).map(({ way, outcome }) => [way, outcome])
/** A stream that waits for the test to step it. */
async function streaming(reader: 'eager' | 'stalled' = 'eager', frames = 3) {
  node.synthesizer.script = { pace: 'by_hand', frames }
  const { exchange, handled } = node.begin('POST', URL, BODY, { reader })
  await expect.poll(() => node.synthesizer.running).toBe(1)
  const { sink } = exchange
  if (sink === undefined) throw new Error('the stream has not begun')
  return { exchange, sink, handled }
}

describe('an SSE stream', () => {
  it('is start, audio 1, 2, 3 … and done, with the contract’s fields (promise 8)', async () => {
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await handled
    const audio = (value: number) => Buffer.from(new Int16Array(FRAME_SAMPLES).fill(value).buffer).toString('base64')
    expect(exchange.sink?.events).toEqual([
      { event: 'start', data: { sample_rate: 24_000, channels: 1, format: 'pcm_s16le', encoding: 'base64' } },
      { event: 'audio', id: '1', data: { sequence: 1, audio: audio(1) } },
      { event: 'audio', id: '2', data: { sequence: 2, audio: audio(2) } },
      { event: 'audio', id: '3', data: { sequence: 3, audio: audio(3) } },
      { event: 'done', data: { chunks: 3, duration_ms: 600, elapsed_ms: 0 } },
    ])
    expect(exchange.sink?.ended).toBe(true)
    expect([node.charged, node.admission.held, outcomes()]).toEqual([PRICE, 0, [['sse', 'completed']]])
  })

  it('tells when the words are spoken where that was asked for', async () => {
    node.synthesizer.script = { words: [{ word: 'Hello', from: 2_400, to: 9_612 }] }
    const { exchange, handled } = node.begin('POST', URL, { ...BODY, timestamps: true })
    await handled
    const words = [{ word: 'Hello', start_ms: 100, end_ms: 401 }]
    expect(exchange.sink?.events.at(-1)).toEqual({
      event: 'done',
      data: { chunks: 3, duration_ms: 600, elapsed_ms: 0, words },
    })
  })

  it('has the headers that keep proxies from holding it back (D26)', async () => {
    const response = await node.post(URL, BODY)
    expect(response.status).toBe(200)
    expect(response.headers).toEqual({
      'Content-Type': 'text/event-stream; charset=utf-8',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
  })

  it('begins before the first audio is made, after the debit', async () => {
    const { sink } = await streaming()
    expect(sink.events).toMatchObject([{ event: 'start' }])
    expect([node.charged, node.admission.held]).toEqual([PRICE, 1])
  })

  it('gives its place back before it says that it is done', async () => {
    const { sink, handled } = await streaming('eager', 1)
    const heldAt: number[] = []
    const write = sink.write.bind(sink)
    vi.spyOn(sink, 'write').mockImplementation((text) => {
      if (String(text).includes('event: done')) heldAt.push(node.admission.held)
      write(text)
    })
    while (node.synthesizer.step());
    await handled
    expect(heldAt).toEqual([0])
  })

  it('counts elapsed_ms from the request', async () => {
    const { sink, handled } = await streaming('eager', 1)
    node.clock.advance(1_234)
    node.synthesizer.step()
    node.synthesizer.step()
    await handled
    expect(sink.events.at(-1)).toMatchObject({ data: { elapsed_ms: 1_234 } })
  })

  it('speaks live, ignoring duration in sound and price', async () => {
    await node.post(URL, { ...BODY, duration: 25 })
    expect(node.synthesizer.requests).toMatchObject([{ pace: 'live', durationSeconds: null, voiceId: PRESET_VOICE }])
    expect([node.charged, node.admission.asked]).toEqual([PRICE, [{ pace: 'live' }]])
  })

  it('checks format although it changes nothing', async () => {
    expect((await node.post(URL, { ...BODY, format: 'ogg' })).json.error.code).toBe('INVALID_FORMAT')
    expect((await node.post(URL, { ...BODY, format: 'wav' })).status).toBe(200)
  })

  it('comments every 15 s, until it ends (D26)', async () => {
    const { sink, handled } = await streaming('eager', 1)
    node.clock.advance(SSE_KEEP_ALIVE_MS - 1)
    expect(sink.events).toHaveLength(1)
    node.clock.advance(1)
    node.clock.advance(SSE_KEEP_ALIVE_MS)
    expect(sink.events.slice(1)).toEqual([{ comment: 'keep-alive' }, { comment: 'keep-alive' }])
    while (node.synthesizer.step());
    await handled
    expect(node.clock.timers).toBe(0)
  })
})

describe('an SSE stream that fails', () => {
  it.each([1, 3])('at audio %i ends with one GENERATION_FAILED and no done', async (failsAt) => {
    node.synthesizer.script = { failsAt }
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await handled
    const events = exchange.sink?.events ?? []
    expect(events.map(({ event }) => event)).toEqual(['start', ...Array(failsAt - 1).fill('audio'), 'error'])
    expect(events.at(-1)?.data).toEqual({ code: 'GENERATION_FAILED', message: 'speech could not be generated' })
    expect([exchange.sink?.ended, node.charged, node.admission.held]).toEqual([true, PRICE, 0])
    expect([outcomes(), node.clock.timers]).toEqual([[['sse', 'failed']], 0])
  })

  it('because nothing could be spoken is GENERATION_FAILED', async () => {
    node.synthesizer.script = { frames: 0 }
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await handled
    expect(exchange.sink?.events.map(({ event }) => event)).toEqual(['start', 'error'])
  })

  it('because the node’s time to drain is over says so', async () => {
    const { sink, handled } = await streaming()
    node.synthesizer.step()
    node.lifecycle.stop()
    expect(node.synthesizer.running).toBe(0)
    await handled
    expect(sink.events.map(({ event }) => event)).toEqual(['start', 'audio', 'error'])
    expect(sink.events.at(-1)?.data).toEqual({ code: 'GENERATION_FAILED', message: 'the node is shutting down' })
    expect([node.admission.held, outcomes()]).toEqual([0, [['sse', 'failed']]])
  })
})

describe('a client of an SSE stream', () => {
  it('that leaves stops the engine in the same turn (promise 10)', async () => {
    const { exchange, handled } = await streaming()
    node.synthesizer.step()
    exchange.leave()
    expect([node.synthesizer.running, node.synthesizer.step()]).toEqual([0, false])
    await handled
    expect([node.admission.held, node.clock.timers, outcomes()]).toEqual([0, 0, [['sse', 'cancelled']]])
  })

  it('that left before the stream began starts no engine', async () => {
    const { exchange, handled } = node.begin('POST', URL, BODY)
    vi.spyOn(node.ledger, 'charge').mockImplementation(async () => {
      exchange.leave()
      return { status: 'charged' }
    })
    await handled
    expect([node.synthesizer.requests, node.admission.held]).toEqual([[], 0])
  })

  it('that reads nothing holds no more than the limit, and gets the rest as it reads (promise 11)', async () => {
    const { sink, handled } = await streaming('stalled', 60)
    while (node.synthesizer.step());
    const madeForNobody = node.synthesizer.made
    expect(madeForNobody).toBeGreaterThan(10)
    expect(madeForNobody).toBeLessThan(60)
    node.clock.advance(10 * SSE_KEEP_ALIVE_MS)
    expect(sink.text).not.toContain(': keep-alive')
    while (node.synthesizer.running > 0) {
      sink.drain(20_000)
      while (node.synthesizer.step());
    }
    await handled
    expect(sink.bufferedBytesMost).toBeLessThanOrEqual(STREAM_BUFFER_BYTES_MAX)
    expect(sink.events.filter(({ event }) => event === 'audio').map(({ id }) => Number(id))).toEqual(
      Array.from({ length: 60 }, (_, index) => index + 1),
    )
  })

  it('leaves no listener behind on the node’s end', async () => {
    await node.post(URL, BODY)
    expect(getEventListeners(node.lifecycle.stopped, 'abort')).toEqual([])
  })
})
