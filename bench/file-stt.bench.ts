import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { wavHeader } from '../src/audio/wav.ts'
import { loadConfig } from '../src/config.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { startScript } from './judge.ts'
import { type NodeUnderTest, startNode } from './node-under-test.ts'
import { processorSeconds } from './process-usage.ts'
import { type Recording, recordings } from './recordings.ts'
import { seededRandom } from './seeded-random.ts'
import { figure } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { wordErrors, wordsOf } from './word-errors.ts'

const RATE = 16_000
/** Recordings heard; `BENCH_FILES` sets another number. */
const FILES = Number(process.env.BENCH_FILES ?? 60)
/** Of each sound in which nobody speaks; `BENCH_SOUND_SECONDS` sets another length. */
const SOUND_SECONDS = Number(process.env.BENCH_SOUND_SECONDS ?? 120)
const SEED = 1

/** Files over HTTP on one worker, against faster-whisper on one thread; and what is made up where nobody speaks. */
export async function fileSttBench(): Promise<BenchTable[]> {
  const { modelsDir } = loadConfig()
  const packs = await ensurePacks(['whisper-base'], { modelsDir, clock: systemClock, reporter: lineReporter(() => {}) })
  const reference = await startScript('transcribe.py', [packs.get('whisper-base')!.dir])
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-file-stt-'))
  const node = await startNode({ SYRINX_WORKERS: '1' })
  try {
    const key = await node.sttKey()
    const samples = join(folder, 'samples.f32')
    const hearReference = async (path: string) =>
      (await reference.ask(path, samples)) as { text: string; cpuMs: number; ms: number }
    const files = (await recordings()).slice(0, FILES)
    await transcribe(node, key, files[0]!.path)
    const [ours, theirs] = [new Tally(), new Tally()]
    for (const [number, file] of files.entries()) {
      if (number % 10 === 0) process.stderr.write(`  ${number} of ${files.length} files …\n`)
      ours.add(file, await transcribe(node, key, file.path))
      theirs.add(file, await hearReference(file.path))
    }
    const inventions: (string | number)[][] = []
    for (const [name, sound] of sounds()) {
      process.stderr.write(`  ${name} …\n`)
      const path = join(folder, 'sound.wav')
      await writeFile(path, Buffer.concat([wavHeader(RATE, sound.byteLength), new Uint8Array(sound.buffer)]))
      const heard = [await transcribe(node, key, path), await hearReference(path)]
      inventions.push([name, ...heard.map(({ text }) => wordsOf(text).length)])
    }
    return [speedTable(ours, theirs), inventionTable(inventions)]
  } finally {
    reference.close()
    await node.stop()
    await rm(folder, { recursive: true })
  }
}

interface Heard {
  readonly text: string
  readonly cpuMs: number
  readonly ms: number
}

/** Processor time is that of the whole node: HTTP, decoding, voice activity, recognition, the ledger. */
async function transcribe(node: NodeUnderTest, key: string, path: string): Promise<Heard> {
  const body = new FormData()
  body.append('audio', new Blob([await readFile(path)]), basename(path))
  body.append('language', 'en')
  const headers = { Authorization: `Bearer ${key}` }
  const [cpu, startedAt] = [await processorSeconds(node.pid), performance.now()]
  const response = await fetch(`${node.url}/api/v1/stt/transcriptions`, { method: 'POST', headers, body })
  const answer = (await response.json()) as { data?: { text: string } }
  const ms = performance.now() - startedAt
  if (answer.data === undefined) throw new Error(`a file was answered with ${response.status}`)
  return { text: answer.data.text, ms, cpuMs: 1_000 * ((await processorSeconds(node.pid)) - cpu) }
}

class Tally {
  #errors = 0
  #words = 0
  #seconds = 0
  #ms = 0
  #cpuMs = 0

  add({ transcript, seconds }: Recording, { text, ms, cpuMs }: Heard): void {
    const expected = wordsOf(transcript)
    this.#errors += wordErrors(expected, wordsOf(text))
    this.#words += expected.length
    this.#seconds += seconds
    this.#ms += ms
    this.#cpuMs += cpuMs
  }

  figures(): string[] {
    return [
      `${figure((100 * this.#errors) / this.#words)} %`,
      figure(this.#ms / 1_000 / this.#seconds),
      figure(this.#cpuMs / 1_000 / this.#seconds),
    ]
  }
}

function speedTable(ours: Tally, theirs: Tally): BenchTable {
  return {
    title: 'Files over HTTP, one worker',
    columns: ['', 'words wrong', 's a second of audio', 'CPU s a second of audio'],
    rows: [
      ['Syrinx, a whole node', ...ours.figures()],
      ['faster-whisper int8, greedy, same weights, one thread, in its own process', ...theirs.figures()],
    ],
    notes: [
      `${FILES} recordings of LibriSpeech test-other and LJ Speech, one at a time, each by both in turn.`,
      'Of Syrinx, time and processor hold the upload, FFmpeg, voice activity and the ledger; faster-whisper is handed samples.',
    ],
  }
}

function inventionTable(rows: BenchTable['rows']): BenchTable {
  return {
    title: 'Words made up where nobody speaks',
    columns: [`${SOUND_SECONDS} s of`, 'Syrinx', 'faster-whisper int8'],
    rows,
    notes: ['Made from a seed. faster-whisper runs without its own voice activity filter.'],
  }
}

/** Sounds that recognisers take for speech. */
function sounds(): [string, Int16Array][] {
  const random = seededRandom(SEED)
  const noise = () => random() * 2 - 1
  let brown = 0
  const sound = (at: (seconds: number) => number) =>
    Int16Array.from({ length: SOUND_SECONDS * RATE }, (_, i) => Math.round(20_000 * at(i / RATE)))
  const chords = [
    [220, 277.2, 329.6],
    [196, 246.9, 293.7],
    [174.6, 220, 261.6],
    [164.8, 207.7, 246.9],
  ]
  return [
    ['silence', sound(() => 0)],
    ['white noise, quiet', sound(() => 0.02 * noise())],
    ['white noise, loud', sound(() => 0.7 * noise())],
    [
      'brown noise',
      sound(() => {
        brown = 0.99 * brown + 0.05 * noise()
        return brown
      }),
    ],
    [
      'plucked chords',
      sound((seconds) => {
        const chord = chords[Math.floor(seconds / 2) % chords.length]!
        const decay = Math.exp(-2 * (seconds % 0.5))
        return (decay * chord.reduce((sum, hz) => sum + Math.sin(2 * Math.PI * hz * seconds), 0)) / 4
      }),
    ],
    ['a beat', sound((seconds) => noise() * Math.exp(-30 * (seconds % 0.5)))],
  ]
}
