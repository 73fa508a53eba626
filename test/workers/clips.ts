import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { fromPcm16 } from '../../src/audio/pcm.ts'
import { LISTENING_SAMPLE_RATE } from '../../src/speech/recognition.ts'
import { transcode } from '../../workers/ffmpeg.ts'

/** Recordings of people who read aloud, kept beside the repository. */
const AUDIO = fileURLToPath(new URL('../../../shared/audio/', import.meta.url))
const HEADER_BYTES = 44

/** A WAV of mono PCM16, at the rate that the models listen at. */
export function clip(path: string): Float32Array {
  const file = readFileSync(`${AUDIO}${path}`)
  const rate = file.readUInt32LE(24)
  const bytes = new Uint8Array(
    file.subarray(HEADER_BYTES, HEADER_BYTES + 2 * Math.floor((file.length - HEADER_BYTES) / 2)),
  )
  const samples = new Int16Array(bytes.buffer)
  const step = rate / LISTENING_SAMPLE_RATE
  // Between two samples on a line: the models don't mind.
  return Float32Array.from({ length: Math.floor(samples.length / step) }, (_, index) => {
    const [at, part] = [Math.floor(index * step), (index * step) % 1]
    return ((samples[at] ?? 0) * (1 - part) + (samples[at + 1] ?? 0) * part) / 32_768
  })
}

/** The clip of one of the people in `speakers`, at the rate that the models listen at. */
export async function speakerClip(speaker: string): Promise<Float32Array> {
  const folder = join(AUDIO, 'speakers')
  const file = readdirSync(folder).find((name) => name.startsWith(`${speaker}-`))
  if (file === undefined) throw new Error(`there is no clip of speaker ${speaker}`)
  return decoded(join(folder, file), 'flac')
}

/** Speech that was made for the tests. */
export function madeSpeech(name: string): Promise<Float32Array> {
  return decoded(fileURLToPath(new URL(`../fixtures/speech/${name}`, import.meta.url)), 'mp3')
}

async function decoded(input: string, demuxer: string): Promise<Float32Array> {
  const samples: Uint8Array[] = []
  const write = (bytes: Uint8Array) => void samples.push(bytes.slice())
  await transcode({ input, demuxer, sampleRate: LISTENING_SAMPLE_RATE, write, check() {} })
  return fromPcm16(new Int16Array(new Uint8Array(Buffer.concat(samples)).buffer))
}

export function seconds(count: number): Float32Array {
  return new Float32Array(count * LISTENING_SAMPLE_RATE)
}
