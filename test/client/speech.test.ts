import { describe, expect, it } from 'vitest'
import { SyrinxClient } from '../../src/client/client.ts'
import { speakBySocket } from '../../src/client/speech-socket.ts'
import { Transport } from '../../src/client/transport.ts'
import { ok, refusal, ScriptedService, ScriptedSocket, streamed } from './scripted-service.ts'

const START = 'event: start\ndata: {"sample_rate":24000,"channels":1,"format":"pcm_s16le","encoding":"base64"}\n\n'
const WORDS = [{ word: 'Hi.', start_ms: 0, end_ms: 1 }]
const DONE = `event: done\ndata: {"chunks":2,"duration_ms":1,"elapsed_ms":9,"words":${JSON.stringify(WORDS)}}\n\n`
const audio = (sequence: number, samples: readonly number[]) => {
  const base64 = Buffer.from(Int16Array.from(samples).buffer).toString('base64')
  return `event: audio\nid: ${sequence}\ndata: {"sequence":${sequence},"audio":"${base64}"}\n\n`
}

function clientOver(service: ScriptedService): SyrinxClient {
  const options = { baseUrl: 'http://node/', apiKey: 'vc_sk_live_1', retries: 0 }
  return new SyrinxClient({ ...options, fetch: service.fetch, WebSocket: ScriptedSocket })
}

describe('speech over events', () => {
  it('is its samples in order, and then its end', async () => {
    const service = new ScriptedService(streamed([START, `${audio(1, [1, -2])}: keep-alive\n\n`, audio(2, [3]), DONE]))
    const speech = await clientOver(service).speak('Hi.', { voice_id: 'preset_ada', timestamps: true })
    expect([speech.sampleRate, speech.requestId, speech.end]).toEqual([24_000, 'req_1', undefined])
    const samples: number[] = []
    for await (const chunk of speech) samples.push(...chunk)
    expect(samples).toEqual([1, -2, 3])
    expect(speech.end).toEqual({ chunks: 2, durationMs: 1, words: WORDS, audioUrl: undefined })
    const [{ url, body } = {}] = service.sent
    expect(url).toBe('http://node/api/v1/tts/sse')
    expect(body).toEqual({ text: 'Hi.', voice_id: 'preset_ada', timestamps: true })
  })

  it('fails with what an error event tells, after the samples that came before', async () => {
    const error = 'event: error\ndata: {"code":"GENERATION_FAILED","message":"no"}\n\n'
    const speech = await clientOver(new ScriptedService(streamed([START, audio(1, [5]), error]))).speak('Hi.')
    const samples: number[] = []
    const listening = (async () => {
      for await (const chunk of speech) samples.push(...chunk)
    })()
    await expect(listening).rejects.toMatchObject({ code: 'GENERATION_FAILED', requestId: 'req_1' })
    expect(samples).toEqual([5])
  })

  it.each([[false], [true]])(
    'is interrupted where the stream stops without `done` (connection lost: %s)',
    async (isCut) => {
      const speech = await clientOver(new ScriptedService(streamed([START, audio(1, [5])], isCut))).speak('Hi.')
      const listening = (async () => {
        for await (const _ of speech);
      })()
      await expect(listening).rejects.toMatchObject({ code: 'STREAM_INTERRUPTED' })
    },
  )

  it('is cancelled by leaving the loop', async () => {
    const response = streamed([START, audio(1, [5]), audio(2, [6]), DONE])
    const speech = await clientOver(new ScriptedService(response)).speak('Hi.')
    for await (const _ of speech) break
    expect(response.wasCancelled).toBe(true)
    expect(speech.end).toBeUndefined()
  })

  it('ends without an error when cancelled, and with the reason when its signal is aborted', async () => {
    for (const isCancelled of [true, false]) {
      const controller = new AbortController()
      const response = streamed([START, audio(1, [5]), audio(2, [6]), audio(3, [7]), DONE])
      const client = clientOver(new ScriptedService(response))
      const speech = await client.speak('Hi.', { signal: controller.signal })
      let chunks = 0
      const listening = (async () => {
        for await (const _ of speech) {
          chunks++
          if (isCancelled) speech.cancel()
          else controller.abort(new Error('enough'))
        }
      })()
      if (isCancelled) await listening
      else await expect(listening).rejects.toThrow('enough')
      expect(chunks).toBe(1)
      expect(response.wasCancelled).toBe(true)
    }
  })

  it('is refused like any call', async () => {
    const client = clientOver(new ScriptedService(refusal(403, 'QUOTA_EXCEEDED')))
    await expect(client.speak('Hi.')).rejects.toMatchObject({ code: 'QUOTA_EXCEEDED', status: 403 })
  })
})

describe('speech over a socket', () => {
  const token = () => ok({ stream_token: 'a+b', ws_url: 'ws://node/ws/tts/stream', max_length: 3, expires_in: 60 })

  async function speaking(signal?: AbortSignal) {
    const service = new ScriptedService(token())
    ScriptedSocket.opened.length = 0
    const client = clientOver(service)
    const speech = client.speak('Hi.', { way: 'socket', language: 'en', voice_id: 'v', ...(signal && { signal }) })
    await expect.poll(() => ScriptedSocket.opened.length).toBe(1)
    const [socket] = ScriptedSocket.opened
    if (socket === undefined) throw new Error('no socket')
    return { service, speech, socket }
  }

  it('asks for a token for the text, opens the address it is told, and starts', async () => {
    const { service, speech, socket } = await speaking()
    expect(service.sent[0]?.body).toEqual({ text_length: 3, voice_id: 'v' })
    expect(socket.url).toBe('ws://node/ws/tts/stream?token=a%2Bb')
    socket.open()
    socket.say({ type: 'start', mode: 'fast', sample_rate: 24_000, format: 'pcm16', channels: 1 })
    const chunks = (await speech)[Symbol.asyncIterator]()
    expect(socket.sent).toEqual(['{"type":"start","text":"Hi.","language":"en"}'])
    socket.say(Int16Array.of(1, 2).buffer)
    expect((await chunks.next()).value).toEqual(Int16Array.of(1, 2))
    socket.say({ type: 'done', mode: 'fast', audio_url: '/audio/x.wav', chunks: 1, ttfb_ms: 5, duration_ms: 0 })
    socket.end(1000)
    expect((await chunks.next()).done).toBe(true)
    expect((await speech).end).toMatchObject({ audioUrl: '/audio/x.wav', chunks: 1 })
  })

  it('fails with the event and the code that the socket closes with', async () => {
    const { speech, socket } = await speaking()
    socket.open()
    socket.say({ type: 'error', code: 'INVALID_API_KEY', message: 'no' })
    socket.end(4401)
    await expect(speech).rejects.toMatchObject({ code: 'INVALID_API_KEY', closeCode: 4401 })
  })

  it('tries again with the same token where the node was full', async () => {
    ScriptedSocket.opened.length = 0
    const service = new ScriptedService(token())
    const options = { baseUrl: 'http://node', apiKey: 'k', fetch: service.fetch, retriesMax: 1, pause: async () => {} }
    const speech = speakBySocket(new Transport(options), ScriptedSocket, { text: 'Hi.', fields: {} })
    await expect.poll(() => ScriptedSocket.opened.length).toBe(1)
    ScriptedSocket.opened[0]?.open()
    ScriptedSocket.opened[0]?.say({ type: 'error', code: 'BACKEND_ERROR', message: 'full' })
    ScriptedSocket.opened[0]?.end(1013)
    await expect.poll(() => ScriptedSocket.opened.length).toBe(2)
    expect(ScriptedSocket.opened[1]?.url).toBe(ScriptedSocket.opened[0]?.url)
    ScriptedSocket.opened[1]?.open()
    ScriptedSocket.opened[1]?.say({ type: 'start', sample_rate: 24_000 })
    expect((await speech).sampleRate).toBe(24_000)
    expect(service.sent).toHaveLength(1)
  })

  it('closes the socket when the signal is aborted, before it opens and after', async () => {
    for (const opensFirst of [false, true]) {
      const controller = new AbortController()
      const { speech, socket } = await speaking(controller.signal)
      if (opensFirst) socket.open()
      controller.abort(new Error('enough'))
      await expect(speech).rejects.toThrow('enough')
      expect(socket.readyState).toBe(3)
    }
  })
})
