import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { waitFor } from '../wait-for.ts'
import { Client } from './client.ts'

const SENTENCES = [
  'She opened the old wooden door slowly.',
  'A warm light spilled out across the garden path.',
  'Nobody had lived in the house for twenty years.',
]

let node: NodeUnderTest
let key: string
/** Each sentence as a WAV file. */
let spoken: Buffer[]

beforeAll(async () => {
  node = await startNode({ SYRINX_LOG_LEVEL: 'info' })
  key = await node.sttKey()
  const client = new Client(node, await node.voiceKey('preset_af_heart'))
  spoken = []
  for (const text of SENTENCES) {
    const response = await client.post('/api/v1/tts/bytes', { text, format: 'wav' })
    spoken.push(Buffer.from(await response.arrayBuffer()))
  }
})

afterAll(() => node.stop())

function upload(wav: Uint8Array, query = '', signal?: AbortSignal): Promise<Response> {
  const body = new FormData()
  body.append('audio', new Blob([wav]), 'speech.wav')
  body.append('language', 'en')
  const url = `${node.url}/api/v1/stt/transcriptions${query}`
  return fetch(url, { method: 'POST', headers: { Authorization: `Bearer ${key}` }, body, ...(signal && { signal }) })
}

/** Sentences one after the other, with seconds of silence behind each. */
function recording(silence: number, times = 1): Buffer {
  const gap = Buffer.alloc(silence * 24_000 * 2)
  const pcm = Buffer.concat(
    Array.from({ length: times }, () => spoken.flatMap((wav) => [wav.subarray(44), gap])).flat(),
  )
  const head = Buffer.from(spoken[0]!.subarray(0, 44))
  head.writeUInt32LE(36 + pcm.length, 4)
  head.writeUInt32LE(pcm.length, 40)
  return Buffer.concat([head, pcm])
}

const wordsOf = (text: string) => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
const spooled = () => readdir(join(node.dataDir, 'spool'))

describe('a node with real models', () => {
  it('writes down what it said itself, in order, and charges each character once', async () => {
    const response = await upload(recording(3), '?word_timestamps=true')
    const { data } = (await response.json()) as { data: Transcript }
    const expected = SENTENCES.join(' ').replace('twenty', '20')
    expect(wordsOf(data.text.replace('twenty', '20'))).toEqual(wordsOf(expected))
    expect([data.language, data.segments.length]).toEqual(['en', 3])
    const times = data.segments.flatMap(({ words }) => words.flatMap(({ start, end }) => [start, end]))
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(times.at(-1)).toBeLessThanOrEqual(data.duration_seconds)
    expect(await node.command('ledger', 'verify')).toMatchObject({ ok: true })
    // It goes after the answer.
    await waitFor(async () => (await spooled()).length === 0, 'the audio to go')
  })

  it('tells the same line by line', async () => {
    const response = await upload(recording(3), '?stream=true')
    const lines = (await response.text())
      .trim()
      .split('\n')
      .map((line): Line => JSON.parse(line))
    expect(lines.map(({ type }) => type)).toEqual(['started', 'chunk', 'chunk', 'chunk', 'final'])
    expect(new Set(lines.slice(0, 4).map((line) => line.chunks_total))).toEqual(new Set([3]))
    expect(lines.at(-1)?.text).toBe(lines.at(-2)?.combined_text)
  })

  it('hears nothing in silence (promise 12)', async () => {
    const silence = Buffer.concat([recording(0).subarray(0, 44), Buffer.alloc(24_000 * 2 * 10)])
    const { data } = (await (await upload(silence)).json()) as { data: Transcript }
    expect([data.text, data.segments]).toEqual(['', []])
  })

  it('stops when the client leaves, and keeps nothing', async () => {
    const leaving = new AbortController()
    const response = await upload(recording(3, 20), '?stream=true', leaving.signal)
    const reader = response.body?.getReader()
    await reader?.read()
    expect(await spooled()).toHaveLength(1)
    leaving.abort()
    await waitFor(async () => (await spooled()).length === 0, 'the audio to go')
    expect((await upload(recording(0))).status).toBe(200)
  })
})

interface Line {
  readonly type: string
  readonly chunks_total?: number
  readonly text?: string
  readonly combined_text?: string
}

interface Transcript {
  readonly text: string
  readonly language: string
  readonly duration_seconds: number
  readonly segments: readonly { readonly words: readonly { readonly start: number; readonly end: number }[] }[]
}
