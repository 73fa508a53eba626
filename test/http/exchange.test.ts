import { describe, expect, it } from 'vitest'
import type { Exchange, FrameSink } from '../../src/api/exchange.ts'
import { waitFor } from '../wait-for.ts'
import { get, patterned, RawClient, send, startEdge } from './edge.ts'

/** An endpoint that hands its exchange to the test and answers when told. */
function handedOver() {
  const exchanges: Exchange[] = []
  const route = get('/held', (exchange) => {
    exchanges.push(exchange)
    return new Promise<void>((resolve) => exchange.closed.addEventListener('abort', () => resolve()))
  })
  const next = async () => {
    await waitFor(() => exchanges.length > 0, 'the request')
    return exchanges[0] as Exchange
  }
  return { route, next }
}

describe('a reply', () => {
  it('is the only answer: later ones are ignored', async () => {
    let sink: FrameSink | undefined
    const { port } = await startEdge({
      routes: [
        get('/twice', async (exchange) => {
          exchange.reply(200, {}, 'first')
          exchange.reply(500, {}, 'second')
          sink = exchange.open(500, {})
          sink.write('third')
          sink.end()
          await exchange.file(500, {}, '/nonexistent', 0, 1)
        }),
      ],
    })
    const client = new RawClient(port)
    client.request('GET', '/twice')
    await client.until(/first$/)
    expect(sink?.closed.aborted).toBe(true)
    expect(client.text.match(/HTTP\/1\.1/g)).toHaveLength(1)
  })

  it('counts bytes, not characters', async () => {
    const { port } = await startEdge({ routes: [get('/text', (exchange) => exchange.reply(200, {}, 'héllo €'))] })
    const answer = await send(port, 'GET', '/text')
    expect([answer.text, answer.headers['content-length']]).toEqual(['héllo €', '10'])
  })

  it('of any size arrives whole, at the pace of the reader', async () => {
    const bodies = [0, 1, 15 * 1024, 15 * 1024 + 1, 100_000, 12_000_000].map((byteLength) => patterned(byteLength))
    const { port, server } = await startEdge({
      routes: [get('/sized/:i', (exchange) => exchange.reply(200, {}, bodies[Number(exchange.params.i)] ?? ''))],
    })
    for (const [i, body] of bodies.entries()) {
      const client = new RawClient(port)
      client.pause()
      client.request('GET', `/sized/${i}`)
      if (body.length > 10_000_000) await waitFor(() => server.openCount === 1, 'the reply to be held up')
      client.resume()
      expect((await client.sizedBody()).equals(body)).toBe(true)
    }
    expect(server.openCount).toBe(0)
  })

  it('without a body by its status has no Content-Length', async () => {
    const { port } = await startEdge({
      routes: [
        get('/same', (exchange) => exchange.reply(304, { ETag: '"a"' }, '')),
        get('/x', (e) => e.reply(200, {}, 'x')),
      ],
    })
    const client = new RawClient(port)
    client.request('GET', '/same')
    expect(await client.until(/\r\n\r\n$/)).not.toMatch(/Content-Length/i)
    client.request('GET', '/x')
    await client.until(/x$/)
  })

  it.each([
    ['a line break', { 'X-Name': 'a\r\nX-Evil: 1' }],
    ['a bare line feed', { 'X-Name': 'a\nX-Evil: 1' }],
    ['a null', { 'X-Name': 'a\0' }],
    ['a character outside ASCII', { 'X-Name': 'naïve' }],
    ['a name that is not one', { 'X-Evil: 1\r\nX-Name': 'a' }],
  ])('whose header holds %s is a fault, and nothing of it is sent', async (_, headers) => {
    const { port, lines } = await startEdge({
      routes: [
        get('/reply', (exchange) => exchange.reply(200, headers, 'body')),
        get('/open', (exchange) => exchange.open(200, headers).end()),
        get('/file', (exchange) => exchange.file(200, headers, import.meta.filename, 0, 10)),
      ],
    })
    for (const path of ['/reply', '/open', '/file']) {
      const client = new RawClient(port)
      client.request('GET', path)
      const text = await client.until(/internal error$/)
      expect(text).toMatch(/^HTTP\/1\.1 500 /)
      expect(text).not.toMatch(/X-Evil|X-Name/)
    }
    expect(lines.filter((line) => line.level === 'error')).toHaveLength(3)
  })
})

describe('a client that leaves', () => {
  it('before the answer aborts `closed`, and answering does nothing', async () => {
    const { route, next } = handedOver()
    const { port, server, lines } = await startEdge({ routes: [route] })
    const client = new RawClient(port)
    client.request('GET', '/held')
    const exchange = await next()
    expect(exchange.closed.aborted).toBe(false)
    client.reset()
    await waitFor(() => exchange.closed.aborted, '`closed` to abort')
    exchange.reply(200, {}, 'late')
    const sink = exchange.open(200, {})
    sink.write('late')
    sink.end()
    await exchange.file(200, {}, import.meta.filename, 0, 10)
    expect(sink.bufferedBytes).toBe(0)
    expect(server.openCount).toBe(0)
    expect(lines.map((line) => line.level)).toEqual(['info'])
  })

  it('by closing its side of the connection has left too', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ routes: [route] })
    const client = new RawClient(port)
    client.request('GET', '/held')
    const exchange = await next()
    client.socket.end()
    await waitFor(() => exchange.closed.aborted, '`closed` to abort')
  })

  it('in the middle of a large reply ends the exchange', async () => {
    const { port, server, lines } = await startEdge({
      routes: [get('/large', (exchange) => exchange.reply(200, {}, patterned(12_000_000)))],
    })
    const client = new RawClient(port)
    client.pause()
    client.request('GET', '/large')
    await waitFor(() => server.openCount === 1, 'the reply to be held up')
    client.reset()
    await waitFor(() => server.openCount === 0, 'the exchange to end')
    expect(lines).toMatchObject([{ status: 200, aborted: true }])
  })
})

describe('`closed`', () => {
  it('is aborted once the response has ended, also for those who ask later', async () => {
    const { route, next } = handedOver()
    const { port } = await startEdge({ routes: [route] })
    const answering = send(port, 'GET', '/held')
    const exchange = await next()
    exchange.reply(200, {}, 'done')
    expect(exchange.closed.aborted).toBe(true)
    expect((await answering).text).toBe('done')
  })
})
