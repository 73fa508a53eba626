import { fileURLToPath } from 'node:url'
import { newVoiceId } from '../../src/ledger/voices.ts'
import type { WholeNode } from '../whole-node.ts'
import { BINARY, frame, TEXT, upgradeRequest } from './websocket-frames.ts'

/** One call of each endpoint that does work, as the bytes a client sends. */
export interface Call {
  readonly name: string
  /** Made anew for each attempt: a stream token is good for one. */
  bytes(): Promise<Buffer>
  /** Sent once the answer to these has begun. */
  readonly more?: Buffer
}

const TEXT_BODY = '{"text":"Over a bad line."}'
const LISTEN = '{"type":"start","mode":"auto","language":"en","sample_rate":16000,"format":"pcm_s16le"}'
const START = '{"type":"start","text":"Over a bad line."}'

export function everyEndpoint({ inner }: WholeNode): Call[] {
  const json = (path: string, body: string): Call => ({
    name: path,
    bytes: async () => Buffer.from(head('POST', path, inner.voiceKey, body.length) + body),
  })
  const upload = (query: string): Call => ({
    name: `/api/v1/stt/transcriptions${query}`,
    bytes: async () =>
      Buffer.from(form(`/api/v1/stt/transcriptions${query}`, inner.sttKey, { name: 'audio', script: SCRIPT })),
  })
  const transcription = (format: string, stream: boolean): Call => ({
    name: `/v1/audio/transcriptions ${format}`,
    bytes: async () => {
      const fields = { model: 'm', response_format: format, stream: String(stream) }
      return Buffer.from(form('/v1/audio/transcriptions', inner.sttKey, { name: 'file', script: SCRIPT, fields }))
    },
  })
  return [
    { name: '/api/v1/usage', bytes: async () => Buffer.from(head('GET', '/api/v1/usage', inner.voiceKey)) },
    json('/api/v1/tts/generate', TEXT_BODY),
    json('/api/v1/tts/bytes', TEXT_BODY),
    json('/api/v1/tts/sse', TEXT_BODY),
    json('/api/v1/tts/stream-token', '{"text_length":20}'),
    upload(''),
    upload('?stream=true'),
    { name: '/api/v1/voices', bytes: () => enrollment(inner) },
    { name: 'DELETE /api/v1/voices', bytes: () => deletion(inner) },
    ...['mp3', 'flac'].map((format) =>
      json('/v1/audio/speech', JSON.stringify({ model: 'm', input: 'Over a bad line.', response_format: format })),
    ),
    json('/v1/audio/speech', '{"model":"m","input":"Over a bad line.","stream_format":"sse"}'),
    transcription('json', false),
    transcription('text', true),
    { name: '/audio', bytes: async () => Buffer.from(head('GET', await storedFile(inner), inner.voiceKey)) },
    {
      name: '/api/public/v1/stt/ws',
      bytes: async () => Buffer.from(upgradeRequest(`/api/public/v1/stt/ws?token=${inner.sttKey}`)),
      more: Buffer.concat([frame(TEXT, LISTEN), frame(BINARY, new Uint8Array(6_400)), frame(TEXT, '{"type":"stop"}')]),
    },
    { name: '/ws/tts/stream', bytes: () => openedSocket(inner), more: frame(TEXT, START) },
  ]
}

function head(method: string, target: string, key: string, bodyBytes?: number, type = 'application/json'): string {
  const body = bodyBytes === undefined ? [] : [`Content-Type: ${type}`, `Content-Length: ${bodyBytes}`]
  return [`${method} ${target} HTTP/1.1`, 'Host: test', `Authorization: Bearer ${key}`, ...body, '', ''].join('\r\n')
}

/** Two utterances, for the scripted decoder. */
const SCRIPT = '1 -2 1'

interface Upload {
  readonly name: string
  readonly script: string
  readonly fields?: Readonly<Record<string, string>>
}

function form(target: string, key: string, { name, script, fields = {} }: Upload): string {
  const disposition = '--b\r\nContent-Disposition: form-data;'
  const parts = [
    ...Object.entries(fields).map(([field, value]) => `${disposition} name="${field}"\r\n\r\n${value}\r\n`),
    `${disposition} name="${name}"; filename="a.wav"\r\n\r\n${script}\r\n--b--\r\n`,
  ].join('')
  return head('POST', target, key, parts.length, 'multipart/form-data; boundary=b') + parts
}

/** Of enrollments that may begin within a minute. */
const ENROLLMENT_MS = 10_000
const ENROLLED_NAME = 'Over a bad line'

/** A clip that the account has no voice of, at a time when it may enroll one. */
async function enrollment(inner: WholeNode['inner']): Promise<Buffer> {
  await forgetVoices(inner)
  inner.clock.advance(ENROLLMENT_MS)
  const script = `${2 + (inner.clock.monotonic() / ENROLLMENT_MS) * 0.001} -1 2`
  const fields = { name: ENROLLED_NAME, consent: 'true' }
  return Buffer.from(form('/api/v1/voices', inner.adminKey, { name: 'file', script, fields }))
}

/** Of a voice that is there. */
async function deletion(inner: WholeNode['inner']): Promise<Buffer> {
  await forgetVoices(inner)
  const { services, ledger, accountId, adminKey } = inner
  const id = newVoiceId(services.random)
  const about = { name: ENROLLED_NAME, gender: 'other', description: '', fileName: 'a.wav', fileSize: 1 } as const
  const parts = { reference: fileURLToPath(import.meta.url), features: new Uint8Array(3) }
  const outcome = await services.voiceFiles.add(id, parts, () =>
    ledger.enrollVoice({ id, accountId, sha256: id, ...about }, ledger.findKey(adminKey)?.id ?? ''),
  )
  if (outcome.status !== 'created') throw new Error(outcome.status)
  return Buffer.from(head('DELETE', `/api/v1/voices/${id}`, adminKey))
}

/** Leaves room for more. */
async function forgetVoices({ ledger, accountId, services }: WholeNode['inner']): Promise<void> {
  for (const { id } of ledger.voicesOf(accountId).slice(0, -VOICES_KEPT)) {
    await ledger.deleteVoice(id, accountId)
    await services.voiceFiles.remove(id)
  }
}

/** Fewer than an account may have. */
const VOICES_KEPT = 15

async function storedFile({ services }: WholeNode['inner']): Promise<string> {
  const name = await services.audioFiles.store(Buffer.alloc(200_000, 7), 'mp3')
  return services.audioFiles.link(name)
}

async function openedSocket(inner: WholeNode['inner']): Promise<Buffer> {
  return Buffer.from(upgradeRequest(`/ws/tts/stream?token=${await streamToken(inner)}`))
}

/** A token for a text of at most 60 characters. */
export async function streamToken({ ledger, voiceKey, services }: WholeNode['inner']): Promise<string> {
  const key = ledger.findKey(voiceKey)
  if (key === undefined) throw new Error('the voice key is known')
  const id = `token-${services.random.bytes(8).join('-')}`
  const outcome = await ledger.issueToken({ id, keyId: key.id, meter: 'tts', characters: 60 }, 'preset_ada')
  if (outcome.status !== 'issued') throw new Error(outcome.status)
  return outcome.token
}
