import { beforeEach, describe, expect, expectTypeOf, it } from 'vitest'
import type { TranscriptMessage } from '../../src/api/live-transcript.ts'
import { type ListenOptions, SyrinxClient } from '../../src/client/client.ts'
import type { LiveEvent } from '../../src/client/live-transcription.ts'
import { ScriptedSocket } from './scripted-service.ts'

const event = (type: string, text: string) => {
  const combined_text = text
  return { type, text, combined_text, index: 0, start: 0, end: 1, language: 'en', is_final: type !== 'partial' }
}

beforeEach(() => {
  ScriptedSocket.opened.length = 0
})

async function listening(options: Partial<ListenOptions> = {}) {
  const client = new SyrinxClient({ baseUrl: 'https://node', apiKey: 'stt_sk_live_1', WebSocket: ScriptedSocket })
  const session = client.listen({ sample_rate: 16_000, ...options })
  const [socket] = ScriptedSocket.opened
  if (socket === undefined) throw new Error('no socket')
  socket.open()
  return { session: await session, socket }
}

describe('live transcription', () => {
  it('opens the session with its key, its language and its format', async () => {
    const { socket } = await listening({ language: 'de', mode: 'manual' })
    expect(socket.url).toBe('wss://node/api/public/v1/stt/ws?token=stt_sk_live_1&language=de')
    expect(socket.sent).toEqual([
      '{"type":"start","mode":"manual","language":"de","sample_rate":16000,"format":"pcm_s16le"}',
    ])
  })

  it('sends samples and commands in order, and hands on the events until the socket closes', async () => {
    const { session, socket } = await listening()
    session.send(new Int16Array([1, 2, 3]).subarray(1))
    session.commit()
    session.stop()
    expect(socket.sent.slice(1)).toEqual([Uint8Array.of(2, 0, 3, 0), '{"type":"commit"}', '{"type":"stop"}'])
    const events = [event('partial', 'Hel'), event('segment', 'Hello.'), event('final', 'Hello.')]
    for (const said of events) socket.say(said)
    socket.say({ type: 'something_new' })
    socket.end(1000)
    const heard: unknown[] = []
    for await (const one of session) heard.push(one)
    expect(heard).toEqual(events)
  })

  it('has the events of the service, field by field, as far as the compiler sees', () => {
    expectTypeOf<LiveEvent>().toEqualTypeOf<TranscriptMessage>()
  })

  it('sends what a source yields, then stops', async () => {
    async function* source() {
      yield Int16Array.of(7)
      yield Int16Array.of(8)
    }
    const { socket } = await listening({ audio: source() })
    await expect.poll(() => socket.sent.at(-1)).toBe('{"type":"stop"}')
    expect(socket.sent.slice(1, -1)).toEqual([Uint8Array.of(7, 0), Uint8Array.of(8, 0)])
  })

  it('takes a stream, and cancels it when the session is over', async () => {
    let wasCancelled = false
    const audio = new ReadableStream<Int16Array<ArrayBuffer>>({
      start: (controller) => controller.enqueue(Int16Array.of(7)),
      cancel: () => {
        wasCancelled = true
      },
    })
    const { session, socket } = await listening({ audio })
    await expect.poll(() => socket.sent.length).toBe(2)
    socket.end(1000)
    for await (const _ of session);
    await expect.poll(() => wasCancelled).toBe(true)
  })

  it('fails with the error the service told, once the socket has closed', async () => {
    const { session, socket } = await listening()
    socket.say({ type: 'error', code: 'INVALID_API_KEY', message: 'no' })
    socket.end(4401)
    const heard = session[Symbol.asyncIterator]().next()
    await expect(heard).rejects.toMatchObject({ code: 'INVALID_API_KEY', closeCode: 4401 })
  })

  it('fails where its source fails, and where the connection is lost', async () => {
    const failing = new ReadableStream<Int16Array<ArrayBuffer>>({ start: (c) => c.error(new Error('unplugged')) })
    const broken = await listening({ audio: failing })
    await expect(broken.session[Symbol.asyncIterator]().next()).rejects.toThrow('unplugged')
    expect(broken.socket.readyState).toBe(3)
    ScriptedSocket.opened.length = 0
    const lost = await listening()
    lost.socket.end(1006)
    const heard = lost.session[Symbol.asyncIterator]().next()
    await expect(heard).rejects.toMatchObject({ code: 'STREAM_INTERRUPTED', closeCode: 1006 })
  })

  it('ends when cancelled, and with the reason when its signal is aborted', async () => {
    const { session, socket } = await listening()
    const over = (async () => {
      for await (const _ of session);
    })()
    session.cancel()
    await over
    expect(socket.readyState).toBe(3)

    ScriptedSocket.opened.length = 0
    const controller = new AbortController()
    const aborted = await listening({ signal: controller.signal })
    const heard = aborted.session[Symbol.asyncIterator]().next()
    controller.abort(new Error('enough'))
    await expect(heard).rejects.toThrow('enough')
    expect(aborted.socket.readyState).toBe(3)
  })

  it('says which option is missing where there is no WebSocket', async () => {
    const found = Object.getOwnPropertyDescriptor(globalThis, 'WebSocket')
    Reflect.deleteProperty(globalThis, 'WebSocket')
    try {
      const client = new SyrinxClient({ baseUrl: 'http://node', apiKey: 'k' })
      expect(() => client.listen({ sample_rate: 16_000 })).toThrow('option WebSocket')
    } finally {
      if (found !== undefined) Object.defineProperty(globalThis, 'WebSocket', found)
    }
  })
})
