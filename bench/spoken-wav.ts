import { EdgeTrimmer } from '../src/audio/edge-trimmer.ts'
import { joinPcm, pcmBytes, toPcm16 } from '../src/audio/pcm.ts'
import { wavHeader } from '../src/audio/wav.ts'
import { SAMPLE_RATE } from '../src/speech/task-protocol.ts'
import type { NodeUnderTest } from './node-under-test.ts'

/** As the node trims what it speaks: the judge must not hear the difference. */
const EDGE_PAD_SAMPLES = 2_400
const SILENCE_MAGNITUDE = 0.0032

/** A text spoken by the voice of this key, as a WAV. */
export async function fetchSpeech(node: NodeUnderTest, key: string, text: string): Promise<Uint8Array> {
  const headers = { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }
  const body = JSON.stringify({ text, format: 'wav' })
  const response = await fetch(`${node.url}/api/v1/tts/bytes`, { method: 'POST', headers, body })
  if (!response.ok) throw new Error(`${response.status} ${await response.text()}`)
  return new Uint8Array(await response.arrayBuffer())
}

/** Samples of the model as a WAV, trimmed. */
export function trimmedWav(samples: Float32Array): Uint8Array {
  const trimmer = new EdgeTrimmer(EDGE_PAD_SAMPLES, SILENCE_MAGNITUDE)
  const pcm = pcmBytes(joinPcm([...trimmer.push(samples), trimmer.flush()].map(toPcm16)))
  return Buffer.concat([wavHeader(SAMPLE_RATE, pcm.length), pcm])
}
