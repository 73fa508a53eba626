import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import WebSocket from 'ws'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { fromPcm16, toPcm16 } from '../../src/audio/pcm.ts'
import { Resampler } from '../../src/audio/resampler.ts'
import { Client } from './client.ts'

const SENTENCES = ['She opened the old wooden door slowly.', 'A warm light spilled out across the garden path.']
const SPOKEN_RATE = 24_000

let node: NodeUnderTest
let key: string
/** Each sentence, at the rate at which it was spoken. */
let spoken: Int16Array[]

beforeAll(async () => {
  node = await startNode({ SYRINX_LOG_LEVEL: 'info' })
  key = await node.sttKey()
  const client = new Client(node, await node.voiceKey('preset_af_heart'))
  spoken = []
  for (const text of SENTENCES) spoken.push((await client.bytes({ text })).samples)
})

afterAll(() => node.stop())

interface Told {
  readonly type: string
  readonly text: string
  readonly combined_text: string
  readonly code?: string
}

/** Speaks what is given, in frames of 1,001 bytes, an object being a message; collects what is told until the close. */
async function listen(
  start: object,
  script: readonly (Int16Array | object)[],
  query = '',
  token = key,
): Promise<Session> {
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/api/public/v1/stt/ws?token=${token}${query}`)
  const events: Told[] = []
  return new Promise((resolve, reject) => {
    socket.on('open', () => {
      socket.send(JSON.stringify({ type: 'start', format: 'pcm_s16le', ...start }))
      for (const part of script) {
        if (!(part instanceof Int16Array)) socket.send(JSON.stringify(part))
        else {
          const bytes = Buffer.from(part.buffer, part.byteOffset, part.byteLength)
          for (let at = 0; at < bytes.length; at += 1_001) socket.send(bytes.subarray(at, at + 1_001))
        }
      }
    })
    socket.on('message', (message: Buffer) => events.push(JSON.parse(message.toString())))
    socket.on('close', (code) => resolve({ code, events, of: (type) => events.filter((event) => event.type === type) }))
    socket.on('error', reject)
  })
}

interface Session {
  readonly code: number
  readonly events: readonly Told[]
  of(type: string): Told[]
}

const STOP = { type: 'stop' }
const COMMIT = { type: 'commit' }

function at(rate: number, samples: Int16Array): Int16Array {
  const resampler = new Resampler(SPOKEN_RATE, rate)
  return toPcm16(resampler.push(fromPcm16(samples)))
}

const silence = (rate: number, seconds: number) => new Int16Array(rate * seconds)
const wordsOf = (text: string) => text.toLowerCase().match(/[a-z]+/g) ?? []

describe('a node with real models', () => {
  it.each([8_000, 16_000, 44_100])(
    'hears sentences with pauses between them at %i Hz, one segment each',
    async (rate) => {
      const script = spoken.flatMap((samples) => [at(rate, samples), silence(rate, 1.5)])
      const { code, events, of } = await listen({ mode: 'auto', sample_rate: rate, language: 'en' }, [...script, STOP])
      expect(of('segment').map(({ text }) => wordsOf(text))).toEqual(SENTENCES.map(wordsOf))
      expect([events.at(-1)?.type, wordsOf(events.at(-1)?.text ?? '')]).toEqual(['final', wordsOf(SENTENCES.join(' '))])
      expect(code).toBe(1000)
    },
  )

  it.each([8_000, 16_000, 44_100])('hears turns that end with a commit at %i Hz, one final each', async (rate) => {
    const script = spoken.flatMap((samples) => [at(rate, samples), COMMIT])
    const { code, of } = await listen({ mode: 'manual', sample_rate: rate }, [...script, STOP], '&language=en')
    expect(of('final').map(({ text }) => wordsOf(text))).toEqual(SENTENCES.map(wordsOf))
    expect(of('final').at(-1)?.combined_text).toBe(
      of('final')
        .map(({ text }) => text)
        .join(' '),
    )
    expect([of('segment'), code]).toEqual([[], 1000])
  })

  it('charges what it told, and nothing else', async () => {
    const before = await charged()
    const { events } = await listen({ sample_rate: SPOKEN_RATE, language: 'en' }, [...spoken.slice(0, 1), STOP])
    expect((await charged()) - before).toBe(events.at(-1)?.text.length)
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true })
  })

  it('hears nothing in silence, noise and tones (promise 12)', async () => {
    const rate = 16_000
    let seed = 7
    const noise = (level: number) =>
      Int16Array.from({ length: 6 * rate }, () => {
        seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
        return (seed / 0x7fffffff - 0.5) * level
      })
    const chord = Int16Array.from({ length: 6 * rate }, (_, i) =>
      [220, 277, 330].reduce((sum, hz) => sum + 2_000 * Math.sin((2 * Math.PI * hz * i) / rate), 0),
    )
    for (const sound of [silence(rate, 10), noise(300), noise(20_000), chord]) {
      const { events } = await listen({ sample_rate: rate, language: 'en' }, [sound, STOP])
      expect(events.filter(({ text }) => text !== '')).toEqual([])
      expect(events.at(-1)?.type).toBe('final')
    }
  })

  it('closes a socket whose key is no good with 4401', async () => {
    const { code, events } = await listen({}, [], '', 'stt_sk_live_nobody')
    expect([code, events]).toMatchObject([4401, [{ type: 'error', code: 'INVALID_API_KEY' }]])
  })
})

/** Characters of transcripts charged so far, over all keys. */
async function charged(): Promise<number> {
  const keys = (await node.command('key', 'list')) as { keys: { kind: string; credit_used: number }[] }
  return keys.keys.filter(({ kind }) => kind === 'stt').reduce((sum, { credit_used }) => sum + credit_used, 0)
}
