import { setPriority } from 'node:os'
import type { CompressedFormat, EncodeTask } from '../src/audio/codec-protocol.ts'
import { instantiate } from './ffmpeg.ts'

/** Of the scheduler of the system: encoding gives way to whatever somebody listens to. */
const NICENESS = 10

// On Linux a priority belongs to a thread; elsewhere it would be that of the whole process.
if (process.platform === 'linux') setPriority(NICENESS)

/** Thread entry: encodes a whole file by FFmpeg. */
export default async function encode({ samples, sampleRate, format }: EncodeTask): Promise<Uint8Array> {
  const core = await instantiate()
  const log: string[] = []
  core.setLogger(({ message }) => void log.push(message))
  core.FS.writeFile(INPUT, new Uint8Array(samples.buffer, samples.byteOffset, samples.byteLength))
  const exitCode = core.exec(...commandLine(sampleRate, format))
  if (exitCode !== 0) throw new Error(`FFmpeg could not encode ${format}: ${log.join('; ')}`)
  return core.FS.readFile(OUTPUT)
}

const INPUT = '/input'
const OUTPUT = '/output'

function commandLine(sampleRate: number, format: CompressedFormat): string[] {
  return [
    ...['-hide_banner', '-nostats', '-loglevel', 'error', '-threads', '1'],
    ...['-f', 's16le', '-ar', String(sampleRate), '-ac', '1', '-i', INPUT, ...CODECS[format], OUTPUT],
  ]
}

const CODECS: Readonly<Record<CompressedFormat, readonly string[]>> = {
  // Transparent for one voice.
  opus: ['-c:a', 'libopus', '-b:a', '64k', '-f', 'ogg'],
  flac: ['-c:a', 'flac', '-f', 'flac'],
}
