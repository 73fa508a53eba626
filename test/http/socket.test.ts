import { once } from 'node:events'
import { describe, expect, it, onTestFinished } from 'vitest'
import { WebSocket } from 'ws'
import type { SocketSession } from '../../src/api/exchange.ts'
import { STREAM_BUFFER_BYTES_MAX } from '../../src/limits.ts'
import { waitFor } from '../wait-for.ts'
import { get, patterned, RawClient, send, socket, startEdge } from './edge.ts'

/** A client that keeps everything it is sent. */
class Peer {
  readonly ws: WebSocket
  readonly messages: (string | Buffer)[] = []
  closed: { code: number; reason: string } | undefined

  constructor(port: number, path: string) {
    this.ws = new WebSocket(`ws://127.0.0.1:${port}${path}`, { maxPayload: 0 })
    this.ws.on('message', (data: Buffer, isBinary) => this.messages.push(isBinary ? data : data.toString()))
    this.ws.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() }
    })
    this.ws.on('error', () => {})
    onTestFinished(() => this.ws.terminate())
  }

  async opened(): Promise<this> {
    await once(this.ws, 'open')
    return this
  }

  async untilClosed(): Promise<{ code: number; reason: string }> {
    await waitFor(() => this.closed !== undefined, 'the socket to close')
    return this.closed ?? { code: 0, reason: '' }
  }
}

/** A route that hands its sessions to the test. */
function handedOver(path = '/ws') {
  const sessions: SocketSession[] = []
  const next = async () => {
    await waitFor(() => sessions.length > 0, 'a session')
    return sessions[0] as SocketSession
  }
  return { route: socket(path, (session) => sessions.push(session)), next }
}

const echo = socket('/echo', (session) => session.onMessage((message) => session.send(message)))

describe('a socket', () => {
  it('carries text and bytes both ways, in order', async () => {
    const { port } = await startEdge({ sockets: [echo] })
    const peer = await new Peer(port, '/echo').opened()
    const sent = Array.from({ length: 50 }, (_, i) => (i % 2 === 0 ? `häl${i}` : patterned(i * 100, i)))
    for (const message of sent) peer.ws.send(message)
    await waitFor(() => peer.messages.length === sent.length, 'all echoes')
    expect(peer.messages).toEqual(sent)
  })

  it('gives each message to keep', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ sockets: [route] })
    const peer = await new Peer(port, '/ws').opened()
    const session = await next()
    const kept: (string | Uint8Array)[] = []
    session.onMessage((message) => kept.push(message))
    for (let i = 0; i < 20; i++) peer.ws.send(patterned(1_000, i))
    await waitFor(() => kept.length === 20, 'all messages')
    for (const [i, message] of kept.entries()) expect(Buffer.from(message)).toEqual(patterned(1_000, i))
  })

  it('knows its request: path, query, headers and id', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ sockets: [route] })
    const client = new RawClient(port)
    client.request(
      'GET',
      '/ws?token=a%20b',
      'Upgrade: websocket',
      'Connection: Upgrade',
      'Sec-WebSocket-Version: 13',
      'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==',
      'Authorization: Bearer x',
    )
    const session = await next()
    expect(session.request.path).toBe('/ws')
    expect(session.request.query.get('token')).toBe('a b')
    expect(session.request.header('authorization')).toBe('Bearer x')
    expect(session.request.remoteAddress).toBe('127.0.0.1')
    expect(await client.until(/\r\n\r\n/)).toContain(`X-Request-Id: ${session.id}\r\n`)
    expect(session.id).toMatch(/^req_[a-z2-7]{20}$/)
  })

  it('keeps the messages that come before the session listens, and delivers them first', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ sockets: [route], limits: { socketEarlyMessagesMax: 3 } })
    const peer = await new Peer(port, '/ws').opened()
    const session = await next()
    const ponged = once(peer.ws, 'pong')
    for (const message of ['1', '2', '3']) peer.ws.send(message)
    peer.ws.ping()
    await ponged
    const received: unknown[] = []
    session.onMessage((message) => received.push(message))
    expect(received).toEqual(['1', '2', '3'])
    peer.ws.send('4')
    await waitFor(() => received.length === 4, 'the fourth')
    expect(received).toEqual(['1', '2', '3', '4'])
  })

  it('whose session does not listen is closed when too many messages wait', async () => {
    const { route } = handedOver()
    const { port } = await startEdge({ sockets: [route], limits: { socketEarlyMessagesMax: 3 } })
    const peer = await new Peer(port, '/ws').opened()
    for (const message of ['1', '2', '3', '4']) peer.ws.send(message)
    expect((await peer.untilClosed()).code).toBe(1008)
  })

  it('that drops the connection aborts `closed`, and sending does nothing', async () => {
    const { route, next } = handedOver()
    const { port, server, lines } = await startEdge({ sockets: [route] })
    const peer = await new Peer(port, '/ws?token=secret').opened()
    const session = await next()
    expect([session.closed.aborted, server.openCount]).toEqual([false, 1])
    peer.ws.terminate()
    await waitFor(() => session.closed.aborted, '`closed` to abort')
    session.send('late')
    session.end(1000, 'late')
    expect([session.bufferedBytes, server.openCount]).toEqual([0, 0])
    expect(lines).toMatchObject([{ message: 'socket', id: session.id, path: '/ws?token=…', code: 1006 }])
  })
})

describe('closing a socket', () => {
  it.each([
    [1000, 'done'],
    [1012, 'restarting'],
    [4401, 'token'],
    [4400, ''],
  ])('sends %i and the reason %j', async (code, reason) => {
    const { route, next } = handedOver()
    const { port, server } = await startEdge({ sockets: [route] })
    const peer = await new Peer(port, '/ws').opened()
    const session = await next()
    session.send('last words')
    session.end(code, reason)
    session.end(1011, 'again')
    session.send('too late')
    expect(session.closed.aborted).toBe(true)
    expect(await peer.untilClosed()).toEqual({ code, reason })
    expect(peer.messages).toEqual(['last words'])
    await waitFor(() => server.openCount === 0, 'the socket to be counted off')
  })

  it('cuts a long reason between characters', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ sockets: [route] })
    const peer = await new Peer(port, '/ws').opened()
    ;(await next()).end(1011, `${'x'.repeat(121)}€€`)
    expect(await peer.untilClosed()).toEqual({ code: 1011, reason: 'x'.repeat(121) })
  })

  it('refuses a code that may not be sent', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ sockets: [route] })
    await new Peer(port, '/ws').opened()
    const session = await next()
    for (const code of [0, 999, 1004, 1005, 1006, 1015, 2999, 5000]) expect(() => session.end(code, '')).toThrow()
  })

  it('from the first moment works', async () => {
    const { port } = await startEdge({
      sockets: [
        socket('/ws', (session) => {
          session.send('{"type":"error"}')
          session.end(4401, 'unauthorized')
        }),
      ],
    })
    const peer = new Peer(port, '/ws')
    expect(await peer.untilClosed()).toEqual({ code: 4401, reason: 'unauthorized' })
    expect(peer.messages).toEqual(['{"type":"error"}'])
  })

  it('waits until a slow reader has everything', async () => {
    const { route, next } = handedOver()
    const { port, server } = await startEdge({ sockets: [route], limits: { socketBufferBytesMax: 20_000_000 } })
    const peer = await new Peer(port, '/ws').opened()
    const session = await next()
    peer.ws.pause()
    const message = patterned(12_000_000)
    session.send(message)
    expect(session.bufferedBytes).toBeGreaterThan(0)
    session.end(1000, 'done')
    expect([session.closed.aborted, server.openCount]).toEqual([true, 1])
    peer.ws.resume()
    expect(await peer.untilClosed()).toEqual({ code: 1000, reason: 'done' })
    expect(message.equals(peer.messages[0] as Buffer)).toBe(true)
  })
})

describe('a message', () => {
  it('may be larger where its path says so', async () => {
    const roomy = { ...echo, path: '/roomy', messageBytesMax: 5_000 }
    const { port } = await startEdge({ sockets: [echo, roomy], limits: { socketMessageBytesMax: 1_000 } })
    const peer = await new Peer(port, '/roomy').opened()
    peer.ws.send(patterned(5_000, 1))
    await waitFor(() => peer.messages.length === 1, 'the echo')
    peer.ws.send(patterned(5_001, 1))
    expect((await peer.untilClosed()).code).toBe(1009)
  })

  it('may be as large as the limit, and one byte more closes with 1009', async () => {
    const { port } = await startEdge({ sockets: [echo], limits: { socketMessageBytesMax: 1_000 } })
    const peer = await new Peer(port, '/echo').opened()
    peer.ws.send(patterned(1_000))
    await waitFor(() => peer.messages.length === 1, 'the echo')
    peer.ws.send(patterned(1_001))
    expect((await peer.untilClosed()).code).toBe(1009)
    expect(peer.messages).toHaveLength(1)
  })

  it('far beyond the limit is cut off without being read', async () => {
    const { port, server } = await startEdge({ sockets: [echo], limits: { socketMessageBytesMax: 1_000 } })
    const peer = await new Peer(port, '/echo').opened()
    peer.ws.send(patterned(1_000_000))
    expect((await peer.untilClosed()).code).toBe(1006)
    expect([server.openCount, peer.messages]).toEqual([0, []])
  })

  it('in many fragments counts as one', async () => {
    const { port } = await startEdge({ sockets: [echo], limits: { socketMessageBytesMax: 1_000 } })
    const peer = await new Peer(port, '/echo').opened()
    peer.ws.send('a'.repeat(400), { fin: false })
    peer.ws.send('b'.repeat(400), { fin: true })
    await waitFor(() => peer.messages.length === 1, 'the echo')
    expect(peer.messages).toEqual([`${'a'.repeat(400)}${'b'.repeat(400)}`])
  })

  it('of text that is not UTF-8 ends the connection', async () => {
    const { port, server } = await startEdge({ sockets: [echo] })
    const peer = await new Peer(port, '/echo').opened()
    peer.ws.send(Buffer.from([0xc3, 0x28]), { binary: false })
    await peer.untilClosed()
    expect([server.openCount, peer.messages]).toEqual([0, []])
  })
})

describe('an endpoint that fails on a socket', () => {
  it.each([
    ['when it opens', socket('/ws', () => fail('opening'))],
    ['on a message', socket('/ws', (session) => session.onMessage(() => fail('message')))],
  ])('%s closes it with 1011 and is logged', async (_, route) => {
    const { port, lines } = await startEdge({ sockets: [route] })
    const peer = new Peer(port, '/ws')
    peer.ws.on('open', () => peer.ws.send('hello'))
    expect((await peer.untilClosed()).code).toBe(1011)
    await waitFor(() => lines.length === 2, 'both lines')
    expect(lines.map((line) => [line.level, line.message])).toEqual([
      ['error', 'socket fault'],
      ['info', 'socket'],
    ])
  })

  it('to heed a slow reader closes with 1011 after what was accepted', async () => {
    const { route, next } = handedOver()
    const { port, lines } = await startEdge({ sockets: [route] })
    const peer = await new Peer(port, '/ws').opened()
    const session = await next()
    peer.ws.pause()
    let sent = 0
    while (!session.closed.aborted) {
      session.send(patterned(9_600, sent))
      sent++
    }
    expect(lines.map((line) => line.error)).toEqual([expect.stringContaining('reads too slowly')])
    peer.ws.resume()
    expect((await peer.untilClosed()).code).toBe(1011)
    expect(peer.messages).toHaveLength(sent - 1)
    for (const [i, message] of peer.messages.entries()) expect(patterned(9_600, i).equals(message as Buffer)).toBe(true)
  })
})

describe('a slow reader of a socket', () => {
  it('holds up its own producer and nobody else, and gets everything in the end', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({
      sockets: [route, echo],
      routes: [get('/ping', (e) => e.reply(200, {}, 'pong'))],
    })
    const peer = await new Peer(port, '/ws').opened()
    const session = await next()
    peer.ws.pause()
    const framesMax = 1_500
    let frames = 0
    let bufferedBytesMax = 0
    const pump = () => {
      while (session.bufferedBytes < STREAM_BUFFER_BYTES_MAX && frames < framesMax) {
        session.send(patterned(9_600, frames++))
        bufferedBytesMax = Math.max(bufferedBytesMax, session.bufferedBytes)
      }
      if (frames === framesMax) session.end(1000, 'done')
    }
    session.onDrain(pump)
    pump()
    expect(frames).toBeLessThan(framesMax)
    const other = await new Peer(port, '/echo').opened()
    for (let i = 0; i < 10; i++) {
      other.ws.send(`${i}`)
      await waitFor(() => other.messages.length === i + 1, 'the echo')
      expect((await send(port, 'GET', '/ping')).text).toBe('pong')
    }
    peer.ws.resume()
    expect(await peer.untilClosed()).toEqual({ code: 1000, reason: 'done' })
    expect(bufferedBytesMax).toBeLessThan(STREAM_BUFFER_BYTES_MAX + 2 * 9_600)
    expect(peer.messages).toHaveLength(framesMax)
    for (const [i, message] of peer.messages.entries()) expect(patterned(9_600, i).equals(message as Buffer)).toBe(true)
  })
})

describe('an upgrade', () => {
  it('of an unknown path is 404', async () => {
    const { port } = await startEdge({ sockets: [echo] })
    const peer = new Peer(port, '/nowhere')
    const [error] = await once(peer.ws, 'error')
    expect(error.message).toContain('404')
  })

  it('that is none is told to be one', async () => {
    const { port } = await startEdge({ sockets: [echo] })
    const answer = await send(port, 'GET', '/echo')
    expect([answer.status, answer.headers.upgrade]).toEqual([400, 'websocket'])
  })

  it('over the limit of connections is accepted, told why, and closed with 1013', async () => {
    const { route } = handedOver()
    const { port, server } = await startEdge({ sockets: [route], limits: { connectionsMax: 1 } })
    const first = await new Peer(port, '/ws').opened()
    const second = new Peer(port, '/ws')
    expect((await second.untilClosed()).code).toBe(1013)
    expect(second.messages).toEqual(['{"type":"error","message":"overloaded"}'])
    expect(server.openCount).toBe(1)
    first.ws.close()
    await waitFor(() => server.openCount === 0, 'the first to close')
    await new Peer(port, '/ws').opened()
    expect(server.openCount).toBe(1)
  })
})

function fail(where: string): never {
  throw new Error(`scripted failure: ${where}`)
}
