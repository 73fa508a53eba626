import { Bench } from 'tinybench'
import { encodeEvent } from '../src/api/server-sent-events.ts'
import { EdgeTrimmer } from '../src/audio/edge-trimmer.ts'
import { Framer } from '../src/audio/framer.ts'
import { toPcm16 } from '../src/audio/pcm.ts'
import { chunkText } from '../src/speech/text-chunker.ts'
import { figure } from './statistics.ts'
import type { BenchTable } from './table.ts'

const FRAME_SAMPLES = 4_800
const TEXT = 'Dr. Smith paid $12.50 at 3:45 p.m. and left. Nobody, not even his wife, knew why he did. '.repeat(50)

/** The steps every second of audio or every text passes on the main thread. */
export async function microBench(): Promise<BenchTable> {
  const second = Float32Array.from({ length: 24_000 }, (_, i) => Math.sin(i / 20))
  const pcm = toPcm16(second)
  const frame = pcm.subarray(0, FRAME_SAMPLES)
  const bench = new Bench({ time: 500 })
  bench.add('float to PCM16, 1 s', () => void toPcm16(second))
  bench.add('trim edges, 1 s', () => void new EdgeTrimmer(2_400, 0.003).push(second))
  bench.add('frames of 200 ms, 1 s', () => void new Framer(FRAME_SAMPLES).push(pcm))
  bench.add('SSE event of one frame', () => {
    const audio = Buffer.from(frame.buffer, frame.byteOffset, frame.byteLength).toString('base64')
    encodeEvent({ event: 'audio', id: 1, data: { sequence: 1, audio } })
  })
  bench.add(`chunk a text of ${TEXT.length} characters`, () => void chunkText(TEXT, 'en-us'))
  await bench.run()
  return {
    title: 'Main-thread steps',
    columns: ['step', 'µs, median', 'p99'],
    rows: bench.tasks.map(({ name, result }) => {
      if (result.state !== 'completed') throw new Error(`${name} did not complete`)
      const { p50, p99 } = result.latency
      return [name, figure(p50 * 1_000), figure(p99 * 1_000)]
    }),
    notes: ['One core carries everything but inference and encoding, so these bound how many streams a node can feed.'],
  }
}
