import { once } from 'node:events'
import { type ClientRequest, request as httpRequest } from 'node:http'
import { request as httpsRequest } from 'node:https'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { STT_UPLOAD_BYTES_MAX } from '../../src/limits.ts'
import { PRESET_VOICE } from '../api/test-node.ts'
import { TcpProxy } from '../faults/tcp-proxy.ts'
import { type Answer, RawClient, send } from '../http/edge.ts'
import { waitFor } from '../wait-for.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'
import { startNginx } from './nginx.ts'

const MIB = 1024 * 1024

async function start(tls: 'plain' | 'tls' = 'plain') {
  const node = await startWholeNode()
  const proxy = await TcpProxy.start(node.port)
  const nginx = await startNginx(proxy.port, tls)
  return { node, proxy, nginx }
}

function jsonHeaders({ inner }: WholeNode, more: Record<string, string> = {}) {
  return { Authorization: `Bearer ${inner.voiceKey}`, 'Content-Type': 'application/json', ...more }
}

/** Head and tail of a form around a file. */
const FORM_HEAD = '--b\r\nContent-Disposition: form-data; name="audio"; filename="a.wav"\r\n\r\n'
const FORM_TAIL = '\r\n--b--\r\n'

/** Begins an upload of a file of `fileBytes`; its body is the caller's to write. */
function beginUpload(
  port: number,
  { inner }: WholeNode,
  fileBytes: number,
): { request: ClientRequest; answer: Promise<Told> } {
  const request = httpRequest({
    port,
    host: '127.0.0.1',
    method: 'POST',
    path: '/api/v1/stt/transcriptions',
    headers: {
      Authorization: `Bearer ${inner.sttKey}`,
      'Content-Type': 'multipart/form-data; boundary=b',
      'Content-Length': FORM_HEAD.length + fileBytes + FORM_TAIL.length,
    },
  })
  request.on('error', () => {})
  const answer = new Promise<Told>((resolve) => {
    request.on('response', async (response) => {
      let text = ''
      for await (const piece of response) text += String(piece)
      resolve({ status: response.statusCode ?? 0, type: response.headers['content-type'], json: JSON.parse(text) })
    })
  })
  return { request, answer }
}

interface Told {
  readonly status: number
  readonly type: string | undefined
  readonly json: { readonly ok: boolean; readonly error?: { readonly code: string } }
}

describe('a node behind nginx', () => {
  it('sends each event of a stream as soon as it is made', async () => {
    const { node, nginx } = await start()
    node.inner.synthesizer.script = { frames: 5, pace: 'by_hand' }
    const response = await fetch(`http://127.0.0.1:${nginx.port}/api/v1/tts/sse`, {
      method: 'POST',
      headers: jsonHeaders(node),
      body: '{"text":"One by one."}',
    })
    let received = ''
    const reading = new WritableStream<string>({
      write(text) {
        received += text
      },
    })
    void response.body?.pipeThrough(new TextDecoderStream()).pipeTo(reading)
    const { synthesizer } = node.inner
    const has = (what: string) => received.includes(what)
    await waitFor(() => synthesizer.running === 1, 'the stream')
    for (let n = 1; n <= 5; n++) {
      expect(has(`"sequence":${n}`)).toBe(false)
      synthesizer.step()
      await waitFor(() => has(`"sequence":${n}`), `event ${n}`)
    }
    synthesizer.step()
    await waitFor(() => has('event: done'), 'the end')
  })

  it('speaks over the socket whose address it hands out', async () => {
    const { node, nginx } = await start()
    const paid = await send(nginx.port, 'POST', '/api/v1/tts/stream-token', {
      headers: jsonHeaders(node),
      body: '{"text_length":20}',
    })
    const { ws_url, stream_token } = JSON.parse(paid.text).data
    expect(ws_url).toBe(`ws://127.0.0.1:${nginx.port}/ws/tts/stream`)
    const socket = new WebSocket(`${ws_url}?token=${stream_token}`)
    const received: string[] = []
    socket.on('message', (message: Buffer, isBinary) => {
      received.push(isBinary ? 'audio' : JSON.parse(message.toString()).type)
    })
    await once(socket, 'open')
    socket.send('{"type":"start","text":"Through a proxy."}')
    const [code] = await once(socket, 'close')
    expect([code, received]).toEqual([1000, ['start', 'audio', 'audio', 'audio', 'done']])
  })

  it('takes a file of 100 MiB as it comes, and keeps nothing of it in the proxy', async () => {
    const { node, nginx } = await start()
    const { request, answer } = beginUpload(nginx.port, node, STT_UPLOAD_BYTES_MAX)
    request.write(`${FORM_HEAD}1`)
    request.write(Buffer.alloc(MIB - 1, '\n'))
    await waitFor(() => node.inner.spool.usedBytes > MIB / 2, 'the node to have the beginning')
    expect(await nginx.buffered()).toEqual([])
    for (let sent = MIB; sent < STT_UPLOAD_BYTES_MAX; sent += MIB) {
      if (!request.write(Buffer.alloc(MIB, '\n'))) await once(request, 'drain')
    }
    request.end(FORM_TAIL)
    expect(await answer).toMatchObject({ status: 200, json: { ok: true } })
    await node.quiet()
  })

  it.each([
    ['by the node, a byte over 100 MiB', STT_UPLOAD_BYTES_MAX + 1],
    ['by nginx, at 101 MiB', 101 * MIB],
  ])('has a file refused %s, in the same words', async (_, fileBytes) => {
    const { node, nginx } = await start()
    const { request, answer } = beginUpload(nginx.port, node, fileBytes)
    request.write(FORM_HEAD)
    let told: Told | undefined
    void answer.then((value) => {
      told = value
    })
    for (let sent = 0; sent < fileBytes && told === undefined; ) {
      const piece = Math.min(MIB, fileBytes - sent)
      sent += piece
      if (!request.write(Buffer.alloc(piece, '\n')))
        await Promise.race([once(request, 'drain').catch(() => answer), answer])
    }
    if (told === undefined) request.end(FORM_TAIL)
    const { status, type, json } = await answer
    expect([status, type, json]).toEqual([
      413,
      expect.stringContaining('application/json'),
      {
        ok: false,
        error: { code: 'FILE_TOO_LARGE', message: `the file must be at most ${STT_UPLOAD_BYTES_MAX} bytes` },
      },
    ])
    request.destroy()
    await node.quiet()
  })

  it('gets many requests over one connection', async () => {
    const { node, proxy, nginx } = await start()
    const before = proxy.connections
    for (let i = 0; i < 20; i++) {
      const answer = await send(nginx.port, 'GET', '/api/v1/usage', { headers: jsonHeaders(node) })
      expect(answer.status).toBe(200)
    }
    // One that stands idle for eight seconds, as on a machine that stands still, is closed.
    expect(proxy.connections - before).toBeLessThan(5)
  })

  it('is told the address of its client, whatever the client claims', async () => {
    const { node, nginx } = await start()
    await send(nginx.port, 'GET', '/healthz', {
      headers: { 'X-Forwarded-For': '203.0.113.9' },
      localAddress: '127.0.0.2',
    })
    await waitFor(() => node.inner.logLines.length > 0, 'the log line')
    expect(node.inner.logLines.at(-1)).toMatchObject({ message: 'request', path: '/healthz', remote: '127.0.0.2' })
  })

  it('is not kept from others by a reader that stands still', async () => {
    const { node, nginx } = await start()
    node.inner.synthesizer.script = { frames: 5_000 }
    const body = '{"text":"A long one."}'
    const still = new RawClient(nginx.port)
    still.pause()
    still.write(
      `POST /api/v1/tts/sse HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${node.inner.voiceKey}\r\n` +
        `Content-Length: ${body.length}\r\n\r\n${body}`,
    )
    const held = () => node.figure('syrinx_stream_buffered_bytes')
    await waitFor(async () => (await held()) > 0 && !node.inner.synthesizer.step(), 'the stream to stand still')
    expect(await held()).toBeLessThanOrEqual(512 * 1024)
    node.inner.synthesizer.script = { frames: 3 }
    const other = await send(nginx.port, 'POST', '/api/v1/tts/sse', { headers: jsonHeaders(node), body })
    expect(other.text).toContain('event: done')
    still.reset()
    await node.quiet()
  })

  it('leaves no token, key or signature in the logs of nginx, not even beside errors', async () => {
    const { node, proxy, nginx } = await start()
    const secret = 'aSecretThatMustNotBeWritten'
    const paths = [
      `/ws/tts/stream?token=${secret}`,
      `/api/public/v1/stt/ws?token=${secret}`,
      `/audio/x.mp3?expires=1&signature=${secret}`,
      `/api/v1/usage?api_key=${secret}`,
    ]
    const visit = () => Promise.all(paths.map((path) => send(nginx.port, 'GET', path)))
    expect((await visit()).map(({ status }) => status)).toEqual([400, expect.any(Number), 404, 401])
    await Promise.all(Array.from({ length: 50 }, visit))
    await proxy.stop()
    await visit()
    const logs = await nginx.logs()
    expect(logs).toContain('/ws/tts/stream')
    expect(logs).not.toContain(`token=${secret}`)
    expect(logs).not.toContain(`signature=${secret}`)
    expect(logs).not.toContain(node.inner.voiceKey)
  })

  it('hides its figures, however their path is written', async () => {
    const { nginx } = await start()
    for (const path of [
      '/metrics',
      '/metrics?a=b',
      '//metrics',
      '/%6detrics',
      '/x/../metrics',
      '/./metrics',
      '/metrics#',
      '/metrics%2f',
      '/metrics/',
      'http://127.0.0.1/metrics',
    ]) {
      const answer = await send(nginx.port, 'GET', path)
      expect([path, answer.status, JSON.parse(answer.text).error.code]).toEqual([path, 404, 'NOT_FOUND'])
    }
  })

  it('takes only WebSockets for an upgrade', async () => {
    const { nginx } = await start()
    const client = new RawClient(nginx.port)
    client.request(
      'GET',
      '/healthz',
      'Upgrade: h2c',
      'HTTP2-Settings: AAMAAABkAAQAAP__',
      'Connection: Upgrade, HTTP2-Settings',
    )
    expect(await client.until(/\r\n\r\n/)).toMatch(/^HTTP\/1.1 200 /)
  })
})

describe('what nginx refuses by itself', () => {
  it('looks like a refusal of the node: a body too large, too many requests, no node', async () => {
    const { node, proxy, nginx } = await start()
    const page = { Origin: 'https://page.example' }
    const large = await send(nginx.port, 'POST', '/api/v1/tts/bytes', {
      headers: jsonHeaders(node, page),
      body: 'x'.repeat(200_000),
    })
    const busy: Answer[] = []
    // A slow machine needs more than one burst to pass the rate.
    await waitFor(async () => {
      const burst = Array.from({ length: 120 }, () => send(nginx.port, 'GET', '/healthz', { headers: page }))
      busy.push(...(await Promise.all(burst)))
      return busy.some(({ status }) => status === 429)
    }, 'a refusal')
    const refused = busy.find(({ status }) => status === 429)
    expect(busy.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(50)
    // Another address has its own allowance.
    const other = await send(nginx.port, 'GET', '/healthz', { localAddress: '127.0.0.3' })
    expect(other.status).toBe(200)
    await proxy.stop()
    const away = await elsewhere(nginx.port, '/api/v1/usage')
    const stt = await elsewhere(nginx.port, '/api/v1/stt/transcriptions')
    const described = [large, refused, away, stt].map((answer) => ({
      status: answer?.status,
      code: JSON.parse(answer?.text ?? '{}').error?.code,
      type: answer?.headers['content-type'],
      origin: answer?.headers['access-control-allow-origin'],
      hasId: typeof answer?.headers['x-request-id'],
      retry: answer?.headers['retry-after'],
    }))
    const usual = { type: 'application/json', origin: '*', hasId: 'string' }
    expect(described).toEqual([
      { ...usual, status: 400, code: 'BAD_REQUEST', retry: undefined },
      { ...usual, status: 429, code: 'RATE_LIMITED', retry: '2' },
      { ...usual, status: 503, code: 'BACKEND_ERROR', retry: '5' },
      { ...usual, status: 503, code: 'STT_UNAVAILABLE', retry: '5' },
    ])
  })

  it('does not touch what the node says: one id, one origin, its own errors', async () => {
    const { node, nginx } = await start()
    const answer = await send(nginx.port, 'POST', '/api/v1/tts/bytes', {
      headers: jsonHeaders(node, { Origin: 'https://page.example' }),
      body: JSON.stringify({ text: '', voice_id: PRESET_VOICE }),
    })
    expect(answer.status).toBe(400)
    expect(answer.headers['x-request-id']).toMatch(/^req_[a-z2-7]{20}$/)
    expect(answer.headers['access-control-allow-origin']).toBe('*')
    node.inner.lifecycle.ready = false
    const notReady = await send(nginx.port, 'GET', '/readyz')
    expect([notReady.status, notReady.headers['retry-after']]).toEqual([503, undefined])
  })
})

describe('with TLS', () => {
  it('addresses are those of TLS, and plain HTTP is sent there', async () => {
    const { node, nginx } = await start('tls')
    const plain = await send(nginx.port, 'POST', '/api/v1/tts/bytes?a=b', { headers: { Host: 'speech.example.com' } })
    expect([plain.status, plain.headers.location]).toEqual([308, 'https://speech.example.com/api/v1/tts/bytes?a=b'])
    const paid = await tlsPost(nginx.tlsPort, '/api/v1/tts/stream-token', jsonHeaders(node), '{"text_length":20}')
    expect(paid.data.ws_url).toBe(`wss://127.0.0.1:${nginx.tlsPort}/ws/tts/stream`)
    const socket = new WebSocket(`${paid.data.ws_url}?token=${paid.data.stream_token}`, { rejectUnauthorized: false })
    await once(socket, 'open')
    socket.send('{"type":"start","text":"Through TLS."}')
    expect((await once(socket, 'close'))[0]).toBe(1000)
    const made = await tlsPost(nginx.tlsPort, '/api/v1/tts/generate', jsonHeaders(node), '{"text":"A file."}')
    expect(made.data.audio_url).toMatch(new RegExp(`^https://127.0.0.1:${nginx.tlsPort}/audio/`))
  })
})

/** A request from an address of its own, that no other request has used up. */
function elsewhere(port: number, path: string) {
  return send(port, 'GET', path, { localAddress: '127.0.0.4' })
}

function tlsPost(
  port: number,
  path: string,
  headers: Record<string, string>,
  body: string,
): Promise<{ data: Record<string, string> }> {
  return new Promise((resolve, reject) => {
    const options = { port, host: '127.0.0.1', method: 'POST', path, headers, rejectUnauthorized: false }
    const request = httpsRequest(options, async (response) => {
      let text = ''
      for await (const piece of response) text += String(piece)
      resolve(JSON.parse(text))
    })
    request.on('error', reject)
    request.end(body)
  })
}
