import { getEventListeners } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import type OpenAI from 'openai'
import { toFile } from 'openai'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { TestNode } from '../test-node.ts'
import { connectOpenAi, refused } from './openai-client.ts'

let node: TestNode
let client: OpenAI
beforeEach(async () => {
  node = await TestNode.start({ openAi: { speechModel: 'scripted' } })
  node.recognizer.texts = ['Good morning.', 'How are you?']
  node.recognizer.language = 'en'
  client = (await connectOpenAi(node)).as(node.sttKey)
})
afterEach(async () => {
  // Whatever happened: nothing of it stays. The last of it goes after the answer.
  await expect.poll(() => readdir(join(node.audioFolder, '..', 'spool'))).toEqual([])
  await expect.poll(() => getEventListeners(node.lifecycle.stopped, 'abort')).toEqual([])
  expect([node.admission.held, node.spool.usedBytes]).toEqual([0, 0])
  await node.stop()
})

const upload = async (script = '-1 2 -4 1.5 -1') => ({
  file: await toFile(Buffer.from(script), 'speech.wav'),
  model: 'whisper-1',
})
const TEXT = 'Good morning. How are you?'

describe('a transcription for OpenAI’s client', () => {
  it('is JSON with the text', async () => {
    const answer = await client.audio.transcriptions.create(await upload())
    expect(answer).toEqual({ text: TEXT, usage: { type: 'duration', seconds: 9.5 } })
    expect(node.heard).toBe(TEXT.length)
  })

  it('is text', async () => {
    const answer = await client.audio.transcriptions.create({ ...(await upload()), response_format: 'text' })
    expect(answer).toBe(`${TEXT}\n`)
  })

  it('is SubRip, cut where words are told', async () => {
    const answer = await client.audio.transcriptions.create({ ...(await upload()), response_format: 'srt' })
    expect(answer).toBe(
      '1\n00:00:00,800 --> 00:00:01,700\nGood morning.\n\n2\n00:00:06,784 --> 00:00:08,184\nHow are you?\n\n',
    )
  })

  it('is WebVTT, and its text no markup', async () => {
    node.recognizer.texts = ['x < y &', 'z']
    const answer = await client.audio.transcriptions.create({ ...(await upload()), response_format: 'vtt' })
    expect(answer).toBe(
      'WEBVTT\n\n00:00:00.800 --> 00:00:02.700\nx &lt; y &amp;\n\n00:00:06.784 --> 00:00:07.184\nz\n\n',
    )
  })

  it('is verbose, with segments', async () => {
    const answer = await client.audio.transcriptions.create({
      ...(await upload()),
      response_format: 'verbose_json',
      language: 'en',
    })
    expect(answer).toEqual({
      task: 'transcribe',
      language: 'english',
      duration: 9.5,
      text: TEXT,
      segments: [
        { id: 0, start: 0.8, end: 3.2, text: 'Good morning.' },
        { id: 1, start: 6.784, end: 8.704, text: 'How are you?' },
      ],
      usage: { type: 'duration', seconds: 9.5 },
    })
  })

  it('is verbose, with words', async () => {
    const answer = await client.audio.transcriptions.create({
      ...(await upload()),
      response_format: 'verbose_json',
      timestamp_granularities: ['word'],
    })
    expect(answer.words?.map(({ word }) => word)).toEqual(['Good', 'morning.', 'How', 'are', 'you?'])
    expect(answer.words?.[0]).toEqual({ word: 'Good', start: 0.8, end: 1.2 })
    expect(answer.segments).toBeUndefined()
  })

  it('is verbose, with both', async () => {
    const answer = await client.audio.transcriptions.create({
      ...(await upload()),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect([answer.words?.length, answer.segments?.length]).toEqual([5, 2])
  })

  it('comes as events', async () => {
    const events = await client.audio.transcriptions.create({ ...(await upload()), stream: true })
    const seen: object[] = []
    for await (const event of events) seen.push(event)
    expect(seen).toEqual([
      { type: 'transcript.text.delta', delta: 'Good morning.' },
      { type: 'transcript.text.delta', delta: ' How are you?' },
      { type: 'transcript.text.done', text: TEXT, usage: { type: 'duration', seconds: 9.5 } },
    ])
  })

  it('takes what OpenAI takes', async () => {
    const answer = await client.audio.transcriptions.create({
      ...(await upload('1')),
      prompt: 'Names: Ada',
      temperature: 0.2,
      language: 'de',
      chunking_strategy: 'auto',
    })
    expect(answer.text).toBe('Good morning.')
    expect(node.recognizer.segments[0]?.mode.code).toBe('de')
  })

  it('of silence is empty and costs nothing', async () => {
    expect((await client.audio.transcriptions.create(await upload('-3'))).text).toBe('')
    expect(await client.audio.transcriptions.create({ ...(await upload('-3')), response_format: 'srt' })).toBe('')
    expect(node.heard).toBe(0)
  })
})

describe('errors have OpenAI’s shape', () => {
  it.each([
    ['an unknown format', { response_format: 'diarized_json' }, 'response_format'],
    ['an unknown language', { language: 'xx' }, 'language'],
    ['a temperature out of range', { temperature: 2 }, 'temperature'],
    ['events of subtitles', { response_format: 'srt', stream: true }, 'response_format'],
    [
      'times of something else',
      { response_format: 'verbose_json', timestamp_granularities: ['letter'] },
      'timestamp_granularities[]',
    ],
  ])('for %s', async (_, fields, param) => {
    const body = { ...(await upload()), ...fields } as unknown as OpenAI.Audio.TranscriptionCreateParamsNonStreaming
    expect(await refused(client.audio.transcriptions.create(body))).toEqual({
      status: 400,
      type: 'invalid_request_error',
      code: 'BAD_REQUEST',
      param,
    })
  })

  it.each([
    ['undecodable', 400, 'bad_request'],
    ['unsupported', 415, 'unsupported_audio_format'],
    ['too_long', 400, 'bad_request'],
  ])('for a file that is %s', async (script, status, code) => {
    expect(await refused(client.audio.transcriptions.create(await upload(script)))).toMatchObject({
      status,
      type: 'invalid_request_error',
      code,
    })
  })

  it('for keys of another kind', async () => {
    const { as } = await connectOpenAi(node)
    expect(await refused(as(node.voiceKey).audio.transcriptions.create(await upload()))).toMatchObject({
      status: 403,
      type: 'permission_error',
      code: 'INVALID_API_KEY',
    })
  })

  it('beside what was charged when the allowance ends on the way (D16)', async () => {
    await node.ledger.setAccount(node.accountId, { sttQuota: 13 })
    const form = new FormData()
    form.append('file', new Blob(['1 -4 1']), 'speech.wav')
    form.append('model', 'whisper-1')
    const { exchange, handled } = await node.upload('/v1/audio/transcriptions', form)
    await handled
    expect([exchange.response?.status, exchange.response?.json]).toMatchObject([
      403,
      { error: { type: 'insufficient_quota', code: 'QUOTA_EXCEEDED' }, text: 'Good morning.' },
    ])
  })

  it('beside what was charged when recognition fails on the way', async () => {
    node.recognizer.failsAt = 1
    const call = client.audio.transcriptions.create(await upload(), { maxRetries: 2 })
    expect(await refused(call)).toMatchObject({ status: 502, code: 'stt_upstream_error' })
    // Not thrice, as it would be if the client asked again.
    expect(node.heard).toBe('Good morning.'.length)
    const form = new FormData()
    form.append('file', new Blob(['1 -4 1']), 'speech.wav')
    form.append('model', 'whisper-1')
    const { exchange, handled } = await node.upload('/v1/audio/transcriptions', form)
    await handled
    expect(exchange.response?.json.text).toBe('Good morning.')
  })

  it('in events, thrown by the client', async () => {
    node.recognizer.failsAt = 1
    const seen: object[] = []
    const read = async () => {
      const events = await client.audio.transcriptions.create({ ...(await upload()), stream: true })
      for await (const event of events) seen.push(event)
    }
    expect(await refused(read())).toMatchObject({ status: undefined, type: 'server_error', code: 'stt_upstream_error' })
    expect(seen).toEqual([{ type: 'transcript.text.delta', delta: 'Good morning.' }])
  })
})

describe('models', () => {
  it('are those of the node, for any key', async () => {
    const { as } = await connectOpenAi(node)
    for (const key of [node.sttKey, node.voiceKey, node.adminKey]) {
      const { data } = await as(key).models.list()
      expect(data.map(({ id, object, owned_by }) => [id, object, owned_by])).toEqual([
        ['scripted', 'model', 'syrinx'],
        ['scripted-1', 'model', 'syrinx'],
      ])
    }
  })

  it('can be asked for one by one', async () => {
    expect((await client.models.retrieve('scripted-1')).id).toBe('scripted-1')
    await expect(client.models.retrieve('gpt-9')).rejects.toMatchObject({ status: 404, code: 'NOT_FOUND' })
  })

  it('answer as they are described', async () => {
    expect((await node.call('GET', '/v1/models')).status).toBe(200)
    expect((await node.call('GET', '/v1/models/scripted')).json.id).toBe('scripted')
    expect((await node.call('GET', '/v1/models', undefined, { key: null })).json.error.type).toBe(
      'authentication_error',
    )
  })
})
