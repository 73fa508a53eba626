import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Metrics } from '../../src/runtime/metrics.ts'
import { TestNode } from './test-node.ts'

let node: TestNode
beforeEach(async () => {
  const metrics = new Metrics()
  node = await TestNode.start({ observer: metrics.service, exposition: metrics }, metrics.ledger)
})
afterEach(() => node.stop())

const TEXT = 'Hello there'

/** The node's own figures that are not zero, without buckets. */
async function figures(): Promise<Record<string, number>> {
  const text = (await node.call('GET', '/metrics', undefined, { key: null })).bytes.toString()
  const lines = text.split('\n').filter((line) => line.startsWith('syrinx_') && !line.includes('_bucket'))
  const pairs = lines.map((line) => [line.slice(7, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))] as const)
  return Object.fromEntries(pairs.filter(([name, value]) => value > 0 && !name.startsWith('ledger_commit')))
}

describe('GET /metrics (D32)', () => {
  it('answers without a key, as what Prometheus reads, also while the node is not ready', async () => {
    node.lifecycle.ready = false
    const response = await node.call('GET', '/metrics', undefined, { key: null })
    expect([response.status, response.headers['Content-Type']]).toEqual([
      200,
      expect.stringMatching(/^text\/plain; version=0\.0\.4/),
    ])
  })

  it('shows a stream while it is spoken and what it came to afterwards', async () => {
    node.synthesizer.script = { pace: 'by_hand', frames: 3 }
    const { exchange, handled } = node.begin('POST', '/api/v1/tts/sse', { text: TEXT }, { reader: 'stalled' })
    await expect.poll(() => node.synthesizer.running).toBe(1)
    const charged = { 'characters_charged_total{kind="tts"}': TEXT.length }
    const stream = { 'streams_open{way="sse"}': 1, stream_buffered_bytes: exchange.sink?.bufferedBytes }
    expect(await figures()).toEqual({ ...charged, ...stream })

    node.clock.advance(180)
    for (let i = 0; i < 4; i++) node.synthesizer.step()
    await handled
    expect(exchange.sink?.events.at(-1)).toMatchObject({ event: 'done' })
    expect(await figures()).toEqual({
      ...charged,
      'first_audio_seconds_sum{way="sse"}': 0.18,
      'first_audio_seconds_count{way="sse"}': 1,
      'speech_seconds_total{way="sse"}': 0.6,
      'generations_total{way="sse",outcome="completed"}': 1,
    })
  })

  it('counts a stream whose client leaves as cancelled, with the speech that was made', async () => {
    node.synthesizer.script = { pace: 'by_hand', frames: 3 }
    const { exchange, handled } = node.begin('POST', '/api/v1/tts/sse', { text: TEXT })
    await expect.poll(() => node.synthesizer.running).toBe(1)
    node.synthesizer.step()
    exchange.leave()
    await handled
    expect(await figures()).toMatchObject({
      'generations_total{way="sse",outcome="cancelled"}': 1,
      'speech_seconds_total{way="sse"}': 0.2,
    })
  })

  it('counts a stream over a socket, and its token once', async () => {
    const token = await node.post('/api/v1/tts/stream-token', { text_length: 20 })
    const socket = node.connect(token.json.data.stream_token)
    await expect.poll(() => node.clock.timers).toBe(1)
    socket.receive({ type: 'start', text: TEXT })
    await expect.poll(() => node.ledger.generationsOf(node.accountId).length).toBe(1)
    expect(await figures()).toEqual({
      'characters_charged_total{kind="tts"}': 20,
      'first_audio_seconds_count{way="websocket"}': 1,
      'speech_seconds_total{way="websocket"}': expect.closeTo(0.6),
      'generations_total{way="websocket",outcome="completed"}': 1,
    })
  })

  it('shows a microphone while it is listened to, and how long its final words took', async () => {
    const socket = node.listen()
    socket.receive({ type: 'start', mode: 'manual', language: 'en' })
    expect(await figures()).toEqual({ 'microphones_open{mode="manual"}': 1 })
    node.recognizer.pace = 'by_hand'
    socket.receive(new Uint8Array(new Int16Array(16_000).fill(8_000).buffer))
    socket.receive({ type: 'commit' })
    await expect.poll(() => node.recognizer.held).toBe(1)
    node.clock.advance(250)
    node.recognizer.release()
    await expect.poll(() => socket.events.length).toBeGreaterThan(1)
    socket.receive({ type: 'stop' })
    await expect.poll(() => socket.closeCode).toBe(1000)
    expect(await figures()).toEqual({
      'final_seconds_sum{mode="manual"}': 0.25,
      'final_seconds_count{mode="manual"}': 1,
      'characters_charged_total{kind="stt"}': 11,
    })
  })

  it.each(['bytes', 'generate'])('counts a file made by %s, and one that fails', async (way) => {
    await node.post(`/api/v1/tts/${way}`, { text: TEXT })
    node.synthesizer.script = { failsAt: 2 }
    await node.post(`/api/v1/tts/${way}`, { text: TEXT })
    expect(await figures()).toEqual({
      'characters_charged_total{kind="tts"}': 2 * TEXT.length,
      [`first_audio_seconds_count{way="${way}"}`]: 1,
      [`speech_seconds_total{way="${way}"}`]: expect.closeTo(0.6),
      [`generations_total{way="${way}",outcome="completed"}`]: 1,
      [`generations_total{way="${way}",outcome="failed"}`]: 1,
      'errors_total{code="BACKEND_ERROR"}': 1,
    })
  })

  it('counts what is refused by its code, over sockets too', async () => {
    await node.post('/api/v1/tts/sse', { text: TEXT }, { key: null })
    node.connect('no-such-token')
    await node.post('/api/v1/tts/sse', { text: '' })
    expect(await figures()).toEqual({
      'errors_total{code="INVALID_API_KEY"}': 2,
      'errors_total{code="BAD_REQUEST"}': 1,
    })
  })

  it('names no key, request, voice or text', async () => {
    await node.post('/api/v1/tts/sse', { text: TEXT })
    const text = (await node.call('GET', '/metrics', undefined, { key: null })).bytes.toString()
    const secrets = [
      TEXT,
      node.voiceKey,
      node.accountId,
      'request_1',
      'preset_',
      ...node.ledger.keysOf(node.accountId).map(({ id }) => id),
    ]
    expect(secrets.filter((secret) => text.includes(secret))).toEqual([])
  })
})
