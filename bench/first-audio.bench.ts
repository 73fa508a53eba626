import WebSocket from 'ws'
import { WAV_HEADER_BYTES } from '../src/audio/wav.ts'
import { loadConfig } from '../src/config.ts'
import { delay, systemClock } from '../src/runtime/clock.ts'
import { SAMPLE_RATE } from '../src/speech/task-protocol.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { processorSeconds } from './process-usage.ts'
import { loadShippedKokoro, type ShippedKokoro } from './shipped-kokoro.ts'
import { trimmedWav } from './spoken-wav.ts'
import { figure, median, percentile } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { PARAGRAPH, textOfLength } from './texts.ts'

const ROUNDS = 9
const SHIPPED_ROUNDS = 2
const VOICE = 'af_heart'
/** The window that was under way when the client left has ended by then. */
const SETTLE_MS = 500

/** A text of each length, and the part of it that an engine decoding whole sentences must finish before its first sound. */
const TEXTS = [
  { text: 'Hello there.', firstSentence: 'Hello there.' },
  { text: 'The quick brown fox jumps over the lazy dog near the river.' },
  { text: PARAGRAPH.slice(0, 118) },
  { text: PARAGRAPH.slice(0, 250), firstSentence: PARAGRAPH.slice(0, 118) },
  { text: textOfLength(1_000), firstSentence: PARAGRAPH.slice(0, 118) },
]

/** Request to first audio byte on an idle node, against the shipped graph decoding the first sentence, in turn. */
export async function firstAudioBench(): Promise<BenchTable[]> {
  const shipped = await loadShippedKokoro(loadConfig().modelsDir)
  const node = await startNode()
  try {
    const key = await node.voiceKey(`preset_${VOICE}`)
    const rows = []
    for (const { text, firstSentence = text } of TEXTS) {
      const [sse, socket, whole]: [number[], number[], number[]] = [[], [], []]
      for (let round = -1; round < ROUNDS; round++) {
        const sseMs = await sseFirstAudioMs(node, key, text)
        await delay(systemClock, SETTLE_MS)
        const socketMs = await socketFirstAudioMs(node, key, text)
        await delay(systemClock, SETTLE_MS)
        if (round < 0) continue
        sse.push(sseMs)
        socket.push(socketMs)
        if (round < SHIPPED_ROUNDS) whole.push(await elapsedMs(() => shipped.speak(firstSentence, 'en-us', VOICE)))
      }
      const streamed = [...sse, ...socket]
      rows.push([
        text.length,
        ...[sse, socket].flatMap((times) => [0.5, 0.95, 0.99].map((p) => figure(percentile(times, p)))),
        figure(median(whole)),
        `${figure(median(whole) / median(streamed))}×`,
      ])
    }
    return [firstAudioTable(rows), await processorTimeTable(node, key, shipped)]
  } finally {
    await node.stop()
  }
}

function firstAudioTable(rows: BenchTable['rows']): BenchTable {
  return {
    title: 'First audio, idle node (ms)',
    columns: ['characters', 'SSE p50', 'p95', 'p99', 'WebSocket p50', 'p95', 'p99', 'shipped graph', 'sooner'],
    rows,
    notes: [
      `${ROUNDS} requests each, one at a time, client on the same cores. From the request (SSE) or \`start\` (WebSocket) to the first byte of audio.`,
      'Shipped graph: the same model as its makers ship it decodes the first sentence whole, one thread, measured in turn with the streams.',
    ],
  }
}

/**
 * Processor time for a second of speech: of the whole node, which answers with files one after another, and of the shipped graph,
 * which decodes a sentence of each text in turn with it. Both are trimmed alike.
 */
async function processorTimeTable(node: NodeUnderTest, key: string, shipped: ShippedKokoro): Promise<BenchTable> {
  const rows = []
  for (const { text, firstSentence = text } of TEXTS) {
    const rounds = Math.ceil(400 / text.length)
    let audioSeconds = 0
    const ownSeconds = await processorSecondsOf(node.pid, async () => {
      for (let round = 0; round < rounds; round++) {
        const response = await post(node, key, '/api/v1/tts/bytes', { text, format: 'wav' })
        audioSeconds += wavSeconds(new Uint8Array(await response.arrayBuffer()))
      }
    })
    let shippedAudioSeconds = 0
    const shippedSeconds = await processorSecondsOf(process.pid, async () => {
      const samples = await shipped.speak(firstSentence, 'en-us', VOICE)
      shippedAudioSeconds = wavSeconds(trimmedWav(samples))
    })
    const [own, whole] = [ownSeconds / audioSeconds, shippedSeconds / shippedAudioSeconds]
    rows.push([text.length, figure(audioSeconds), figure(own), figure(whole), `${figure(whole / own)}×`])
  }
  return {
    title: 'Processor time',
    columns: ['characters', 'seconds of speech', 'CPU-RTF', 'shipped graph', 'less'],
    rows,
    notes: [
      'CPU-RTF: processor seconds of the whole node process, all threads, for a second of speech in the file.',
      'Shipped graph: the same of a process that decodes the first sentence whole, one thread, measured in turn. Aim: 0.22 where the shipped graph takes 0.93, so 4.2 times less.',
    ],
  }
}

async function processorSecondsOf(pid: number, work: () => Promise<void>): Promise<number> {
  const before = await processorSeconds(pid)
  await work()
  return (await processorSeconds(pid)) - before
}

/** Length of a WAV of 16-bit samples at 24 kHz. */
function wavSeconds(wav: Uint8Array): number {
  return (wav.length - WAV_HEADER_BYTES) / (2 * SAMPLE_RATE)
}

async function sseFirstAudioMs(node: NodeUnderTest, key: string, text: string): Promise<number> {
  const startedAt = performance.now()
  const response = await post(node, key, '/api/v1/tts/sse', { text })
  let seen = ''
  for await (const part of response.body!.pipeThrough(new TextDecoderStream())) {
    seen += part
    // Leaving the loop closes the connection, and the node stops speaking.
    if (seen.includes('event: audio')) return performance.now() - startedAt
  }
  throw new Error(`a stream ended without audio: ${seen}`)
}

async function socketFirstAudioMs(node: NodeUnderTest, key: string, text: string): Promise<number> {
  const response = await post(node, key, '/api/v1/tts/stream-token', { text_length: text.length })
  const { data } = (await response.json()) as { data: { ws_url: string; stream_token: string } }
  const socket = new WebSocket(`${data.ws_url}?token=${data.stream_token}`)
  return new Promise((resolve, reject) => {
    let startedAt = 0
    socket.on('open', () => {
      startedAt = performance.now()
      socket.send(JSON.stringify({ type: 'start', text }))
    })
    socket.on('message', (_, isBinary) => {
      if (!isBinary) return
      resolve(performance.now() - startedAt)
      socket.terminate()
    })
    socket.on('close', () => reject(new Error('a socket closed without audio')))
    socket.on('error', reject)
  })
}

async function post(node: NodeUnderTest, key: string, path: string, body: object): Promise<Response> {
  // A connection each: one kept alive may be closed by the node while the shipped graph is measured.
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json', Connection: 'close' }
  const response = await fetch(`${node.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  return response
}

async function elapsedMs(work: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
