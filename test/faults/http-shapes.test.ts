import { beforeEach, describe, expect, it } from 'vitest'
import { RawClient } from '../http/edge.ts'
import { waitFor } from '../wait-for.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'

const BODY = '{"text_length":5}'
const GET = 'GET /healthz HTTP/1.1\r\nHost: test\r\n\r\n'

let node: WholeNode
beforeEach(async () => {
  node = await startWholeNode()
})

/** A request that costs five characters, with these headers and this body. */
function paid(headers: string, body = BODY): string {
  const { voiceKey } = node.inner
  return `POST /api/v1/tts/stream-token HTTP/1.1\r\nHost: test\r\nAuthorization: Bearer ${voiceKey}\r\n${headers}\r\n${body}`
}

/** Sends these bytes over a connection of their own. */
function speak(text: string): RawClient {
  const client = new RawClient(node.port)
  client.write(Buffer.from(text, 'latin1'))
  return client
}

const statusesOf = ({ text }: RawClient) => [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status))

async function answered(client: RawClient, count = 1): Promise<number[]> {
  await waitFor(() => client.isClosed || statusesOf(client).length >= count, 'an answer')
  return statusesOf(client)
}

describe('a request whose end is in doubt', () => {
  it.each([
    ['a length and chunks', 'Content-Length: 6\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\nGET /'],
    ['chunks and a length', 'Transfer-Encoding: chunked\r\nContent-Length: 3\r\n', `11\r\n${BODY}\r\n0\r\n\r\n`],
    ['two lengths', 'Content-Length: 17\r\nContent-Length: 5\r\n', BODY],
    ['the same length twice', 'Content-Length: 17\r\nContent-Length: 17\r\n', BODY],
    ['a list of lengths', 'Content-Length: 17, 17\r\n', BODY],
    ['a length with a sign', 'Content-Length: +17\r\n', BODY],
    ['a negative length', 'Content-Length: -1\r\n', BODY],
    ['a hexadecimal length', 'Content-Length: 0x11\r\n', BODY],
    ['a length that is 17 when 64 bits are full', 'Content-Length: 18446744073709551633\r\n', BODY],
    ['an unknown encoding', 'Transfer-Encoding: xchunked\r\n', `11\r\n${BODY}\r\n0\r\n\r\n`],
    ['an encoding that ends otherwise', 'Transfer-Encoding: chunked, identity\r\n', `11\r\n${BODY}\r\n0\r\n\r\n`],
    ['two encodings', 'Transfer-Encoding: gzip, chunked\r\n', `11\r\n${BODY}\r\n0\r\n\r\n`],
    ['two headers of encodings', 'Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', '0\r\n\r\n'],
    ['no encoding at all', 'Transfer-Encoding: identity\r\n', BODY],
    ['a chunk of no size', 'Transfer-Encoding: chunked\r\n', `zz\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk of negative size', 'Transfer-Encoding: chunked\r\n', `-11\r\n${BODY}\r\n0\r\n\r\n`],
    ['a chunk beyond 64 bits', 'Transfer-Encoding: chunked\r\n', `fffffffffffffffff11\r\n${BODY}\r\n0\r\n\r\n`],
    ['two hosts', 'Host: other\r\nContent-Length: 17\r\n', BODY],
  ])('because of %s is refused free of charge, and the connection ends', async (_, headers, body) => {
    const client = speak(paid(headers, body))
    await waitFor(() => client.isClosed, 'the connection to end')
    expect([statusesOf(client), node.inner.charged]).toEqual([[400], 0])
    await node.quiet()
  })

  it.each([
    ['two lengths, the shorter first', 'Content-Length: 5\r\nContent-Length: 17\r\n'],
    ['an empty length', 'Content-Length:\r\n'],
  ])('because of %s has none of its rest taken for a request', async (_, headers) => {
    const { voiceKey } = node.inner
    const hidden = `GET /api/v1/usage HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${voiceKey}\r\n\r\n`
    const client = speak(paid(headers, `12345${hidden}`.slice(headers.includes('5') ? 0 : 5)))
    await waitFor(() => client.isClosed, 'the connection to end')
    expect([statusesOf(client), node.inner.charged]).toEqual([[], 0])
    expect(node.inner.logLines).not.toContainEqual(expect.objectContaining({ path: '/api/v1/usage' }))
    await node.quiet()
  })

  it.each([
    ['HTTP/1.0', 'GET /healthz HTTP/1.0\r\nHost: a\r\n\r\n'],
    ['HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['no version', 'GET /healthz\r\n\r\n'],
    ['lines that end otherwise', 'GET /healthz HTTP/1.1\nHost: a\n\n'],
    ['an address with a space', 'GET /heal thz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['the address of a proxy', 'GET http://other/healthz HTTP/1.1\r\nHost: a\r\n\r\n'],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n'],
  ])('because of %s is refused', async (_, text) => {
    const client = speak(text)
    await waitFor(() => client.isClosed, 'the connection to end')
    expect(statusesOf(client)).toEqual([505])
    expect(node.ended()).toBe(0)
  })
})

describe('an unusual request', () => {
  it.each([
    ['chunks', 'Transfer-Encoding: chunked\r\n', `11\r\n${BODY}\r\n0\r\n\r\n`],
    ['chunks under another spelling', 'tRANSFER-eNCODING: CHUNKED\r\n', `11\r\n${BODY}\r\n0\r\n\r\n`],
    [
      'many small chunks',
      'Transfer-Encoding: chunked\r\n',
      `${[...BODY].map((c) => `1\r\n${c}\r\n`).join('')}0\r\n\r\n`,
    ],
    ['headers of 3 KB', `X-A: ${'x'.repeat(3_000)}\r\nContent-Length: 17\r\n`, BODY],
  ])('is served: %s', async (_, headers, body) => {
    expect(await answered(speak(paid(headers, body)))).toEqual([200])
    expect(node.inner.charged).toBe(5)
    await node.quiet()
  })

  it('is the same one byte at a time, from its second line on', async () => {
    const client = new RawClient(node.port)
    client.socket.setNoDelay(true)
    const [line = '', ...rest] = paid('Content-Length: 17\r\n').split('\r\n')
    // uWebSockets.js answers 505 to a first line that comes in parts.
    client.write(`${line}\r\n`)
    for (const byte of Buffer.from(rest.join('\r\n'))) {
      await new Promise((resolve) => setImmediate(resolve))
      client.write(Uint8Array.of(byte))
    }
    expect(await answered(client)).toEqual([200])
    expect(node.inner.charged).toBe(5)
  })

  it('whose headers come in parts and pass 4 KiB is refused', async () => {
    const client = speak(`GET /healthz HTTP/1.1\r\nHost: a\r\nX-A: ${'x'.repeat(3_000)}`)
    await new Promise((resolve) => client.socket.once('connect', resolve))
    for (let i = 0; i < 4 && !client.isClosed; i++) {
      client.write('x'.repeat(1_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    await waitFor(() => client.isClosed, 'the connection to end')
    expect(statusesOf(client).filter((status) => status !== 431)).toEqual([])
    expect(node.ended()).toBe(0)
  })

  it('may follow another before that has its answer, if that is given at once', async () => {
    expect(await answered(speak(GET.repeat(5)), 5)).toEqual([200, 200, 200, 200, 200])
  })

  it('that follows one whose answer takes time ends the connection, and leaves nothing behind', async () => {
    const client = speak(paid('Content-Length: 17\r\n') + GET)
    await waitFor(() => client.isClosed, 'the connection to end')
    await node.quiet()
    expect((await node.inner.ledger.verify()).ok).toBe(true)
  })
})

describe('what a client writes into a header', () => {
  it('never starts a header of the answer', async () => {
    const evil = '%0d%0aSet-Cookie:%20a=b'
    for (const target of [`/audio/x${evil}.mp3?expires=1${evil}&signature=a`, `/api/v1/usage${evil}`, `/${evil}`]) {
      const client = new RawClient(node.port)
      client.request(
        'GET',
        target,
        `Authorization: Bearer ${node.inner.voiceKey}`,
        'Origin: https://a',
        'X-Request-Id: mine',
      )
      await answered(client)
      expect(client.text).not.toMatch(/^set-cookie/im)
      expect(client.text).not.toMatch(/x-request-id: mine/i)
    }
  })
})
