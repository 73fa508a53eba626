import { describe, expect, it } from 'vitest'
import { ClientGone, type Exchange } from '../../src/api/exchange.ts'
import { waitFor } from '../wait-for.ts'
import { get, patterned, post, RawClient, send, startEdge } from './edge.ts'

const LIMIT = 1_000
const echo = post('/echo', async (exchange) => exchange.reply(200, {}, await exchange.body(LIMIT)))
const ping = get('/ping', (exchange) => exchange.reply(200, {}, 'pong'))

/** A POST that lets the test decide when the body is asked for. */
function gated(limitBytes: number) {
  let open = () => {}
  const gate = new Promise<void>((resolve) => {
    open = resolve
  })
  const route = post('/gated', async (exchange) => {
    await gate
    exchange.reply(200, {}, await exchange.body(limitBytes))
  })
  return { route, open: () => open() }
}

describe('a body', () => {
  it('arrives whole, empty or up to its limit', async () => {
    const { port } = await startEdge({ routes: [echo] })
    for (const byteLength of [0, 1, LIMIT - 1, LIMIT]) {
      const body = patterned(byteLength)
      const answer = await send(port, 'POST', '/echo', { body })
      expect(answer.status).toBe(200)
      expect(answer.body.equals(body)).toBe(true)
    }
  })

  it('one byte over its limit is refused', async () => {
    const { port } = await startEdge({ routes: [echo] })
    const answer = await send(port, 'POST', '/echo', { body: patterned(LIMIT + 1) })
    expect([answer.status, answer.text]).toEqual([413, 'body exceeds 1000 bytes'])
  })

  it('may come in chunks, and in as many pieces as the client likes', async () => {
    const { port } = await startEdge({ routes: [echo] })
    const client = new RawClient(port)
    client.request('POST', '/echo', 'Transfer-Encoding: chunked')
    for (const piece of ['5\r\n', 'hel', 'lo\r\n1', '\r\n \r\n', '5\r\nworld\r\n0\r', '\n\r\n']) {
      client.write(piece)
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await client.until(/\r\n\r\nhello world$/)).toMatch(/Content-Length: 11/)
  })

  it('in chunks is refused as soon as what arrived exceeds the limit', async () => {
    const { port } = await startEdge({ routes: [echo] })
    const client = new RawClient(port)
    client.request('POST', '/echo', 'Transfer-Encoding: chunked')
    client.write(`${(LIMIT + 1).toString(16)}\r\n`)
    client.write(patterned(LIMIT + 1))
    await client.until(/^HTTP\/1\.1 413 /)
  })

  it('declared to be too large is refused before any of it arrives', async () => {
    const { port } = await startEdge({ routes: [echo] })
    const client = new RawClient(port)
    client.request('POST', '/echo', 'Content-Length: 5000000000')
    await client.until(/^HTTP\/1\.1 413 /)
  })

  it('that is refused can be sent to its end, the answer read then, and the connection used again', async () => {
    const { port } = await startEdge({ routes: [echo, ping] })
    const client = new RawClient(port)
    client.pause()
    const byteLength = 5_000_000
    client.request('POST', '/echo', `Content-Length: ${byteLength}`)
    await new Promise<void>((resolve) => client.socket.write(patterned(byteLength), () => resolve()))
    client.resume()
    await client.until(/^HTTP\/1\.1 413 /)
    client.request('GET', '/ping')
    await client.until(/pong$/)
    expect(client.isClosed).toBe(false)
  })

  it('nobody asks for is thrown away', async () => {
    const { port } = await startEdge({ routes: [post('/deaf', (exchange) => exchange.reply(200, {}, 'ok')), ping] })
    const client = new RawClient(port)
    client.request('POST', '/deaf', 'Content-Length: 300000')
    client.write(patterned(300_000))
    await client.until(/ok$/)
    client.request('GET', '/ping')
    await client.until(/pong$/)
  })

  it('is kept until it is asked for, a large one by pausing the client', async () => {
    const { route, open } = gated(20_000_000)
    const { server, port } = await startEdge({ routes: [route] })
    const body = patterned(10_000_000)
    const answering = send(port, 'POST', '/gated', { body })
    await waitFor(() => server.openCount === 1, 'the request')
    for (let turn = 0; turn < 100; turn++) await new Promise((resolve) => setImmediate(resolve))
    open()
    expect((await answering).body.equals(body)).toBe(true)
  })

  it('that ends early is a client gone', async () => {
    let failure: unknown
    const { port, server } = await startEdge({
      routes: [
        post('/echo', async (exchange) => {
          await exchange.body(LIMIT).catch((error: unknown) => {
            failure = error
          })
        }),
      ],
    })
    const client = new RawClient(port)
    client.request('POST', '/echo', 'Content-Length: 100')
    client.write('only this')
    await waitFor(() => server.openCount === 1, 'the request')
    client.reset()
    await waitFor(() => failure !== undefined, 'the failure')
    expect(failure).toBeInstanceOf(ClientGone)
    expect(server.openCount).toBe(0)
  })

  it('whose client left before it was asked for is a client gone too', async () => {
    const { route, open } = gated(LIMIT)
    let exchange: Exchange | undefined
    let failure: unknown
    const { port, server, lines } = await startEdge({
      routes: [
        {
          ...route,
          async handle(request) {
            exchange = request
            await Promise.resolve(route.handle(request)).catch((error: unknown) => {
              failure = error
              throw error
            })
          },
        },
      ],
    })
    const client = new RawClient(port)
    client.request('POST', '/gated', 'Content-Length: 100')
    await waitFor(() => server.openCount === 1, 'the request')
    client.reset()
    await waitFor(() => server.openCount === 0, 'the client to leave')
    open()
    await waitFor(() => failure !== undefined, 'the failure')
    expect(failure).toBeInstanceOf(ClientGone)
    expect(exchange?.closed.aborted).toBe(true)
    expect(lines.filter((line) => line.level !== 'info')).toEqual([])
  })

  it.each([
    ['a length that is no number', ['Content-Length: 12x']],
    ['both a length and chunks', ['Content-Length: 5', 'Transfer-Encoding: chunked']],
  ])('with %s is not a request', async (_, headers) => {
    const { port, server } = await startEdge({ routes: [echo] })
    const client = new RawClient(port)
    client.request('POST', '/echo', ...headers)
    await waitFor(() => client.isClosed, 'the connection to close')
    expect(client.text).toMatch(/^HTTP\/1\.1 400 /)
    expect(server.openCount).toBe(0)
  })

  it('with broken chunks ends the connection', async () => {
    const { port, server } = await startEdge({ routes: [echo] })
    const client = new RawClient(port)
    client.request('POST', '/echo', 'Transfer-Encoding: chunked')
    client.write('zz\r\nhello\r\n')
    await waitFor(() => client.isClosed, 'the connection to close')
    expect(server.openCount).toBe(0)
  })
})

describe('a request', () => {
  it('torn off at any byte leaves nothing behind', async () => {
    const { port, server, lines } = await startEdge({ routes: [echo, ping], limits: { uploadBytesMax: 1_000 } })
    const whole = 'POST /echo HTTP/1.1\r\nHost: test\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n'
    for (let length = 1; length < whole.length; length++) {
      const client = new RawClient(port)
      client.write(whole.slice(0, length))
      await waitFor(() => client.socket.writableLength === 0, 'the bytes to be sent')
      client.reset()
    }
    const isServed = async () => (await send(port, 'POST', '/echo', { body: patterned(1_000) })).status === 200
    await waitFor(isServed, 'all the memory to be free')
    await waitFor(() => server.openCount === 0, 'all to be over')
    expect(lines.filter((line) => line.level !== 'info')).toEqual([])
  })
})

describe('the memory for bodies', () => {
  it('is shared: a body that finds none is refused with 503 until another request ends', async () => {
    const { port, server } = await startEdge({ limits: { uploadBytesMax: 1_500 }, routes: [echo] })
    const slow = new RawClient(port)
    slow.request('POST', '/echo', 'Content-Length: 1000')
    slow.write(patterned(999))
    await waitFor(() => server.openCount === 1, 'the slow upload')
    await waitFor(async () => {
      const answer = await send(port, 'POST', '/echo', { body: patterned(800) })
      return answer.status === 503 && answer.headers['retry-after'] === '2'
    }, 'a refusal once the slow upload holds the memory')
    slow.write('.')
    await slow.until(/^HTTP\/1\.1 200 /)
    expect((await send(port, 'POST', '/echo', { body: patterned(800) })).status).toBe(200)
  })

  it('comes back whether a request is answered, refused or abandoned', async () => {
    const { port, server } = await startEdge({ limits: { uploadBytesMax: LIMIT }, routes: [echo] })
    for (let round = 0; round < 5; round++) {
      expect((await send(port, 'POST', '/echo', { body: patterned(LIMIT) })).status).toBe(200)
      expect((await send(port, 'POST', '/echo', { body: patterned(LIMIT + 1) })).status).toBe(413)
      const client = new RawClient(port)
      client.request('POST', '/echo', `Content-Length: ${LIMIT}`)
      client.write(patterned(LIMIT - 1))
      await waitFor(() => server.openCount === 1, 'the upload')
      client.reset()
      await waitFor(() => server.openCount === 0, 'the client to leave')
    }
  })
})
