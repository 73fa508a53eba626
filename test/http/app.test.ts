import { once } from 'node:events'
import { describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import type { SocketSession } from '../../src/api/exchange.ts'
import type { Random } from '../../src/runtime/random.ts'
import { FakeClock } from '../fake-clock.ts'
import { waitFor } from '../wait-for.ts'
import { get, post, RawClient, send, socket, startEdge } from './edge.ts'

const json = { 'Content-Type': 'application/json' }
const hello = get('/hello', (exchange) => exchange.reply(200, json, '{"ok":true}'))

/** Collects what the server tells its observer. */
function counted() {
  const answers: [string, string, number][] = []
  return { answers, observer: { answered: (...answer: [string, string, number]) => answers.push(answer) } }
}

describe('the observer of a server', () => {
  it('hears of each request by the pattern of its route, never by its path', async () => {
    const { answers, observer } = counted()
    const voice = get('/voices/:id', (exchange) => exchange.reply(200, json, '{}'))
    const { port } = await startEdge({ routes: [hello, voice], observer })
    await send(port, 'GET', '/voices/of-somebody?key=secret')
    await send(port, 'HEAD', '/hello')
    await send(port, 'POST', '/hello')
    await send(port, 'OPTIONS', '/hello')
    await send(port, 'PROPFIND', '/nowhere')
    await waitFor(() => answers.length === 5, 'five requests to be over')
    expect(answers).toEqual([
      ['/voices/:id', 'GET', 200],
      ['/hello', 'HEAD', 200],
      ['none', 'POST', 405],
      ['none', 'OPTIONS', 204],
      ['none', 'other', 404],
    ])
  })

  it('hears of a client that left before its answer as status 0', async () => {
    const { answers, observer } = counted()
    let asked = false
    const never = get('/never', (exchange) => {
      asked = true
      return new Promise((resolve) => exchange.closed.addEventListener('abort', () => resolve()))
    })
    const { port } = await startEdge({ routes: [never], observer })
    const client = new RawClient(port)
    client.request('GET', '/never')
    await waitFor(() => asked, 'the request')
    client.socket.destroy()
    await waitFor(() => answers.length === 1, 'the request to be over')
    expect(answers).toEqual([['/never', 'GET', 0]])
  })

  it('hears of a socket when it has closed', async () => {
    const { answers, observer } = counted()
    const { port } = await startEdge({ sockets: [socket('/ws', (session) => session.end(1000, ''))], observer })
    await once(new WebSocket(`ws://127.0.0.1:${port}/ws?token=secret`), 'close')
    await waitFor(() => answers.length === 1, 'the socket to be over')
    expect(answers).toEqual([['/ws', 'GET', 101]])
  })

  it('hears of requests and sockets for which there was no room as status 503', async () => {
    const { answers, observer } = counted()
    const sockets = [socket('/ws', () => {})]
    const { port } = await startEdge({ routes: [hello], sockets, observer, limits: { connectionsMax: 0 } })
    await send(port, 'GET', '/hello')
    await once(new WebSocket(`ws://127.0.0.1:${port}/ws`), 'close')
    await waitFor(() => answers.length === 2, 'both to be over')
    expect(answers).toEqual([
      ['none', 'GET', 503],
      ['/ws', 'GET', 503],
    ])
  })
})

describe('a request', () => {
  it('is answered by the endpoint of its path and method', async () => {
    const { port } = await startEdge({
      routes: [hello, post('/hello', async (exchange) => exchange.reply(201, {}, await exchange.body(100)))],
    })
    const got = await send(port, 'GET', '/hello')
    expect([got.status, got.text, got.headers['content-type']]).toEqual([200, '{"ok":true}', 'application/json'])
    expect(got.headers['content-length']).toBe('11')
    const posted = await send(port, 'POST', '/hello', { body: 'echo' })
    expect([posted.status, posted.text]).toEqual([201, 'echo'])
  })

  it('is copied before anything is awaited', async () => {
    const { port } = await startEdge({
      routes: [
        get('/voices/:id/:part', async (exchange) => {
          await new Promise((resolve) => setImmediate(resolve))
          const { method, path, query, remoteAddress } = exchange.request
          const header = exchange.request.header('x-test')
          const params = exchange.params
          exchange.reply(200, json, JSON.stringify({ method, path, q: query.get('q'), header, remoteAddress, params }))
        }),
      ],
    })
    const answer = await send(port, 'GET', '/voices/a%20b/%C3%A9%2Fx?q=1%202&r', { headers: { 'X-Test': 'yes' } })
    expect(JSON.parse(answer.text)).toEqual({
      method: 'GET',
      path: '/voices/a b/é/x',
      q: '1 2',
      header: 'yes',
      remoteAddress: '127.0.0.1',
      params: { id: 'a b', part: 'é/x' },
    })
  })

  it('without a query has an empty one', async () => {
    const { port, lines } = await startEdge({
      routes: [get('/hello', (exchange) => exchange.reply(200, {}, String([...exchange.request.query.keys()].length)))],
    })
    expect((await send(port, 'GET', '/hello')).text).toBe('0')
    expect(lines[0]?.path).toBe('/hello')
  })

  it.each(['/voices/%', '/voices/%zz', '/voices/%ff'])('whose path is %s is refused as malformed', async (path) => {
    const { port } = await startEdge({ routes: [get('/voices/:id', (exchange) => exchange.reply(200, {}, ''))] })
    const client = new RawClient(port)
    client.request('GET', path)
    expect(await client.until(/malformed percent-escape/)).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
  })

  it('for an unknown path gets 404, whatever its method', async () => {
    const { port } = await startEdge({ routes: [hello] })
    for (const method of ['GET', 'POST', 'OPTIONS', 'PATCH']) {
      expect((await send(port, method, '/nowhere')).status).toBe(404)
    }
    expect((await send(port, 'GET', '/hello/')).status).toBe(404)
  })

  it('with the wrong method gets 405 and the methods that work', async () => {
    const { port } = await startEdge({ routes: [hello, { method: 'DELETE', path: '/gone', handle: () => {} }] })
    const answer = await send(port, 'PUT', '/hello')
    expect([answer.status, answer.headers.allow]).toEqual([405, 'GET, HEAD, OPTIONS'])
    expect((await send(port, 'HEAD', '/gone')).headers.allow).toBe('DELETE, OPTIONS')
  })

  it('by HEAD is answered like GET, without the body', async () => {
    const large = 'x'.repeat(100_000)
    const { port } = await startEdge({
      routes: [
        hello,
        get('/large', (exchange) => exchange.reply(200, {}, large)),
        get('/stream', (exchange) => {
          const sink = exchange.open(200, { 'Content-Type': 'text/event-stream' })
          sink.write('never sent')
          expect(sink.closed.aborted).toBe(true)
        }),
      ],
    })
    const client = new RawClient(port)
    client.request('HEAD', '/hello')
    expect(await client.until(/\r\n\r\n/)).toMatch(/Content-Length: 11\r\n/)
    client.request('HEAD', '/large')
    expect(await client.until(/\r\n\r\nHTTP[\s\S]*\r\n\r\n/)).toMatch(/Content-Length: 100000\r\n/)
    client.request('HEAD', '/stream')
    await client.until(/text\/event-stream[\s\S]*\r\n\r\n/)
    client.request('GET', '/hello')
    await client.until(/\{"ok":true\}$/)
    expect(client.text.match(/HTTP\/1\.1 200 OK/g)).toHaveLength(4)
    expect(client.text).not.toContain('never sent')
    expect(client.text).not.toContain('xxxxx')
  })

  it('may follow another on the same connection', async () => {
    const { port } = await startEdge({ routes: [hello] })
    const client = new RawClient(port)
    for (let i = 1; i <= 5; i++) {
      client.request('GET', '/hello')
      await waitFor(() => client.text.split('{"ok":true}').length === i + 1, `answer ${i}`)
    }
  })
})

describe('the address of a client', () => {
  it('is what a proxy on this machine says, and stands in the log', async () => {
    const { port, lines } = await startEdge({
      routes: [get('/asked', (exchange) => exchange.reply(200, {}, exchange.request.remoteAddress))],
    })
    const forwarded = await send(port, 'GET', '/asked', { headers: { 'X-Forwarded-For': '10.0.0.1, 203.0.113.9' } })
    expect([forwarded.text, lines[0]?.remote]).toEqual(['203.0.113.9', '203.0.113.9'])
  })
})

describe('every response', () => {
  it('carries a request id of its own, errors included', async () => {
    const { port } = await startEdge({
      routes: [
        get('/id', (exchange) => exchange.reply(200, {}, exchange.id)),
        get('/fault', () => {
          throw new Error('boom')
        }),
      ],
    })
    const ok = await send(port, 'GET', '/id')
    expect(ok.text).toMatch(/^req_[a-z2-7]{20}$/)
    expect(ok.headers['x-request-id']).toBe(ok.text)
    const others = [await send(port, 'GET', '/none'), await send(port, 'PUT', '/id'), await send(port, 'GET', '/fault')]
    const ids = others.map((answer) => answer.headers['x-request-id'])
    expect(others.map((answer) => answer.status)).toEqual([404, 405, 500])
    expect(new Set([ok.text, ...ids]).size).toBe(4)
    for (const id of ids) expect(id).toMatch(/^req_[a-z2-7]{20}$/)
  })

  it('takes its id from the chance it was given', async () => {
    const random: Random = { bytes: (length) => new Uint8Array(length) }
    const { port } = await startEdge({ routes: [hello], random })
    expect((await send(port, 'GET', '/hello')).headers['x-request-id']).toBe(`req_${'a'.repeat(20)}`)
  })

  it('may be read by a page of any origin, which is told what it may send', async () => {
    const { port } = await startEdge({ routes: [hello] })
    const origin = { Origin: 'https://page.example' }
    const preflight = await send(port, 'OPTIONS', '/hello', {
      headers: { ...origin, 'Access-Control-Request-Method': 'GET' },
    })
    expect([preflight.status, preflight.text, preflight.headers['content-length']]).toEqual([204, '', undefined])
    expect(preflight.headers['access-control-allow-methods']).toBe('GET, HEAD, OPTIONS')
    expect(preflight.headers['access-control-allow-headers']).toContain('Authorization')
    for (const path of ['/hello', '/nowhere']) {
      const answer = await send(port, 'GET', path, { headers: origin })
      expect(answer.headers['access-control-allow-origin']).toBe('*')
      expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id')
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined()
    }
    expect((await send(port, 'GET', '/hello')).headers['access-control-allow-origin']).toBeUndefined()
  })
})

describe('an endpoint that fails', () => {
  it('by throwing or rejecting has its error rendered', async () => {
    const { port, lines } = await startEdge({
      routes: [
        get('/throws', () => {
          throw new Error('thrown here')
        }),
        get('/rejects', async () => {
          await new Promise((resolve) => setImmediate(resolve))
          throw new Error('rejected here')
        }),
      ],
    })
    for (const path of ['/throws', '/rejects']) {
      const answer = await send(port, 'GET', path)
      expect([answer.status, answer.text]).toEqual([500, 'internal error'])
    }
    const errors = lines.filter((line) => line.level === 'error').map((line) => line.error)
    expect(errors).toEqual([expect.stringContaining('thrown here'), expect.stringContaining('rejected here')])
  })

  it('by returning without an answer is a fault', async () => {
    const { port, lines } = await startEdge({ routes: [get('/silent', () => {})] })
    expect((await send(port, 'GET', '/silent')).status).toBe(500)
    expect(lines[0]?.error).toContain('without an answer')
  })

  it('together with the code that renders errors still gets an answer', async () => {
    const { port } = await startEdge({
      routes: [get('/silent', () => {})],
      renderError() {
        throw new Error('no words')
      },
    })
    expect((await send(port, 'GET', '/silent')).status).toBe(500)
  })

  it('after its response began loses the connection, so that the client sees a torn response', async () => {
    const { port, lines } = await startEdge({
      routes: [
        get('/torn', async (exchange) => {
          exchange.open(200, {}).write('half')
          await new Promise((resolve) => setImmediate(resolve))
          throw new Error('too late')
        }),
      ],
    })
    const client = new RawClient(port)
    client.request('GET', '/torn')
    await waitFor(() => client.isClosed, 'the connection to close')
    expect(client.text).not.toMatch(/\r\n0\r\n\r\n$/)
    expect(lines.find((line) => line.level === 'error')?.error).toContain('too late')
  })
})

describe('the log', () => {
  it('has one line a request, with its id, status, size and time', async () => {
    const clock = new FakeClock()
    const { port, lines } = await startEdge({
      clock,
      routes: [
        get('/slow', (exchange) => {
          clock.advance(12.34)
          exchange.reply(200, {}, 'twelve bytes')
        }),
      ],
    })
    const answer = await send(port, 'GET', '/slow?token=secret&language=en')
    expect(lines).toEqual([
      {
        level: 'info',
        message: 'request',
        id: answer.headers['x-request-id'],
        remote: '127.0.0.1',
        method: 'GET',
        path: '/slow?token=…&language=en',
        status: 200,
        ms: 12.3,
        bytes: 12,
      },
    ])
  })

  it('says so when the client left before it had its answer', async () => {
    const { server, port, lines } = await startEdge({ routes: [get('/wait', () => new Promise(() => {}))] })
    const client = new RawClient(port)
    client.request('GET', '/wait')
    await waitFor(() => server.openCount === 1, 'the request to arrive')
    client.reset()
    await waitFor(() => lines.length === 1, 'the log line')
    expect(lines[0]).toMatchObject({ message: 'request', status: 0, aborted: true })
  })
})

describe('a server', () => {
  it('does not share its port with another', async () => {
    const { port } = await startEdge({})
    const other = (await startEdge({})).server
    await expect(other.listen('127.0.0.1', port)).rejects.toThrow(`127.0.0.1:${port}`)
  })

  it('refuses one request more than it may have open, and takes the next when one has ended', async () => {
    let release = () => {}
    const { server, port } = await startEdge({
      limits: { connectionsMax: 1 },
      routes: [
        hello,
        get('/wait', async (exchange) => {
          await new Promise<void>((resolve) => {
            release = resolve
          })
          exchange.reply(200, {}, 'done')
        }),
      ],
    })
    const waiting = send(port, 'GET', '/wait')
    await waitFor(() => server.openCount === 1, 'the first request')
    const refused = await send(port, 'GET', '/hello')
    expect([refused.status, refused.headers['retry-after']]).toEqual([503, '2'])
    release()
    expect((await waiting).text).toBe('done')
    expect((await send(port, 'GET', '/hello')).status).toBe(200)
  })

  it('that is closed accepts no connection and finishes what is open', async () => {
    let release = () => {}
    const { server, port } = await startEdge({
      routes: [
        get('/wait', async (exchange) => {
          await new Promise<void>((resolve) => {
            release = resolve
          })
          exchange.reply(200, {}, 'done')
        }),
      ],
    })
    const waiting = send(port, 'GET', '/wait')
    await waitFor(() => server.openCount === 1, 'the request')
    server.close()
    await expect(send(port, 'GET', '/wait')).rejects.toThrow('ECONNREFUSED')
    const drained = server.drain(60_000)
    release()
    expect((await waiting).text).toBe('done')
    expect(await drained).toBe(0)
    expect(server.openCount).toBe(0)
  })

  it('that is drained closes what is left at the deadline', async () => {
    const clock = new FakeClock()
    const sessions: SocketSession[] = []
    const { server, port } = await startEdge({
      clock,
      routes: [get('/wait', () => new Promise(() => {}))],
      sockets: [socket('/ws', (session) => sessions.push(session))],
    })
    const refusedAtDeadline = expect(send(port, 'GET', '/wait')).rejects.toThrow('socket hang up')
    const peer = new WebSocket(`ws://127.0.0.1:${port}/ws`)
    const peerClosed = new Promise((resolve) => peer.on('close', resolve))
    await waitFor(() => server.openCount === 2, 'both')
    const drained = server.drain(5_000)
    clock.advance(4_999)
    expect(server.openCount).toBe(2)
    clock.advance(1)
    expect(await drained).toBe(2)
    await refusedAtDeadline
    await peerClosed
    expect(sessions[0]?.closed.aborted).toBe(true)
    expect(server.openCount).toBe(0)
  })
})
