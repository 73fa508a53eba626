import { type LiveEvent, SyrinxClient } from 'syrinx/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { waitFor } from '../wait-for.ts'

const TEXT = 'The old door opened slowly, and a warm light spilled out across the garden path.'

let node: NodeUnderTest
/** One of each kind, of one account. */
let voice: SyrinxClient
let admin: SyrinxClient
let listener: SyrinxClient

beforeAll(async () => {
  node = await startNode({ SYRINX_LOG_LEVEL: 'info' })
  const account = await node.command('account', 'create', '--name', 'client', '--tts-quota', '100000')
  const { id } = account as { id: string }
  const client = async (kind: string, ...words: string[]) => {
    const created = await node.command('key', 'create', '--account', id, '--kind', kind, '--name', kind, ...words)
    return new SyrinxClient({ baseUrl: node.url, apiKey: (created as { key: string }).key, WebSocket })
  }
  voice = await client('voice', '--voice', 'preset_af_heart')
  admin = await client('admin')
  listener = await client('stt')
})

afterAll(() => node.stop())

async function samplesOf(chunks: AsyncIterable<Int16Array>): Promise<Int16Array> {
  const samples: number[] = []
  for await (const chunk of chunks) samples.push(...chunk)
  return Int16Array.from(samples)
}

const outcomes = (way: string, outcome: string) =>
  node.printed.filter((line) => line.includes(`"${way}"`) && line.includes(`"${outcome}"`)).length

describe('the client, imported as others import it', () => {
  it('speaks over events and over a socket, the samples of the file', async () => {
    const file = await voice.speakFile(TEXT, { format: 'wav' })
    expect([file.type, file.charactersDeducted]).toEqual(['audio/wav', TEXT.length])
    const expected = new Int16Array(file.bytes.slice(44))
    for (const way of ['events', 'socket'] as const) {
      const speech = await voice.speak(TEXT, { way, timestamps: true })
      expect(speech.sampleRate).toBe(24_000)
      expect(Buffer.compare(Buffer.from((await samplesOf(speech)).buffer), Buffer.from(expected.buffer))).toBe(0)
      expect(speech.end?.durationMs).toBe(Math.round(expected.length / 24))
      expect(speech.end?.words.map(({ word }) => word)).toEqual(TEXT.split(' '))
    }
  })

  it('stops a speech in both ways: leaving the loop, `cancel`, and a signal', async () => {
    const text = TEXT.repeat(10)
    for (const [way, name] of [
      ['events', 'sse'],
      ['socket', 'websocket'],
    ] as const) {
      const before = outcomes(name, 'cancelled')
      for await (const _ of await voice.speak(text, { way })) break

      const cancelled = await voice.speak(text, { way })
      for await (const _ of cancelled) cancelled.cancel()

      const controller = new AbortController()
      const aborted = samplesOf(await voice.speak(text, { way, signal: controller.signal }))
      controller.abort(new Error('enough'))
      await expect(aborted).rejects.toThrow('enough')
      await waitFor(() => outcomes(name, 'cancelled') === before + 3, `three cancelled ${name} streams`)
    }
  })

  it('generates a file once for one key, however often it is asked', async () => {
    const { used } = await voice.usage()
    const [first, second] = [
      await voice.generate('Hello there.', { idempotencyKey: 'one', format: 'wav' }),
      await voice.generate('Hello there.', { idempotencyKey: 'one', format: 'wav' }),
    ]
    expect(second).toEqual(first)
    expect((await voice.usage()).used).toBe((used ?? 0) + first.chars_deducted)
    expect((await fetch(first.audio_url)).headers.get('content-type')).toBe('audio/wav')
  })

  it('has a file written down, at once and line by line', async () => {
    const { bytes } = await voice.speakFile(TEXT)
    const transcript = await listener.transcribe(bytes, { language: 'en', word_timestamps: true })
    expect(transcript.text.toLowerCase()).toContain('warm light spilled out')
    expect(transcript.segments[0]?.words?.length).toBeGreaterThan(8)
    const types: string[] = []
    for await (const line of listener.transcribeByLines(new Blob([bytes]))) types.push(line.type)
    expect([types[0], types.at(-1)]).toEqual(['started', 'final'])
  })

  it('listens live: partials, segments, and one final', async () => {
    const { bytes } = await voice.speakFile(TEXT, { format: 'wav' })
    const audio = (async function* () {
      for (let at = 44; at < bytes.byteLength; at += 4_800) yield bytes.slice(at, at + 4_800)
      // What was said is followed by a moment of silence.
      yield new Int16Array(24_000)
    })()
    const live = await listener.listen({ audio, sample_rate: 24_000, language: 'en' })
    const events: LiveEvent[] = []
    for await (const event of live) events.push(event)
    expect(events.map(({ type }) => type).filter((type) => type !== 'partial')).toEqual(['segment', 'final'])
    expect(events.at(-1)).toMatchObject({ is_final: true, text: expect.stringMatching(/warm light spilled out/i) })
  })

  it('ends a turn at each commit, and closes the session when cancelled', async () => {
    const { bytes } = await voice.speakFile(TEXT, { format: 'wav' })
    const live = await listener.listen({ sample_rate: 24_000, language: 'en', mode: 'manual' })
    const turns: string[] = []
    const turn = () => {
      live.send(bytes.slice(44))
      live.commit()
    }
    turn()
    for await (const { type, text } of live) {
      if (type !== 'final') continue
      if (turns.push(text) < 2) turn()
      else live.cancel()
    }
    expect(turns).toEqual([expect.stringMatching(/garden path/i), expect.stringMatching(/garden path/i)])
  })

  it('is told what is wrong with a key it listens with', async () => {
    const stranger = new SyrinxClient({ baseUrl: node.url, apiKey: `stt_sk_live_${'0'.repeat(43)}`, WebSocket })
    const live = await stranger.listen({ sample_rate: 16_000 })
    const events = live[Symbol.asyncIterator]()
    await expect(events.next()).rejects.toMatchObject({ code: 'INVALID_API_KEY', closeCode: 4401 })
  })

  it('lists keys, and says what is refused', async () => {
    const keys = await admin.keys()
    expect([keys.admin.length, keys.tts.length, keys.stt.length]).toEqual([1, 1, 1])
    expect(keys.tts[0]).toMatchObject({ voice_id: 'preset_af_heart', status: 'active' })
    await expect(admin.speak(TEXT)).rejects.toMatchObject({ code: 'VOICE_ID_REQUIRED', status: 400 })
    await expect(voice.keys()).rejects.toMatchObject({ code: 'INVALID_API_KEY', status: 403 })
    await expect(listener.transcribe(new Uint8Array(1_000))).rejects.toMatchObject({ status: 415 })
    const stranger = new SyrinxClient({ baseUrl: node.url, apiKey: `vc_sk_live_${'0'.repeat(43)}` })
    await expect(stranger.speak(TEXT)).rejects.toMatchObject({ code: 'INVALID_API_KEY', status: 401 })
  })
})
