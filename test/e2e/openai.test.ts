import OpenAI, { toFile } from 'openai'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'

const TEXT = 'She opened the old wooden door slowly. A warm light spilled out across the garden path.'

let node: NodeUnderTest
let speaker: OpenAI
let listener: OpenAI

beforeAll(async () => {
  node = await startNode({ SYRINX_OPENAI: 'on' })
  const account = (await node.command('account', 'create', '--name', 'e2e', '--stt-quota', 'unlimited')) as {
    id: string
  }
  const key = (await node.command('key', 'create', '--account', account.id, '--kind', 'stt', '--name', 'e2e')) as {
    key: string
  }
  const connect = (apiKey: string) => new OpenAI({ apiKey, baseURL: `${node.url}/v1` })
  speaker = connect(await node.voiceKey('preset_af_heart'))
  listener = connect(key.key)
})

afterAll(() => node.stop())

const speech = (fields: Partial<OpenAI.Audio.SpeechCreateParams>) =>
  speaker.audio.speech.create({ model: 'kokoro', voice: 'alloy', input: TEXT, ...fields })
const wordsOf = (text: string) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []

describe('OpenAI’s client on a node with real models', () => {
  it.each(['mp3', 'wav', 'pcm', 'opus', 'flac'] as const)('hears %s that says what it was asked to', async (format) => {
    const response = await speech({ response_format: format })
    const audio = Buffer.from(await response.arrayBuffer())
    const file = await toFile(format === 'pcm' ? wavOf(audio) : audio, `speech.${format}`)
    const { text } = await listener.audio.transcriptions.create({ file, model: 'whisper-1', language: 'en' })
    expect(wordsOf(text)).toEqual(wordsOf(TEXT))
  })

  it('gets the same samples as a file and as events', async () => {
    const file = Buffer.from(await (await speech({ response_format: 'pcm' })).arrayBuffer())
    const events = await (await speech({ response_format: 'pcm', stream_format: 'sse' })).text()
    const pieces = [...events.matchAll(/"audio":"([^"]*)"/g)].map(([, base64 = '']) => Buffer.from(base64, 'base64'))
    expect(pieces.length).toBeGreaterThan(10)
    expect(Buffer.concat(pieces).equals(file)).toBe(true)
    expect(events).toContain('speech.audio.done')
  })

  it('gets subtitles, words and events of a recording', async () => {
    const audio = Buffer.from(await (await speech({ response_format: 'wav' })).arrayBuffer())
    const upload = async () => ({ file: await toFile(audio, 'speech.wav'), model: 'whisper-1', language: 'en' })
    const { transcriptions } = listener.audio

    const srt = await transcriptions.create({ ...(await upload()), response_format: 'srt' })
    expect(srt).toMatch(/^1\n00:00:00,\d{3} --> 00:00:0\d,\d{3}\nShe opened the old wooden door slowly\.\n\n2\n/)
    const vtt = await transcriptions.create({ ...(await upload()), response_format: 'vtt' })
    expect(vtt).toMatch(/^WEBVTT\n\n00:00:00\.\d{3} --> /)
    const verbose = await transcriptions.create({
      ...(await upload()),
      response_format: 'verbose_json',
      timestamp_granularities: ['word', 'segment'],
    })
    expect([verbose.language, verbose.words?.length]).toEqual(['english', wordsOf(TEXT).length])
    let streamed = ''
    for await (const event of await transcriptions.create({ ...(await upload()), stream: true })) {
      if (event.type === 'transcript.text.delta') streamed += event.delta
    }
    expect(streamed).toBe(verbose.text)
  })

  it('sees the models, and the books balance', async () => {
    const { data } = await speaker.models.list()
    expect(data.map(({ id }) => id)).toContain('kokoro')
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true })
  })
})

/** PCM16 at 24 kHz as a file. */
function wavOf(pcm: Buffer): Buffer {
  const header = Buffer.from(
    'RIFF\0\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\0\0\0\0\0\0\0\0\x02\0\x10\0data\0\0\0\0',
    'latin1',
  )
  header.writeUInt32LE(36 + pcm.length, 4)
  header.writeUInt32LE(24_000, 24)
  header.writeUInt32LE(48_000, 28)
  header.writeUInt32LE(pcm.length, 40)
  return Buffer.concat([header, pcm])
}
