import { createMp3Encoder } from 'wasm-media-encoders'
import type { CodecTask } from '../src/audio/codec-protocol.ts'

/** Constant, so that players know the length of a file without reading all of it. */
const MP3_KBIT_PER_SECOND = 96
/** Samples handed to the encoder at a time; bounds the memory of the WebAssembly heap. */
const BLOCK_SAMPLES = 24_000

const encoder = await createMp3Encoder()

/** Thread entry: encodes a whole file with LAME. One task at a time, since the encoder has state. */
export default function runCodecTask({ samples, sampleRate }: CodecTask): Uint8Array {
  encoder.configure({ channels: 1, sampleRate, bitrate: MP3_KBIT_PER_SECOND })
  const parts: Uint8Array[] = []
  for (let at = 0; at < samples.length; at += BLOCK_SAMPLES) {
    // What the encoder returns is its own memory, overwritten by the next call.
    parts.push(encoder.encode([toFloat(samples.subarray(at, at + BLOCK_SAMPLES))]).slice())
  }
  parts.push(encoder.finalize().slice())
  return Buffer.concat(parts)
}

function toFloat(samples: Int16Array): Float32Array {
  return Float32Array.from(samples, (sample) => sample / 32_768)
}
