import { readFile, writeFile } from 'node:fs/promises'
import type { AudioDecoder, DecodeResult } from '../../src/audio/decoding.ts'
import type { Chance } from './chance.ts'
import type { Life } from './life.ts'

const RATE = 16_000
/** Samples of an utterance say whose it is: `LOUD_FROM + recording × UTTERANCES_MAX + utterance`. */
const LOUD_FROM = 6_000
const UTTERANCES_MAX = 16

/** A file as a client sends it: seconds of speech, or of silence where negative. */
export interface Script {
  /** Of this world. */
  readonly recording: number
  readonly stretches: readonly number[]
}

export function drawScript(chance: Chance, recording: number): Script {
  const stretches: number[] = []
  for (let utterance = chance.whole(0, 4); utterance > 0; utterance--)
    stretches.push(chance.between(0.5, 7), -chance.between(0.2, 2.5))
  return { recording, stretches: stretches.length === 0 ? [-chance.between(0.05, 3)] : stretches }
}

export function fileOf(script: Script): Uint8Array {
  return new Uint8Array(Buffer.from(JSON.stringify(script)))
}

/** What the recogniser hears in samples: every utterance that begins in them, once. */
export function transcriptOf(samples: Float32Array): string {
  const values: number[] = []
  for (let at = 0; at < samples.length; at += 160) {
    const value = Math.round(samples[at]! * 32_768)
    if (value >= LOUD_FROM && value !== values.at(-1)) values.push(value)
  }
  return values.map((value) => words(value - LOUD_FROM)).join(' ')
}

/** The recording that samples belong to; undefined where they are silent. */
export function recordingOf(samples: Float32Array): number | undefined {
  const loud = samples.find((sample) => sample * 32_768 > LOUD_FROM - 1)
  return loud === undefined ? undefined : Math.floor((Math.round(loud * 32_768) - LOUD_FROM) / UTTERANCES_MAX)
}

function words(utterance: number): string {
  return `utterance ${utterance} ${'is long '.repeat(utterance % 3)}`.trim()
}

/** "Decodes" scripts, in the time that decoding takes. */
export class SimulatedDecoder implements AudioDecoder {
  readonly #life: Life
  readonly #chance: Chance

  constructor(life: Life, chance: Chance) {
    this.#life = life
    this.#chance = chance
  }

  async decode(input: string, output: string, signal: AbortSignal): Promise<DecodeResult> {
    await this.#life.sleep(this.#chance.between(5, 200))
    if (signal.aborted) return { status: 'cancelled' }
    const text = (await readFile(input)).toString()
    if (!text.startsWith('{')) return { status: 'unsupported', message: 'the container is not known' }
    const samples = samplesOf(JSON.parse(text) as Script)
    await writeFile(output, new Uint8Array(samples.buffer))
    return { status: 'decoded', samples: samples.length }
  }
}

export function samplesOf({ recording, stretches }: Script): Int16Array<ArrayBuffer> {
  const lengths = stretches.map((seconds) => Math.round(Math.abs(seconds) * RATE))
  const samples = new Int16Array(lengths.reduce((sum, length) => sum + length, 0))
  let [at, value] = [0, LOUD_FROM + recording * UTTERANCES_MAX]
  stretches.forEach((seconds, index) => {
    const end = at + lengths[index]!
    if (seconds > 0) samples.fill(value++, at, end)
    at = end
  })
  return samples
}

/** Everything that is said in a file. */
export function transcriptOfScript({ recording, stretches }: Script): string {
  const utterances = stretches.filter((seconds) => seconds > 0)
  return utterances.map((_, index) => words(recording * UTTERANCES_MAX + index)).join(' ')
}
