import { join } from 'node:path'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { loadConfig } from '../src/config.ts'
import { BatchingDetector } from '../src/inference/batching-detector.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { DETECTION_WINDOW_SAMPLES } from '../src/speech/detection.ts'
import { DETECTION_CONTEXT_SAMPLES, DETECTION_STATE_WIDTH } from '../src/speech/detection-protocol.ts'
import { SileroEngine } from '../workers/silero.ts'
import { figure, median } from './statistics.ts'
import type { BenchTable } from './table.ts'

const STREAMS = 64
/** Windows each stream has looked at a round. */
const WINDOWS = 20
const ROUNDS = 7
const WINDOWS_PER_SECOND = 16_000 / DETECTION_WINDOW_SAMPLES

/** How many microphones one core can watch for speech, together and one by one. */
export async function vadBench(): Promise<BenchTable> {
  const { modelsDir } = loadConfig()
  const packs = await ensurePacks(['silero-vad'], { modelsDir, clock: systemClock, reporter: lineReporter(() => {}) })
  const model = join(packs.get('silero-vad')!.dir, 'silero_vad_16k_op15.onnx')
  const engines: SileroEngine[] = []
  for (let i = 0; i < STREAMS; i++) engines.push(await SileroEngine.load(model))
  const shared = engines[0]!
  const ways: [string, () => Promise<void>][] = [
    [
      `${STREAMS} microphones, one batch a window`,
      () => perWindow((streams) => shared.detect({ streams }).then(() => {})),
    ],
    [
      `${STREAMS} microphones one after the other, one session for all`,
      () => perWindow(async (streams) => void (await oneByOne(streams, () => shared))),
    ],
    [
      `${STREAMS} microphones one after the other, a session each`,
      () => perWindow(async (streams) => void (await oneByOne(streams, (i) => engines[i]!))),
    ],
    [`${STREAMS} microphones through Syrinx's detector, frames of 32 ms`, () => throughDetector(shared)],
  ]
  // In turn, so that whatever else the machine does is shared by all.
  const times = ways.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++) {
    for (const [i, [, run]] of ways.entries()) {
      const { user, system } = process.cpuUsage()
      await run()
      const after = process.cpuUsage()
      times[i]!.push((after.user + after.system - user - system) / (STREAMS * WINDOWS))
    }
  }
  for (const engine of engines) await engine.close()
  return {
    title: 'Voice activity',
    columns: ['', 'CPU µs a window', 'windows a second of one core', 'microphones a core'],
    rows: ways.map(([name], i) => {
      const us = median(times[i]!)
      return [name, figure(us), Math.round(1e6 / us), Math.round(1e6 / us / WINDOWS_PER_SECOND)]
    }),
    notes: [`A window is 32 ms. Medians of ${ROUNDS} rounds, all in turn; every session has one thread.`],
  }
}

type Stream = { readonly samples: Float32Array; readonly state: Float32Array }

async function perWindow(look: (streams: readonly Stream[]) => Promise<void>): Promise<void> {
  const streams = Array.from({ length: STREAMS }, () => ({
    samples: new Float32Array(DETECTION_CONTEXT_SAMPLES + DETECTION_WINDOW_SAMPLES).fill(0.01),
    state: new Float32Array(2 * DETECTION_STATE_WIDTH),
  }))
  for (let window = 0; window < WINDOWS; window++) await look(streams)
}

async function oneByOne(streams: readonly Stream[], engineOf: (stream: number) => SileroEngine): Promise<void> {
  for (const [i, stream] of streams.entries()) await engineOf(i).detect({ streams: [stream] })
}

async function throughDetector(engine: SileroEngine): Promise<void> {
  const detector = new BatchingDetector(engine)
  const streams = Array.from({ length: STREAMS }, () => detector.open())
  for (let window = 0; window < WINDOWS; window++) {
    await Promise.all(streams.map((stream) => stream.push(new Float32Array(DETECTION_WINDOW_SAMPLES).fill(0.01))))
  }
  await detector.close()
}
