import { beforeEach, describe, expect, it } from 'vitest'
import { SOCKET_MESSAGE_BYTES_MAX } from '../../src/limits.ts'
import { RawClient } from '../http/edge.ts'
import { waitFor } from '../wait-for.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'
import { everyEndpoint } from './every-endpoint.ts'
import { BINARY, CLOSE, CONTINUATION, closeFrame, frame, PING, PONG, serverFrames, TEXT } from './websocket-frames.ts'

/*
 * The cases of Autobahn's fuzzing client, by its numbers, over a bare connection: on every machine, and on both sockets of a node.
 * `autobahn.test.ts` runs Autobahn itself where it is installed, which takes Python 2.
 */

let node: WholeNode
beforeEach(async () => {
  node = await startWholeNode()
})

const START = '{"type":"start","text":"Café, over a bad line."}'

/** An open socket that waits for its `start`. */
async function openSocket(path = '/ws/tts/stream'): Promise<RawClient> {
  const call = everyEndpoint(node).find(({ name }) => name === path)
  const client = new RawClient(node.port)
  client.write((await call?.bytes()) ?? '')
  await client.until(/^HTTP\/1.1 101 [\s\S]*\r\n\r\n/)
  return client
}

/** Events and the close code of a socket that has come to its end. */
async function endOf(client: RawClient): Promise<{ events: string[]; code: number | undefined }> {
  await waitFor(() => client.isClosed, 'the socket to close')
  const frames = serverFrames(client.received)
  const events = frames
    .filter(({ opcode }) => opcode === TEXT)
    .map(({ payload }) => JSON.parse(payload.toString()).type)
  const close = frames.find(({ opcode }) => opcode === CLOSE)
  return { events, code: close && close.payload.length >= 2 ? close.payload.readUInt16BE(0) : undefined }
}

const SPOKEN = { events: ['start', 'done'], code: 1000 }

describe('a socket', () => {
  it.each([
    ['whole', [frame(TEXT, START)]],
    ['5.3: in two fragments', [frame(TEXT, START.slice(0, 9), { fin: false }), frame(CONTINUATION, START.slice(9))]],
    [
      '5.5: a byte a fragment',
      [...Buffer.from(START)].map((byte, i, all) =>
        frame(i === 0 ? TEXT : CONTINUATION, Uint8Array.of(byte), { fin: i === all.length - 1 }),
      ),
    ],
    [
      '5.6: with a ping between fragments',
      [frame(TEXT, START.slice(0, 9), { fin: false }), frame(PING, 'between'), frame(CONTINUATION, START.slice(9))],
    ],
    [
      '6.2: with a character cut in two',
      [
        frame(TEXT, Buffer.from(START).subarray(0, Buffer.from(START).indexOf(0xa9)), { fin: false }),
        frame(CONTINUATION, Buffer.from(START).subarray(Buffer.from(START).indexOf(0xa9))),
      ],
    ],
    [
      '5.1: after empty fragments',
      [frame(TEXT, '', { fin: false }), frame(CONTINUATION, '', { fin: false }), frame(CONTINUATION, START)],
    ],
    ['2.7: after a pong that nobody asked for', [frame(PONG, 'unasked'), frame(TEXT, START)]],
    ['with a length in 64 bits', [frame(TEXT, START, { lengthIn: 64 })]],
  ])('takes its start %s', async (_, frames) => {
    const client = await openSocket()
    client.write(Buffer.concat(frames))
    expect(await endOf(client)).toEqual(SPOKEN)
    await node.quiet()
  })

  it('takes its start from packets of one byte', async () => {
    const client = await openSocket()
    client.socket.setNoDelay(true)
    for (const byte of frame(TEXT, START)) {
      client.write(Uint8Array.of(byte))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await endOf(client)).toEqual(SPOKEN)
  })

  it.each([0, 1, 125])('2.1: answers a ping of %i bytes with the same bytes', async (length) => {
    const client = await openSocket()
    const payload = Buffer.alloc(length, 0xfe)
    client.write(frame(PING, payload))
    const pong = () => serverFrames(client.received).find(({ opcode }) => opcode === PONG)
    await waitFor(() => pong() !== undefined, 'the pong')
    expect(pong()?.payload).toEqual(payload)
    client.write(frame(TEXT, START))
    expect(await endOf(client)).toEqual(SPOKEN)
  })

  it.each([
    ['2.5: a ping of 126 bytes', frame(PING, Buffer.alloc(126))],
    ['3.1: the first reserved bit', frame(TEXT, START, { reserved: 4 })],
    ['3.2: the second reserved bit', frame(TEXT, START, { reserved: 2 })],
    ['3.3: the third reserved bit', frame(TEXT, START, { reserved: 1 })],
    ['3.5: all reserved bits of a ping', frame(PING, '', { reserved: 7 })],
    ...[3, 4, 5, 6, 7, 0xb, 0xc, 0xd, 0xe, 0xf].map((code): [string, Buffer] => [
      `4: operation ${code}`,
      frame(code, 'x'),
    ]),
    ['5.1: a ping in fragments', Buffer.concat([frame(PING, 'a', { fin: false }), frame(CONTINUATION, 'b')])],
    ['5.9: a continuation of nothing', frame(CONTINUATION, START)],
    ['5.12: a continuation of nothing, to be continued', frame(CONTINUATION, START, { fin: false })],
    ['5.18: a message inside another', Buffer.concat([frame(TEXT, 'a', { fin: false }), frame(TEXT, START)])],
    ['6.3: no UTF-8', frame(TEXT, Buffer.from('cebae1bdb9cf83cebcceb5eda080656469746564', 'hex'))],
    [
      '6.4: no UTF-8, in the second fragment',
      Buffer.concat([
        frame(TEXT, '{"type":', { fin: false }),
        frame(CONTINUATION, Uint8Array.of(0xf4, 0x90, 0x80, 0x80)),
      ]),
    ],
    ['6.6: half a character', frame(TEXT, Uint8Array.of(0xce))],
    ['6.21: a surrogate', frame(TEXT, Uint8Array.of(0xed, 0xa0, 0x80))],
    [
      'no mask, which is then taken from what follows',
      Buffer.concat([frame(TEXT, START, { masked: false }), frame(PONG)]),
    ],
    ['a length with its highest bit', frame(BINARY, '', { claimedBytes: 2 ** 53, lengthIn: 64 })],
    ['a message of 4 GiB', frame(BINARY, 'x', { claimedBytes: 2 ** 32 })],
    ['7.1: a start after its close', Buffer.concat([closeFrame(1000), frame(TEXT, START)])],
    ['7.3: a close of one byte', frame(CLOSE, 'x')],
    ['7.3: a close of 126 bytes', closeFrame(1000, 'x'.repeat(124))],
    ['7.5: a reason that is no UTF-8', closeFrame(1000, Uint8Array.of(0xce, 0xba, 0xe1, 0xbd, 0xb9, 0xcf, 0xed, 0xa0))],
    ...[0, 999, 1004, 1005, 1006, 1016, 1100, 2000, 2999, 5000, 65_535].map((code): [string, Buffer] => [
      `7.9: the close code ${code}`,
      closeFrame(code),
    ]),
    ['not a frame', Buffer.from(`GET / HTTP/1.1\r\nHost: a\r\n\r\n`)],
  ])('ends at once, without a word spoken, after %s', async (_, bytes) => {
    for (const path of ['/ws/tts/stream', '/api/public/v1/stt/ws']) {
      const client = await openSocket(path)
      client.write(bytes)
      const { events, code } = await endOf(client)
      expect(events.filter((type) => type !== 'error')).toEqual([])
      // Whatever code it says is one that a server may say.
      expect([undefined, 1000, 1002, 1007, 1009, 4400]).toContain(code)
    }
    expect([node.inner.synthesizer.requests, node.inner.recognizer.segments]).toEqual([[], []])
    await node.quiet()
  })

  it.each([1000, 1001, 1002, 1003, 1007, 1008, 1009, 1010, 1011, 4000, 4999])(
    '7.7: answers the close code %i with the same',
    async (code) => {
      const client = await openSocket()
      client.write(closeFrame(code, 'bye'))
      expect((await endOf(client)).code).toBe(code)
    },
  )

  // So uWebSockets.js does with 3000 to 3999.
  it.each([3000, 3999])('7.7: answers the close code %i with none', async (code) => {
    const client = await openSocket()
    client.write(closeFrame(code, 'bye'))
    await waitFor(() => client.isClosed, 'the socket to close')
    expect(serverFrames(client.received)).toEqual([{ opcode: CLOSE, payload: Buffer.alloc(0) }])
  })

  it('9: takes a message as long as its limit, in any pieces, and none that is longer', async () => {
    const padded = (bytes: number) => START + ' '.repeat(bytes - Buffer.byteLength(START))
    const pieces = (text: string) => {
      const all = Buffer.from(text)
      const parts = Array.from({ length: Math.ceil(all.length / 4_096) }, (_, i) =>
        all.subarray(4_096 * i, 4_096 * (i + 1)),
      )
      return Buffer.concat(
        parts.map((part, i) => frame(i === 0 ? TEXT : CONTINUATION, part, { fin: i === parts.length - 1 })),
      )
    }
    for (const framed of [(text: string) => frame(TEXT, text), pieces]) {
      const fits = await openSocket()
      fits.write(framed(padded(SOCKET_MESSAGE_BYTES_MAX)))
      expect(await endOf(fits)).toEqual(SPOKEN)
      const over = await openSocket()
      over.write(framed(padded(SOCKET_MESSAGE_BYTES_MAX + 1)))
      expect(await endOf(over)).toEqual({ events: [], code: 1009 })
      const far = await openSocket()
      far.write(framed(padded(4 * SOCKET_MESSAGE_BYTES_MAX)))
      expect((await endOf(far)).events).toEqual([])
    }
    await node.quiet()
  })

  it('that ends in the middle of a frame leaves nothing behind', async () => {
    const whole = frame(TEXT, START)
    for (let length = 0; length < whole.length; length += 5) {
      const client = await openSocket()
      client.write(whole.subarray(0, length))
      client.socket.end()
      await waitFor(() => client.isClosed, 'the socket to close')
    }
    await node.quiet()
  })

  it('keeps nobody else from speaking, whatever was done to others', async () => {
    const broken = await Promise.all(Array.from({ length: 10 }, () => openSocket()))
    for (const client of broken) client.write(frame(TEXT, START, { reserved: 7 }))
    const client = await openSocket()
    client.write(frame(TEXT, START))
    expect(await endOf(client)).toEqual(SPOKEN)
    await node.quiet()
  })
})
