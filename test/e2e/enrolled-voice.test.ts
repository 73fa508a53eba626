import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type NodeUnderTest, startNode } from '../../bench/node-under-test.ts'
import { HEARD_WIDTH, heardOf, loadVoiceSpace } from '../../models/voices/voice-space.ts'
import { fromPcm16, pcmBytes, toPcm16 } from '../../src/audio/pcm.ts'
import { wavHeader } from '../../src/audio/wav.ts'
import { stateOfFeatures } from '../../src/inference/voice-sound.ts'
import { SAMPLE_RATE, type VoicePrint } from '../../src/speech/task-protocol.ts'
import { PRESET_VOICES } from '../../src/speech/voices.ts'
import { SpeakerEncoder } from '../../workers/speaker-encoder.ts'
import { waitFor } from '../wait-for.ts'
import { speakerClip } from '../workers/clips.ts'
import { ENCODER_DIR } from '../workers/packs.ts'
import { Client } from './client.ts'

const SPEAKER = '1069'
/** In front of what was learnt of a voice. */
const CHECKSUM_BYTES = 32
/** What is not enrolled of the clip is what the voice is compared with. */
const ENROLLED_SHARE = 0.6
/** Of one length class, so that little has to be measured. */
const ENGLISH = 'The children went to the park after school and fed the ducks.'
const SPANISH = 'Mañana por la tarde vamos a comer en casa de mis abuelos.'

let node: NodeUnderTest
let encoder: SpeakerEncoder
let accountKey: string
let sttKey: string
let enrollment: { status: number; data: { voice_id: string; api_key: { key: string } } }
let voice: Client
/** Of the voice, as it was when the enrolment was answered, and as it is in the end. */
let sketch: Buffer
let features: Buffer
let sketched: VoicePrint
let enrolled: VoicePrint
let kept: VoicePrint

beforeAll(async () => {
  node = await startNode()
  encoder = await SpeakerEncoder.load(ENCODER_DIR)
  const clip = await speakerClip(SPEAKER)
  const at = Math.floor(ENROLLED_SHARE * clip.length)
  enrolled = await encoder.measure(clip.slice(0, at), 16_000)
  kept = await encoder.measure(clip.slice(at), 16_000)
  sttKey = await node.sttKey()
  const account = (await node.command('account', 'create', '--name', 'e2e', '--tts-quota', 'unlimited')) as {
    id: string
  }
  const words = ['key', 'create', '--account', account.id, '--kind', 'admin', '--name', 'e2e']
  accountKey = ((await node.command(...words)) as { key: string }).key
  await enrollClip()
  voice = new Client(node, enrollment.data.api_key.key)
  sketch = readFileSync(featuresPath())
  sketched = await encoder.measure(fromPcm16((await voice.bytes({ text: ENGLISH })).samples), SAMPLE_RATE)
  await refined()
  features = readFileSync(featuresPath())
})

afterAll(async () => {
  await encoder.close()
  await node.stop()
})

function featuresPath(): string {
  return join(node.dataDir, 'voices', enrollment.data.voice_id, 'features')
}

/** Resolves when no voice is to change any more. */
function refined(): Promise<void> {
  const figure = async () => /^syrinx_voices_refining (\d+)$/m.exec(await (await fetch(`${node.url}/metrics`)).text())
  return waitFor(async () => (await figure())?.[1] === '0', 'all voices to be refined', 300_000)
}

/** What was enrolled of the clip. */
async function enrollClip(): Promise<void> {
  const clip = await speakerClip(SPEAKER)
  const response = await enroll(clip.slice(0, Math.floor(ENROLLED_SHARE * clip.length)))
  enrollment = { status: response.status, ...((await response.json()) as Omit<typeof enrollment, 'status'>) }
}

function enroll(samples: Float32Array): Promise<Response> {
  const pcm = pcmBytes(toPcm16(samples))
  const body = new FormData()
  body.append('file', new Blob([wavHeader(16_000, pcm.length), pcm]), 'clip.wav')
  for (const [field, value] of Object.entries({ name: 'Test', gender: 'female', consent: 'true' }))
    body.append(field, value)
  return fetch(`${node.url}/api/v1/voices`, { method: 'POST', headers: bearer(accountKey), body })
}

function bearer(key: string): Record<string, string> {
  return { Authorization: `Bearer ${key}` }
}

async function transcribed(samples: Int16Array, language: string): Promise<string[]> {
  const pcm = pcmBytes(samples)
  const body = new FormData()
  body.append('audio', new Blob([wavHeader(SAMPLE_RATE, pcm.length), pcm]), 'speech.wav')
  body.append('language', language)
  const url = `${node.url}/api/v1/stt/transcriptions`
  const response = await fetch(url, { method: 'POST', headers: bearer(sttKey), body })
  return wordsOf(((await response.json()) as { data: { text: string } }).data.text)
}

const wordsOf = (text: string) => text.toLowerCase().match(/\p{L}+/gu) ?? []

function likeness({ embedding }: VoicePrint): number {
  return embedding.reduce((sum, value, at) => sum + value * kept.embedding[at]!, 0)
}

/** Of what the space knows of the model's own voices, the one that is most like the recording. */
async function nearestPreset(): Promise<string> {
  const space = await loadVoiceSpace()
  const wanted = heardOf(space.embeddings, enrolled.embedding, enrolled.pitch)
  const distance = (preset: number) => {
    const heard = space.heard.subarray(preset * HEARD_WIDTH, (preset + 1) * HEARD_WIDTH - 1)
    return Math.hypot(...heard.map((value, at) => value - wanted[at]!))
  }
  return PRESET_VOICES[[...PRESET_VOICES.keys()].reduce((a, b) => (distance(b) < distance(a) ? b : a))]!.id
}

describe('a voice enrolled at a node with real models', () => {
  it('speaks as a sketch that resembles the person, and then changes once', async () => {
    expect([features, sketch].map((bytes) => stateOfFeatures(bytes.subarray(CHECKSUM_BYTES)))).toEqual([
      ...['refined', 'sketch'],
    ])
    expect(likeness(sketched)).toBeGreaterThan(0.6)
  })

  it('resembles other words of the same person more than the node’s own voice that comes nearest', async () => {
    expect(enrollment.status).toBe(201)
    const { samples } = await voice.bytes({ text: ENGLISH })
    const print = await encoder.measure(fromPcm16(samples), SAMPLE_RATE)
    expect(Math.abs(12 * Math.log2(print.pitch / kept.pitch))).toBeLessThan(3)
    expect(likeness(print)).toBeGreaterThan(0.65)
    const preset = new Client(node, await node.voiceKey(await nearestPreset()))
    const other = await encoder.measure(fromPcm16((await preset.bytes({ text: ENGLISH })).samples), SAMPLE_RATE)
    expect(likeness(print)).toBeGreaterThan(likeness(other))
  })

  it('keeps its words, also in a language that the person was not heard in', async () => {
    expect(await transcribed((await voice.bytes({ text: ENGLISH })).samples, 'en')).toEqual(wordsOf(ENGLISH))
    const spanish = await transcribed((await voice.bytes({ text: SPANISH, language: 'es' })).samples, 'es')
    // An accent costs Whisper a word now and then.
    expect(wordsOf(SPANISH).filter((word) => !spanish.includes(word)).length).toBeLessThanOrEqual(2)
  })

  it('speaks the same samples in all four ways', async () => {
    const { samples } = await voice.bytes({ text: ENGLISH })
    const others = [
      (await voice.generate({ text: ENGLISH })).samples,
      (await voice.sse({ text: ENGLISH })).samples,
      (await voice.socket({ text: ENGLISH })).samples,
    ]
    for (const other of others) expect(Buffer.compare(Buffer.from(other.buffer), Buffer.from(samples.buffer))).toBe(0)
  })

  it('speaks for exactly as long as it is asked to', async () => {
    const { samples } = await voice.generate({ text: ENGLISH, duration: 4.5, postprocess_output: false })
    expect(samples).toHaveLength(4.5 * SAMPLE_RATE)
  })

  it('is not made of noise, and the answer says why', async () => {
    const noise = Float32Array.from({ length: 48_000 }, (_, at) => 0.2 * Math.sin(at * at * 0.37))
    const response = await enroll(noise)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { code: string; details: object[] } }
    expect(error).toMatchObject({ code: 'VALIDATION_FAILED', details: [{ field: 'file', rule: 'min_speech' }] })
  })

  it('goes with all that was measured of it', async () => {
    const { voice_id: id } = enrollment.data
    const folder = join(node.dataDir, 'voices', id)
    expect(readdirSync(folder).filter((name) => name.startsWith('conditioning-'))).not.toHaveLength(0)
    const response = await fetch(`${node.url}/api/v1/voices/${id}`, { method: 'DELETE', headers: bearer(accountKey) })
    expect(response.ok).toBe(true)
    expect(existsSync(folder)).toBe(false)
    expect((await voice.post('/api/v1/tts/bytes', { text: ENGLISH })).status).toBe(401)
  })
  it('is the same voice at first and in the end when it is enrolled again, though the node dies in between', async () => {
    await enrollClip()
    expect(Buffer.compare(readFileSync(featuresPath()), sketch)).toBe(0)
    await node.end('SIGKILL')
    node = await startNode({ SYRINX_DATA: node.dataDir })
    await refined()
    expect(Buffer.compare(readFileSync(featuresPath()), features)).toBe(0)
  })
})
