import { closeSync, openSync, readSync, writeSync } from 'node:fs'
import { setPriority } from 'node:os'
import { CONTAINER_HEAD_BYTES, type Container, detectContainer, tagBytes } from '../src/audio/container.ts'
import type { DecodeTask } from '../src/audio/decode-protocol.ts'
import type { DecodeResult } from '../src/audio/decoding.ts'
import { systemClock } from '../src/runtime/clock.ts'
import { HeapExceeded, type TranscodingEnd, transcode } from './ffmpeg.ts'

/** FFmpeg's exit code when most frames could not be decoded. */
const MOSTLY_ERRORS = 69
const BYTES_PER_SAMPLE = 2
/** Tags in front of a file are skipped, up to this many. */
const TAGS_MAX = 4
/** Of the scheduler of the system: decoding gives way to whatever somebody listens to. */
const NICENESS = 10

giveWay()

/** Thread entry: decodes a whole file to disk. Blocks the thread meanwhile, and looks at `cancel` at each read and write. */
export default async function decode(task: DecodeTask): Promise<DecodeResult> {
  const container = containerOf(task.input)
  if (container === undefined) return { status: 'unsupported', message: 'the container of the audio is not supported' }
  const output = openSync(task.output, 'r+')
  try {
    return await decodeInto(output, container, task)
  } finally {
    closeSync(output)
  }
}

async function decodeInto(output: number, container: Container, task: DecodeTask): Promise<DecodeResult> {
  const { input, sampleRate, secondsMax, longer, msMax, cancel } = task
  const startedAt = systemClock.monotonic()
  const samplesMax = Math.floor(secondsMax * sampleRate)
  const bytesMax = samplesMax * BYTES_PER_SAMPLE
  let bytes = 0
  const write = (samples: Uint8Array) => {
    const room = bytesMax - bytes
    bytes += samples.length
    if (bytes > bytesMax) {
      if (longer === 'refused') throw new Stopped({ status: 'too_long' })
      writeFully(output, samples.subarray(0, room))
      throw new Stopped({ status: 'decoded', samples: samplesMax })
    }
    writeFully(output, samples)
  }
  const check = () => {
    if (Atomics.load(cancel, 0) !== 0) throw new Stopped({ status: 'cancelled' })
    if (systemClock.monotonic() - startedAt > msMax) throw new Stopped(TOO_SLOW)
  }
  try {
    const end = await transcode({ input, demuxer: DEMUXERS[container], sampleRate, write, check })
    return resultOf(end, Math.floor(bytes / BYTES_PER_SAMPLE))
  } catch (error) {
    if (error instanceof Stopped) return error.result
    // Its own checks failed, or it ran out of bounds: what WebAssembly is there to contain.
    if (error instanceof WebAssembly.RuntimeError || error instanceof HeapExceeded || error instanceof RangeError) {
      return BROKEN
    }
    throw error
  }
}

function resultOf({ exitCode, log }: TranscodingEnd, samples: number): DecodeResult {
  if (samples > 0 && exitCode !== MOSTLY_ERRORS) return { status: 'decoded', samples }
  if (log.some((line) => /matches no streams|does not contain any stream/.test(line))) {
    return { status: 'undecodable', message: 'the file holds no audio' }
  }
  if (log.some((line) => /[Dd]ecoder.* not found|no decoder|not (currently )?(supported|implemented)/.test(line))) {
    return { status: 'unsupported', message: 'the encoding of the audio is not supported' }
  }
  return BROKEN
}

const BROKEN: DecodeResult = { status: 'undecodable', message: 'the audio is damaged or incomplete' }
const TOO_SLOW: DecodeResult = { status: 'undecodable', message: 'the audio takes too long to decode' }

/** Thrown through FFmpeg to end it. */
class Stopped extends Error {
  readonly result: DecodeResult

  constructor(result: DecodeResult) {
    super('decoding was stopped')
    this.result = result
  }
}

function containerOf(path: string): Container | undefined {
  const file = openSync(path, 'r')
  try {
    const head = new Uint8Array(CONTAINER_HEAD_BYTES)
    let at = 0
    for (let tags = 0; tags <= TAGS_MAX; tags++) {
      const bytes = head.subarray(0, readSync(file, head, 0, head.length, at))
      const tag = tagBytes(bytes)
      if (tag === 0) return detectContainer(bytes)
      at += tag
    }
    return undefined
  } finally {
    closeSync(file)
  }
}

const DEMUXERS: Readonly<Record<Container, string>> = {
  wav: 'wav',
  mp3: 'mp3',
  ogg: 'ogg',
  webm: 'matroska',
  mp4: 'mov',
  flac: 'flac',
  aac: 'aac',
  aiff: 'aiff',
  caf: 'caf',
  wma: 'asf',
  amr: 'amr',
}

function writeFully(file: number, bytes: Uint8Array): void {
  for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at, bytes.length - at)
}

/** On Linux a priority belongs to a thread; elsewhere it would be that of the whole process. */
function giveWay(): void {
  if (process.platform === 'linux') setPriority(NICENESS)
}
