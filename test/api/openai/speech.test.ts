import { getEventListeners } from 'node:events'
import type OpenAI from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OPENAI_VOICES } from '../../../src/api/openai/voices.ts'
import { presetVoices } from '../../../src/speech/voices.ts'
import { OWN_VOICE, PRESET_VOICE, TestNode } from '../test-node.ts'
import { connectOpenAi, refused } from './openai-client.ts'

const BODY = { model: 'tts-1', voice: 'alloy', input: 'Hello there' } as const

let node: TestNode
let client: OpenAI
let admin: OpenAI
let url: string
beforeEach(async () => {
  node = await TestNode.start({ openAi: { speechModel: 'scripted' } })
  for (const id of Object.values(OPENAI_VOICES)) {
    const voice = presetVoices.find(id)
    if (voice !== undefined) node.voices.set(id, voice)
  }
  const connected = await connectOpenAi(node)
  client = connected.as(node.voiceKey)
  admin = connected.as(node.adminKey)
  url = connected.url
})
afterEach(async () => {
  await expect.poll(() => node.admission.held).toBe(0)
  await expect.poll(() => getEventListeners(node.lifecycle.stopped, 'abort')).toEqual([])
  await node.stop()
})

const PCM = Buffer.concat([1, 2, 3].map((value) => Buffer.from(new Int16Array(4_800).fill(value).buffer)))
const bytesOf = async (response: { arrayBuffer(): Promise<ArrayBuffer> }) => Buffer.from(await response.arrayBuffer())

describe('speech for OpenAI’s client', () => {
  it.each([
    ['pcm', 'audio/pcm', PCM],
    ['mp3', 'audio/mpeg', Buffer.from('1 × 4800\n2 × 4800\n3 × 4800\nend\n')],
    ['opus', 'audio/ogg', Buffer.from('as if opus')],
    ['flac', 'audio/flac', Buffer.from('as if flac')],
  ] as const)('comes as %s', async (response_format, type, expected) => {
    const response = await client.audio.speech.create({ ...BODY, response_format })
    expect(response.headers.get('content-type')).toBe(type)
    expect(response.headers.get('x-service-chars-deducted')).toBe('11')
    expect(await bytesOf(response)).toEqual(expected)
    expect(node.charged).toBe(11)
    await expect
      .poll(() => node.ledger.generationsOf(node.accountId))
      .toMatchObject([{ way: 'openai', voiceId: PRESET_VOICE, characters: 11, outcome: 'completed', durationMs: 600 }])
  })

  it('comes as WAV whose header leaves the length open', async () => {
    const wav = await bytesOf(await client.audio.speech.create({ ...BODY, response_format: 'wav' }))
    expect([wav.toString('latin1', 0, 4), wav.readUInt32LE(4), wav.readUInt32LE(40)]).toEqual([
      'RIFF',
      0xffff_ffff,
      0xffff_ffff,
    ])
    expect([wav.readUInt32LE(24), wav.readUInt16LE(22), wav.readUInt16LE(34)]).toEqual([24_000, 1, 16])
    expect(wav.subarray(44)).toEqual(PCM)
  })

  it('comes as MP3 unless told otherwise', async () => {
    const response = await client.audio.speech.create(BODY)
    expect(response.headers.get('content-type')).toBe('audio/mpeg')
    expect((await bytesOf(response)).toString()).toMatch(/end\n$/)
  })

  it.each(['pcm', 'wav', 'mp3'] as const)('as %s is heard before it is complete', async (response_format) => {
    node.synthesizer.script = { pace: 'by_hand' }
    const asked = client.audio.speech.create({ ...BODY, response_format })
    await expect.poll(() => node.synthesizer.running).toBe(1)
    node.synthesizer.step()
    const reader = (await asked).body?.getReader()
    const first = await reader?.read()
    expect(first?.value?.length).toBeGreaterThan(0)
    expect(node.synthesizer.made).toBe(1)
    while (node.synthesizer.step());
    while (!(await reader?.read())?.done);
  })

  it('comes as events', async () => {
    const response = await client.audio.speech.create({ ...BODY, response_format: 'pcm', stream_format: 'sse' })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const events = eventsOf(await response.text())
    const done = events.pop()
    expect(done).toEqual({
      type: 'speech.audio.done',
      usage: { input_tokens: 11, output_tokens: 0, total_tokens: 11 },
    })
    expect(new Set(events.map(({ type }) => type))).toEqual(new Set(['speech.audio.delta']))
    expect(Buffer.concat(events.map(({ audio }) => Buffer.from(audio, 'base64')))).toEqual(PCM)
  })

  it('comes as events in formats that are made in one piece, too', async () => {
    const response = await client.audio.speech.create({ ...BODY, response_format: 'flac', stream_format: 'sse' })
    const [delta, done] = eventsOf(await response.text())
    expect([Buffer.from(delta?.audio, 'base64').toString(), done?.type]).toEqual(['as if flac', 'speech.audio.done'])
  })

  it.each([
    [0.25, 0.5],
    [1, 1],
    [4, 1.5],
  ])('at speed %d is spoken at %d', async (speed, spoken) => {
    await client.audio.speech.create({ ...BODY, speed, instructions: 'whisper' })
    expect(node.synthesizer.requests[0]).toMatchObject({ speed: spoken, text: BODY.input, language: 'auto' })
  })
})

describe('voices', () => {
  it.each([
    ...Object.entries(OPENAI_VOICES),
    ['ada', PRESET_VOICE],
    [PRESET_VOICE, PRESET_VOICE],
    [OWN_VOICE, OWN_VOICE],
  ])('%s means %s to an account key', async (voice, id) => {
    await admin.audio.speech.create({ ...BODY, voice })
    expect(node.synthesizer.requests[0]?.voiceId).toBe(id)
  })

  it('may come as an object', async () => {
    await admin.audio.speech.create({ ...BODY, voice: { id: OWN_VOICE } })
    expect(node.synthesizer.requests[0]?.voiceId).toBe(OWN_VOICE)
  })

  it.each(['alloy', 'ada', PRESET_VOICE])('%s means its own voice to a voice key', async (voice) => {
    await client.audio.speech.create({ ...BODY, voice })
    expect(node.synthesizer.requests[0]?.voiceId).toBe(PRESET_VOICE)
  })

  it.each([...Object.values(OPENAI_VOICES)])('%s is one that the model has', (id) => {
    expect(presetVoices.find(id)).toBeDefined()
  })
})

describe('errors have OpenAI’s shape', () => {
  it.each([
    ['another format', { response_format: 'aac' }, 'BAD_REQUEST', 'response_format'],
    ['an empty text', { input: ' ' }, 'BAD_REQUEST', 'input'],
    ['a text over 5,000 characters', { input: 'a'.repeat(5_001) }, 'TEXT_TOO_LONG', 'input'],
    ['a speed out of range', { speed: 5 }, 'BAD_REQUEST', 'speed'],
    ['a model that is no text', { model: 1 }, 'BAD_REQUEST', 'model'],
    ['a voice that is no text', { voice: 7 }, 'BAD_REQUEST', 'voice'],
    ['an unknown stream format', { stream_format: 'video' }, 'BAD_REQUEST', 'stream_format'],
  ])('for %s', async (_, fields, code, param) => {
    const body = { ...BODY, ...fields } as OpenAI.Audio.SpeechCreateParams
    expect(await refused(client.audio.speech.create(body))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code,
      param,
    })
    expect(node.charged).toBe(0)
  })

  it('for keys', async () => {
    const { as } = await connectOpenAi(node)
    expect(await refused(as('sk-wrong').audio.speech.create(BODY))).toMatchObject({
      status: 401,
      type: 'authentication_error',
      code: 'INVALID_API_KEY',
    })
    expect(await refused(as(node.sttKey).audio.speech.create(BODY))).toMatchObject({
      status: 403,
      type: 'permission_error',
      code: 'INVALID_API_KEY',
    })
  })

  it('for voices out of reach', async () => {
    const other = { ...BODY, voice: OWN_VOICE }
    expect(await refused(client.audio.speech.create(other))).toMatchObject({
      status: 403,
      type: 'permission_error',
      code: 'VOICE_NOT_ALLOWED',
    })
    const missing = { model: 'tts-1', input: 'Hello' } as OpenAI.Audio.SpeechCreateParams
    expect(await refused(admin.audio.speech.create(missing))).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      code: 'VOICE_ID_REQUIRED',
    })
  })

  it('for an allowance that does not cover the text', async () => {
    await node.ledger.setAccount(node.accountId, { ttsQuota: 5 })
    expect(await refused(client.audio.speech.create(BODY))).toMatchObject({
      status: 403,
      type: 'insufficient_quota',
      code: 'QUOTA_EXCEEDED',
    })
  })

  it('for a full node', async () => {
    node.admission.full = true
    expect(await refused(client.audio.speech.create(BODY))).toMatchObject({
      status: 503,
      type: 'server_error',
      code: 'BACKEND_ERROR',
    })
    expect(node.charged).toBe(0)
  })

  it.each(['pcm', 'mp3', 'opus'] as const)('for an engine that fails before the first %s', async (response_format) => {
    node.synthesizer.script = { failsAt: 1 }
    const call = client.audio.speech.create({ ...BODY, response_format }, { maxRetries: 2 })
    expect(await refused(call)).toMatchObject({ status: 500, type: 'server_error', code: 'BACKEND_ERROR' })
    // Not thrice, as it would be if the client asked again.
    expect(node.charged).toBe(11)
  })

  it('for paths and methods that do not exist', async () => {
    expect(await refused(client.embeddings.create({ model: 'x', input: 'y' }))).toMatchObject({
      status: 404,
      type: 'invalid_request_error',
      code: 'NOT_FOUND',
    })
    expect(await refused(client.get('/audio/speech'))).toMatchObject({
      status: 405,
      type: 'invalid_request_error',
      code: 'BAD_REQUEST',
    })
  })
})

describe('an answer that has begun', () => {
  const begin = (fields: object) =>
    fetch(`${url}/audio/speech`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${node.voiceKey}` },
      body: JSON.stringify({ ...BODY, ...fields }),
    })

  it.each(['pcm', 'mp3'])('as %s breaks off when the engine fails', async (response_format) => {
    node.synthesizer.script = { failsAt: 2 }
    const response = await begin({ response_format })
    expect(response.status).toBe(200)
    await expect(response.arrayBuffer()).rejects.toThrow()
    await expect.poll(() => node.ledger.generationsOf(node.accountId)).toMatchObject([{ outcome: 'failed' }])
  })

  it('as events ends with an error when the engine fails', async () => {
    node.synthesizer.script = { failsAt: 2 }
    const response = await begin({ response_format: 'pcm', stream_format: 'sse' })
    const last = eventsOf(await response.text()).at(-1)
    expect(last).toMatchObject({ type: 'error', error: { type: 'server_error', code: 'BACKEND_ERROR' } })
    await expect.poll(() => node.ledger.generationsOf(node.accountId)).toMatchObject([{ outcome: 'failed' }])
  })

  it('as events ends with an error when the node is at its end', async () => {
    node.synthesizer.script = { pace: 'by_hand' }
    const asked = begin({ response_format: 'pcm', stream_format: 'sse' })
    await expect.poll(() => node.synthesizer.running).toBe(1)
    node.synthesizer.step()
    const response = await asked
    node.lifecycle.stop()
    expect(eventsOf(await response.text()).at(-1)?.error.message).toBe('the node is shutting down')
  })

  it('stops the engine when the client leaves', async () => {
    node.synthesizer.script = { pace: 'by_hand' }
    const { exchange, handled } = node.begin('POST', '/v1/audio/speech', { ...BODY, response_format: 'mp3' })
    await expect.poll(() => node.synthesizer.running).toBe(1)
    node.synthesizer.step()
    exchange.leave()
    expect(node.synthesizer.running).toBe(0)
    await handled
    expect(node.ledger.generationsOf(node.accountId)[0]?.outcome).toBe('cancelled')
  })

  it.each(['pcm', 'wav'])('as %s is made no faster than it is read', async (response_format) => {
    node.synthesizer.script = { frames: 100 }
    const body = { ...BODY, response_format }
    const { exchange, handled } = node.begin('POST', '/v1/audio/speech', body, { reader: 'stalled' })
    await expect.poll(() => node.synthesizer.made).toBeGreaterThan(20)
    expect(exchange.sink?.bufferedBytesMost).toBeLessThan(300_000)
    expect(node.synthesizer.made).toBeLessThan(40)
    const drain = setInterval(() => exchange.sink?.drain(1_000_000), 1)
    await handled
    clearInterval(drain)
    expect(node.synthesizer.made).toBe(100)
  })
})

describe('without SYRINX_OPENAI', () => {
  it('there are no such routes, and none in the documents', async () => {
    const plain = await TestNode.start()
    const { as } = await connectOpenAi(plain)
    await expect(as(plain.voiceKey).audio.speech.create(BODY)).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
    const document = await plain.call('GET', '/openapi.json', undefined, { key: null })
    expect(JSON.stringify(document.json)).not.toContain('/v1/audio/speech')
    await plain.stop()
  })
})

function eventsOf(text: string) {
  return text
    .split('\n\n')
    .slice(0, -1)
    .map((block) => JSON.parse(block.replace(/^data: /, '')))
}
