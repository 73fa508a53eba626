import { readdir } from 'node:fs/promises'
import { beforeEach, describe, expect, it } from 'vitest'
import { UNLIMITED } from '../../src/limits.ts'
import { OWN_VOICE } from '../api/test-node.ts'
import { RawClient, send } from '../http/edge.ts'
import { waitFor } from '../wait-for.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'
import { type Call, everyEndpoint } from './every-endpoint.ts'
import { type Faults, TcpProxy } from './tcp-proxy.ts'

let node: WholeNode
let proxy: TcpProxy

async function start(limits = {}): Promise<void> {
  node = await startWholeNode(limits, { openAi: { speechModel: 'scripted' } })
  await node.inner.ledger.setAccount(node.inner.accountId, { ttsQuota: UNLIMITED, sttQuota: UNLIMITED })
  proxy = await TcpProxy.start(node.port)
}

/** Makes one call through the proxy with these faults. */
async function callThrough(call: Call, faults: Faults): Promise<RawClient> {
  const bytes = await call.bytes()
  const { connections } = proxy
  proxy.faults = faults
  const client = new RawClient(proxy.port)
  client.write(bytes)
  // The faults are those at the moment of its acceptance.
  await waitFor(() => proxy.connections > connections, 'the proxy to accept')
  if (call.more !== undefined) {
    await waitFor(() => client.isClosed || client.text.includes('\r\n\r\n') || isCut(faults, bytes), 'the socket')
    client.write(call.more)
  }
  return client
}

/** Whether the beginning of a call never arrives whole, or its answer. */
function isCut(faults: Faults, { length }: Buffer): boolean {
  const { resetAfterRequestBytes = length, silentAfterRequestBytes = length } = faults
  return Math.min(resetAfterRequestBytes, silentAfterRequestBytes) < length
}

/** Every voice is whole or gone. */
async function voicesAreWhole(): Promise<boolean> {
  const { inner } = node
  const enrolled = inner.ledger.voicesOf(inner.accountId).map(({ id }) => id)
  const folders = await readdir(inner.voiceFolder)
  return [OWN_VOICE, ...enrolled].sort().join() === folders.sort().join()
}

/** Everything that was begun is over, nothing of it is left, and the books balance. */
async function expectNothingLeft(): Promise<void> {
  await node.quiet()
  // What a gone client began is cleared away after it.
  await waitFor(voicesAreWhole, 'voices to be whole or gone')
  expect(await node.inner.ledger.verify()).toMatchObject({ ok: true, differences: [] })
  const answer = await send(node.port, 'GET', '/api/v1/usage', {
    headers: { Authorization: `Bearer ${node.inner.voiceKey}` },
  })
  expect(answer.status).toBe(200)
}

/** Places in `bytes` bytes: all of the first few, then ever fewer. */
function placesIn(bytes: number, count: number): number[] {
  const places = Array.from({ length: count }, (_, i) => Math.floor((bytes * i * i) / (count * count)))
  return [...new Set([0, 1, 2, 3, ...places])].filter((place) => place < bytes)
}

describe('a connection that is reset', () => {
  beforeEach(() => start())

  it('in the request, at any byte, leaves nothing behind', async () => {
    for (const call of everyEndpoint(node)) {
      const length = (await call.bytes()).length + (call.more?.length ?? 0)
      const clients: RawClient[] = []
      for (const place of placesIn(length, 24)) {
        clients.push(await callThrough(call, { resetAfterRequestBytes: place }))
      }
      await waitFor(() => clients.every(({ isClosed }) => isClosed), `all connections of ${call.name} to end`)
      await node.quiet()
    }
    await expectNothingLeft()
  })

  it('in the answer, at any byte, leaves nothing behind', async () => {
    for (const call of everyEndpoint(node)) {
      const clients: RawClient[] = []
      // Three frames of speech are about 39 KB as events.
      for (const place of placesIn(40_000, 24)) {
        clients.push(await callThrough(call, { resetAfterAnswerBytes: place }))
      }
      await node.quiet()
      for (const client of clients) client.reset()
      await waitFor(() => clients.every(({ isClosed }) => isClosed), `all connections of ${call.name} to end`)
    }
    await expectNothingLeft()
  })
})

const STATUSES: Readonly<Record<string, number>> = {
  '/api/public/v1/stt/ws': 101,
  '/ws/tts/stream': 101,
  '/api/v1/voices': 201,
}

describe('a connection that carries a few bytes at a time', () => {
  it('gets the same answer from every endpoint', async () => {
    await start()
    for (const call of everyEndpoint(node)) {
      const client = await callThrough(call, { pieceBytes: 7 })
      await waitFor(() => client.text.includes('\r\n\r\n'), `an answer from ${call.name}`)
      expect([call.name, client.text.slice(0, 12)]).toEqual([call.name, `HTTP/1.1 ${STATUSES[call.name] ?? 200}`])
      await node.quiet()
      client.reset()
    }
    await expectNothingLeft()
  })
})

describe('a connection that falls silent', () => {
  // uWebSockets.js gives a request 10 s to go on; the file takes that long, and no more, because all wait at once.
  it('in the request is ended by the node, wherever that was, and others are served meanwhile', async () => {
    await start({ socketIdleSecondsMax: 8 })
    const clients: RawClient[] = []
    for (const call of everyEndpoint(node)) {
      const length = (await call.bytes()).length + (call.more?.length ?? 0)
      for (const place of placesIn(length, 6)) {
        clients.push(await callThrough(call, { silentAfterRequestBytes: place }))
      }
    }
    // Sends no byte at all, or headers for ever.
    clients.push(new RawClient(node.port))
    const endless = new RawClient(node.port)
    endless.write('GET /healthz HTTP/1.1\r\n')
    clients.push(endless)
    // uWebSockets.js waits for the rest of a header's name that holds anything but letters, digits and hyphens.
    const underscored = new RawClient(node.port)
    underscored.write('GET /healthz HTTP/1.1\r\nHost: test\r\nX_Key: 1\r\n\r\n')
    clients.push(underscored)
    expect((await send(node.port, 'GET', '/healthz')).status).toBe(200)
    const open = () => clients.filter(({ isClosed }) => !isClosed).length
    await waitFor(() => open() === 0, 'the node to end all of them')
    await expectNothingLeft()
  })
})
