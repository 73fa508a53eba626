import { createMp3Encoder } from 'wasm-media-encoders'
import type { CodecTask } from '../src/audio/codec-protocol.ts'

/** Constant, so that players know the length of a file without reading all of it. */
const MP3_KBIT_PER_SECOND = 96
/** Samples handed to the encoder at a time; bounds the memory of the WebAssembly heap. */
const BLOCK_SAMPLES = 24_000

type Mp3Encoder = Awaited<ReturnType<typeof createMp3Encoder>>

/** One encoder a stream, since it has state. */
const streams = new Map<number, Mp3Encoder>()
/** Of streams that have ended; as many as there ever were at once. */
const idle: Mp3Encoder[] = [await createMp3Encoder()]

/** Thread entry: the next bytes of an MP3 stream, by LAME. */
export default async function runCodecTask(task: CodecTask): Promise<Uint8Array> {
  switch (task.kind) {
    case 'encode-mp3': {
      const encoder = streams.get(task.stream) ?? (await open(task.stream, task.sampleRate))
      return encode(encoder, task.samples)
    }
    case 'finish-mp3':
      return close(task.stream)
    case 'discard-mp3':
      close(task.stream)
      return new Uint8Array(0)
  }
}

async function open(stream: number, sampleRate: number): Promise<Mp3Encoder> {
  const encoder = idle.pop() ?? (await createMp3Encoder())
  encoder.configure({ channels: 1, sampleRate, bitrate: MP3_KBIT_PER_SECOND })
  streams.set(stream, encoder)
  return encoder
}

function encode(encoder: Mp3Encoder, samples: Int16Array): Uint8Array {
  const parts: Uint8Array[] = []
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    // What the encoder returns is its own memory, overwritten by the next call.
    parts.push(encoder.encode([toFloat(samples.subarray(at, at + BLOCK_SAMPLES))]).slice())
  }
  return Buffer.concat(parts)
}

/** The rest of the stream, none if it never began. */
function close(stream: number): Uint8Array {
  const encoder = streams.get(stream)
  if (encoder === undefined) return new Uint8Array(0)
  streams.delete(stream)
  idle.push(encoder)
  return encoder.finalize().slice()
}

function toFloat(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768)
}
