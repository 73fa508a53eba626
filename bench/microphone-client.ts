import WebSocket from 'ws'
import { toPcm16 } from '../src/audio/pcm.ts'
import { delay, systemClock } from '../src/runtime/clock.ts'
import { LISTENING_SAMPLE_RATE } from '../src/speech/recognition.ts'
import { SEGMENTER_SETTINGS } from '../src/speech/segmenter.ts'
import type { NodeUnderTest } from './node-under-test.ts'

/** Between two utterances: long enough to end a segment. */
const GAP_SECONDS = 1.5
export const MICROPHONE_FRAME_MS = 20
const SAMPLES_PER_MS = LISTENING_SAMPLE_RATE / 1_000

/** What came of one microphone. */
export interface WrittenDown {
  readonly isRefused: boolean
  readonly audioSeconds: number
  readonly speechSeconds: number
  /** From the end of the silence that ended a segment to its words. */
  readonly finals: number[]
  readonly partialAges: number[]
}

/** One microphone that is paced by the clock: audio leaves when it has been spoken. */
export async function speakInto(
  node: NodeUnderTest,
  key: string,
  turn: number,
  spoken: readonly Float32Array[],
): Promise<WrittenDown> {
  await delay(systemClock, 370 * turn)
  const gap = new Float32Array(GAP_SECONDS * LISTENING_SAMPLE_RATE)
  const audio = toPcm16(Float32Array.from(spoken.flatMap((samples) => [...samples, ...gap])))
  const speechSeconds = spoken.reduce((sum, samples) => sum + samples.length / LISTENING_SAMPLE_RATE, 0)
  const [finals, partialAges]: [number[], number[]] = [[], []]
  const untilKnown = SEGMENTER_SETTINGS.silenceMs - SEGMENTER_SETTINGS.pauseMs
  const socket = new WebSocket(`${node.url.replace('http', 'ws')}/api/public/v1/stt/ws?token=${key}`)
  let isRefused = false
  let startedAt = 0
  const closed = new Promise<void>((resolve, reject) => {
    socket.on('error', reject)
    socket.on('close', () => resolve())
    socket.on('message', (message: Buffer) => {
      const { type, end, code } = JSON.parse(message.toString()) as { type: string; end: number; code?: string }
      const spokenAt = startedAt + end * 1_000
      if (type === 'partial') partialAges.push(performance.now() - spokenAt)
      if (type === 'segment') finals.push(performance.now() - spokenAt - untilKnown)
      if (code === 'STT_UNAVAILABLE') isRefused = true
      else if (code !== undefined) reject(new Error(`a session ended with ${code}`))
    })
    socket.on('open', async () => {
      socket.send(JSON.stringify({ type: 'start', mode: 'auto', language: 'en', sample_rate: LISTENING_SAMPLE_RATE }))
      startedAt = performance.now()
      const frame = MICROPHONE_FRAME_MS * SAMPLES_PER_MS
      for (let at = 0; at < audio.length && socket.readyState === WebSocket.OPEN; at += frame) {
        const dueIn = startedAt + (at + frame) / SAMPLES_PER_MS - performance.now()
        if (dueIn > 0) await delay(systemClock, dueIn)
        socket.send(audio.subarray(at, at + frame))
      }
      socket.send(JSON.stringify({ type: 'stop' }))
    })
  })
  await closed
  return { isRefused, audioSeconds: audio.length / LISTENING_SAMPLE_RATE, speechSeconds, finals, partialAges }
}
