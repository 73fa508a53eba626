import { readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { waitFor } from '../wait-for.ts'
import { Client } from './client.ts'

const TEXT =
  'She opened the old wooden door slowly, and a warm golden light spilled out across the stones of the garden path.'
const RATE = 24_000

let node: NodeUnderTest
let client: Client
let key: string

beforeAll(async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'syrinx-speech-'))
  await mkdir(join(dataDir, 'lexicon'))
  await writeFile(join(dataDir, 'lexicon', 'ja.tsv'), 'Acme\t/akɯmiː/\n')
  node = await startNode({ SYRINX_LOG_LEVEL: 'info', SYRINX_DATA: dataDir })
  key = await node.voiceKey('preset_af_heart')
  client = new Client(node, key)
})

afterAll(() => node.stop())

it('a node whose pronunciation dictionary has a mistake does not start, and says where it is', async () => {
  const dataDir = await mkdtemp(join(tmpdir(), 'syrinx-lexicon-'))
  await mkdir(join(dataDir, 'lexicon'))
  await writeFile(join(dataDir, 'lexicon', 'en.tsv'), 'Acme\tAkmee\nSyrinx Seerinks\n')
  await expect(startNode({ SYRINX_DATA: dataDir })).rejects.toThrow('en.tsv, line 2')
  await rm(dataDir, { recursive: true })
})

describe('a node with real models', () => {
  it('gives the same samples in all four ways', async () => {
    const bytes = await client.bytes({ text: TEXT })
    const [generate, sse, socket] = [
      await client.generate({ text: TEXT }),
      await client.sse({ text: TEXT }),
      await client.socket({ text: TEXT, dit_steps: 10, denoise: false }),
    ]
    for (const other of [generate, sse, socket]) expect(Buffer.compare(bufferOf(other), bufferOf(bytes))).toBe(0)
    expect(bytes.samples.length / RATE).toBeGreaterThan(4)
    expect(bytes.samples.length / RATE).toBeLessThan(10)
    expect(levelOf(bytes.samples)).toBeGreaterThan(500)
  })

  it('streams one start, audio without a gap in the numbers, and one done that tells the truth', async () => {
    const { events, samples } = await client.sse({ text: TEXT })
    const audio = events.filter(({ event }) => event === 'audio')
    expect(events.map(({ event }) => event)).toEqual(['start', ...audio.map(() => 'audio'), 'done'])
    expect(audio.map(({ data }) => data.sequence)).toEqual(audio.map((_, i) => i + 1))
    const { chunks, duration_ms } = events.at(-1)!.data
    expect([chunks, duration_ms]).toEqual([audio.length, Math.round((samples.length / RATE) * 1_000)])
  })

  it('tells when each word is spoken, at any speed, in any language, over several sentences', async () => {
    const english = `Dr. Smith paid $12.50 at 10:30. ${TEXT}`
    const french = "Qu'est-ce que c'est ? Il y a 12,50 € sur la table, et l'homme n'est pas revenu."
    for (const fields of [{ text: english }, { text: english, speed: 1.5 }, { text: french, language: 'fr' }]) {
      const { events, samples } = await client.sse({ ...fields, timestamps: true })
      const words = events.at(-1)!.data.words as { word: string; start_ms: number; end_ms: number }[]
      const written = fields.text.split(/\s+/).filter((word) => /[\p{L}\p{N}€]/u.test(word))
      expect(words.map(({ word }) => word)).toEqual(written)
      for (const [i, { start_ms, end_ms }] of words.entries()) {
        expect(end_ms).toBeGreaterThan(start_ms)
        expect(start_ms).toBeGreaterThanOrEqual(words[i - 1]?.end_ms ?? 0)
      }
      const durationMs = (samples.length / RATE) * 1_000
      expect(words[0]!.start_ms).toBeLessThan(400)
      expect(words.at(-1)!.end_ms).toBeLessThanOrEqual(durationMs)
      expect(durationMs - words.at(-1)!.end_ms).toBeLessThan(500)
    }
    const { events } = await client.sse({ text: TEXT })
    expect(events.at(-1)!.data).not.toHaveProperty('words')
  })

  it('makes no step at a join that is larger than those within speech', async () => {
    const { samples } = await client.bytes({ text: `${TEXT} ${TEXT}` })
    const steps = Array.from(samples.subarray(1), (sample, i) => Math.abs(sample - samples[i]!)).sort((a, b) => a - b)
    // A click stands alone: it is far above the thousandth largest step of ten seconds of speech.
    expect(steps.at(-1)!).toBeLessThan(4 * steps.at(-1_000)!)
  })

  it('is as long as asked for, to the sample', async () => {
    for (const duration of [0.5, 3.21, 9]) {
      const { samples } = await client.bytes({ text: TEXT, duration, postprocess_output: false })
      expect(samples.length).toBe(Math.round(duration * RATE))
    }
  })

  it('speaks faster and slower', async () => {
    const [slow, normal, fast] = [
      await client.bytes({ text: TEXT, speed: 0.5 }),
      await client.bytes({ text: TEXT }),
      await client.bytes({ text: TEXT, speed: 9 }),
    ].map(({ samples }) => samples.length)
    expect(slow! / normal!).toBeGreaterThan(1.7)
    expect(normal! / fast!).toBeGreaterThan(1.3)
  })

  it.each([
    ['Japanese', 'GoogleはAcmeから約250冊の新しい本を買いました。', 3, 9],
    ['Chinese', '谷歌用ChatGPT从Acme买了大约250本新书。', 3, 9],
  ])('speaks %s in all four ways, with English words and terms of the dictionary in it', async (_, text, min, max) => {
    const bytes = await client.bytes({ text })
    for (const other of [await client.generate({ text }), await client.sse({ text }), await client.socket({ text })])
      expect(Buffer.compare(bufferOf(other), bufferOf(bytes))).toBe(0)
    expect(bytes.samples.length / RATE).toBeGreaterThan(min)
    expect(bytes.samples.length / RATE).toBeLessThan(max)
  })

  it('makes MP3 files of the same length', async () => {
    const [mp3, wav] = [await client.post('/api/v1/tts/bytes', { text: TEXT }), await client.bytes({ text: TEXT })]
    expect(mp3.headers.get('content-type')).toBe('audio/mpeg')
    const file = Buffer.from(await mp3.arrayBuffer())
    expect(file.length).toBe(Number(mp3.headers.get('content-length')))
    expect(file.readUInt16BE(0) & 0xffe0).toBe(0xffe0)
    // 96 kbit/s constant; an encoder adds a few frames of delay.
    expect(file.length / 12_000).toBeCloseTo(wav.samples.length / RATE, 0)
  })

  it('speaks each of its languages under its code and its name, and refuses the others unpaid', async () => {
    for (const language of ['es', 'French', 'ita', 'pt', 'Hindi', 'EN', 'German']) {
      const text = language === 'Hindi' ? 'आप कल कहाँ जा रहे हैं?' : 'Una mañana tranquila, madame, domani.'
      expect(levelOf((await client.bytes({ text, language })).samples)).toBeGreaterThan(300)
    }
    const before = await client.usage()
    const refused = await client.post('/api/v1/tts/bytes', { text: '내일은 날씨가 좋습니다.', language: 'auto' })
    expect([refused.status, ((await refused.json()) as { error: { code: string } }).error.code]).toEqual([
      422,
      'BACKEND_ERROR',
    ])
    expect((await client.usage()).used).toBe(before.used)
  })

  it('speaks a text of 5,000 characters without a full stop', async () => {
    const words = 'and then the river turned again towards the hills '
    const text = words.repeat(101).slice(0, 5_000)
    const frames: number[] = []
    // Listening to the first few seconds is enough to know that it began; the rest is cancelled.
    const stop = new AbortController()
    for await (const { event, data } of client.events({ text }, stop.signal)) {
      if (event === 'audio' && frames.push(Number(data.sequence)) === 60) break
    }
    stop.abort()
    expect(frames).toHaveLength(60)
  })

  it('cancels when told to, and when the listener leaves', async () => {
    const text = TEXT.repeat(20)
    const cancelled = await client.socket({ text }, (socket) => socket.send('{"type":"cancel"}'))
    expect([cancelled.code, cancelled.events.at(-1)]).toEqual([1000, { type: 'cancelled' }])
    const left = await client.socket({ text }, (socket) => socket.terminate())
    expect(left.events.map(({ type }) => type)).toEqual(['start'])
    const outcomes = () => node.printed.filter((line) => line.includes('"websocket"') && line.includes('"cancelled"'))
    await waitFor(() => outcomes().length === 2, 'two cancelled streams in the log')
  })

  it('charges up front, stops exactly at a ceiling, and says so', async () => {
    const { accounts } = (await node.command('account', 'list')) as { accounts: { id: string }[] }
    const words = ['--account', accounts[0]!.id, '--kind', 'voice', '--name', 'small', '--voice', 'preset_bf_emma']
    const small = (await node.command('key', 'create', ...words, '--credit-limit', '20')) as { key: string }
    const poor = new Client(node, small.key)
    const results = await Promise.all(
      Array.from({ length: 5 }, () => poor.post('/api/v1/tts/bytes', { text: 'Hello you.' })),
    )
    expect(results.map(({ status }) => status).sort()).toEqual([200, 200, 403, 403, 403])
    expect((await poor.usage()).key).toMatchObject({ credit_limit: 20, credit_used: 20, credit_remaining: 0 })
  })

  it('refuses an unknown key', async () => {
    const response = await new Client(node, `vc_sk_live_${'0'.repeat(43)}`).post('/api/v1/tts/bytes', { text: 'Hi.' })
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([401, 'Bearer'])
  })

  it('keeps its books, and no secret or text on disk or in the log', async () => {
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true, differences: [] })
    const files = readdirSync(node.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
    const written = files.map((file) => readFileSync(join(file.parentPath, file.name), 'latin1')).join('\n')
    for (const secret of [key, key.slice(11), 'wooden door']) {
      expect(written.includes(secret)).toBe(false)
      expect(node.printed.join('\n').includes(secret)).toBe(false)
    }
  })
})

function bufferOf({ samples }: { samples: Int16Array }): Buffer {
  return Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength)
}

/** Root of the mean square, in units of a 16-bit sample. */
function levelOf(samples: Int16Array): number {
  return Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / samples.length)
}
