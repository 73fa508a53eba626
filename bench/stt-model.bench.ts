import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ensurePacks } from '../models/packs.ts'
import { lineReporter } from '../models/reporter.ts'
import { loadConfig } from '../src/config.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { WhisperEngine } from '../workers/whisper.ts'
import { startScript } from './judge.ts'
import { recordings } from './recordings.ts'
import { figure, median } from './statistics.ts'
import type { BenchTable } from './table.ts'
import { wordErrors, wordsOf } from './word-errors.ts'

const SAMPLE_RATE = 16_000
/** As long as what people say to a machine. */
const UTTERANCE_SECONDS = [3, 5] as const

/** The recogniser's model alone, against faster-whisper in 8 bits with the same weights, clip by clip in turn, on one thread each. */
export async function sttModelBench(): Promise<BenchTable> {
  const { modelsDir } = loadConfig()
  const packs = await ensurePacks(['whisper-base'], { modelsDir, clock: systemClock, reporter: lineReporter(() => {}) })
  const { dir, installedDir } = packs.get('whisper-base')!
  const folder = await mkdtemp(join(tmpdir(), 'syrinx-stt-'))
  const reference = await startScript('transcribe.py', [dir])
  const engine = await WhisperEngine.load(installedDir)
  await engine.warmUp()
  const ours = new Tally()
  const theirs = new Tally()
  try {
    for (const { path, transcript } of await recordings()) {
      const pcm = join(folder, 'clip.f32')
      const judged = (await reference.ask(path, pcm)) as { text: string; cpuMs: number }
      const samples = new Float32Array(new Uint8Array(await readFile(pcm)).buffer)
      const started = process.cpuUsage()
      const heard = await engine.recognize({ kind: 'recognize', samples, languages: ['en'], wordTimes: false })
      const { user, system } = process.cpuUsage(started)
      const seconds = samples.length / SAMPLE_RATE
      ours.add(transcript, heard.text, (user + system) / 1_000, seconds)
      theirs.add(transcript, judged.text, judged.cpuMs, seconds)
    }
  } finally {
    reference.close()
    await engine.close()
    await rm(folder, { recursive: true })
  }
  return {
    title: 'Whisper base on 60 recordings, one thread',
    columns: [
      '',
      'words wrong',
      'CPU s a second of audio',
      `CPU ms for an utterance of ${UTTERANCE_SECONDS.join(' to ')} s`,
    ],
    rows: [
      ['Syrinx', ...ours.figures()],
      ['faster-whisper int8, greedy, same weights', ...theirs.figures()],
    ],
    notes: [
      'LibriSpeech test-other and LJ Speech: read aloud, some of it in old-fashioned English. Both models hear each clip in turn.',
      'Syrinx shows the model the audio and a second more, faster-whisper always thirty seconds.',
    ],
  }
}

/** What one recogniser did over all clips. */
class Tally {
  #errors = 0
  #words = 0
  #cpuMs = 0
  #seconds = 0
  readonly #utterances: number[] = []

  add(transcript: string, heard: string, cpuMs: number, seconds: number): void {
    const expected = wordsOf(transcript)
    this.#errors += wordErrors(expected, wordsOf(heard))
    this.#words += expected.length
    this.#cpuMs += cpuMs
    this.#seconds += seconds
    const [shortest, longest] = UTTERANCE_SECONDS
    if (seconds >= shortest && seconds <= longest) this.#utterances.push(cpuMs)
  }

  figures(): string[] {
    return [
      `${figure((100 * this.#errors) / this.#words)} %`,
      figure(this.#cpuMs / 1_000 / this.#seconds),
      figure(median(this.#utterances)),
    ]
  }
}
