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
    bytes: async () => Buffer.from(form(`/api/v1/stt/transcriptions${query}`, inner.sttKey)),
  })
  return [
    { name: '/api/v1/usage', bytes: async () => Buffer.from(head('GET', '/api/v1/usage', inner.voiceKey)) },
    json('/api/v1/tts/generate', TEXT_BODY),
    json('/api/v1/tts/bytes', TEXT_BODY),
    json('/api/v1/tts/sse', TEXT_BODY),
    json('/api/v1/tts/stream-token', '{"text_length":20}'),
    upload(''),
    upload('?stream=true'),
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
function form(target: string, key: string): string {
  const script = '1 -2 1'
  const part = `--b\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n${script}\r\n--b--\r\n`
  return head('POST', target, key, part.length, 'multipart/form-data; boundary=b') + part
}

async function storedFile({ services }: WholeNode['inner']): Promise<string> {
  const name = await services.audioFiles.store(Buffer.alloc(200_000, 7), 'mp3')
  return services.audioFiles.link(name)
}

async function openedSocket({ ledger, voiceKey, services }: WholeNode['inner']): Promise<Buffer> {
  const key = ledger.findKey(voiceKey)
  if (key === undefined) throw new Error('the voice key is known')
  const id = `token-${services.random.bytes(8).join('-')}`
  const outcome = await ledger.issueToken({ id, keyId: key.id, meter: 'tts', characters: 60 }, 'preset_ada')
  if (outcome.status !== 'issued') throw new Error(outcome.status)
  return Buffer.from(upgradeRequest(`/ws/tts/stream?token=${outcome.token}`))
}
