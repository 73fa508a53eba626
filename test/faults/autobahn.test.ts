import { expect, it } from 'vitest'
import type { SocketRoute } from '../../src/api/exchange.ts'
import { SOCKET_MESSAGE_BYTES_MAX, STT_FRAME_BYTES_MAX, UNLIMITED } from '../../src/limits.ts'
import { RawClient, socket, startEdge } from '../http/edge.ts'
import { waitFor } from '../wait-for.ts'
import { startWholeNode, type WholeNode } from '../whole-node.ts'
import { fuzz, type Happening, type Report } from './autobahn.ts'
import { everyEndpoint, streamToken } from './every-endpoint.ts'
import { CLOSE, serverFrames } from './websocket-frames.ts'

/** The front end with a socket that sends back what it gets: this is what the cases are made for. */
async function startEcho(messageBytesMax: number): Promise<string> {
  const echo: SocketRoute = {
    ...socket('/echo', (session) => session.onMessage((message) => session.send(message))),
    messageBytesMax,
  }
  const { port } = await startEdge({ sockets: [echo] })
  return `ws://127.0.0.1:${port}/echo`
}

/** Verdicts on the echo that are as good as OK, and why. */
const OTHER_VERDICTS: readonly (readonly [cases: RegExp, verdicts: readonly string[]])[] = [
  // An echo is not sent any more when its message came in one packet with the fault after it.
  [/^[34]\.|^5\.15$/, ['OK', 'NON-STRICT']],
  // UTF-8 is checked when the message is whole, not as it comes.
  [/^6\.4\./, ['OK', 'NON-STRICT']],
  // RFC 6455 does not say what has to happen. They must end, and not by Autobahn's patience.
  [/^7\.1\.6$|^7\.13\./, ['INFORMATIONAL']],
]

it('an echo is right in all cases but those of size', async () => {
  const url = await startEcho(SOCKET_MESSAGE_BYTES_MAX)
  const reports = (await fuzz([{ agent: 'echo', url }], { cases: ['*'], without: ['9.*', '12.*', '13.*'] })).get('echo')
  const wrong = reports?.filter(({ id, behavior, behaviorClose, failedByMe }) => {
    const verdicts = OTHER_VERDICTS.find(([cases]) => cases.test(id))?.[1] ?? ['OK']
    return failedByMe || !verdicts.includes(behavior) || !['OK', 'INFORMATIONAL'].includes(behaviorClose)
  })
  expect(wrong?.map(verdict)).toEqual([])
  expect(reports).toHaveLength(247)
})

// 9.7 and 9.8 measure speed, and fragments of 64 and 256 bytes cost the fuzzer seconds.
const LONG = ['9.3.1', '9.3.2', '9.4.1', '9.4.2', '9.7.*', '9.8.*']

it.each([
  ['speaks', SOCKET_MESSAGE_BYTES_MAX],
  ['listens', STT_FRAME_BYTES_MAX],
])('9: a socket that %s takes messages up to %i bytes, in any pieces, and none that is longer', async (_, bytesMax) => {
  const url = await startEcho(bytesMax)
  const reports = (await fuzz([{ agent: 'echo', url }], { cases: ['9.*'], without: LONG })).get('echo')
  expect(reports).toHaveLength(38)
  const outcomes = reports?.map((report) => `${report.id}: ${outcomeOfSize(report)}`)
  expect(outcomes).toEqual(reports?.map(({ id }) => `${id}: ${expectedOfSize(messageBytes(id), bytesMax)}`))
})

function outcomeOfSize(report: Report): string {
  const { behavior, behaviorClose, remoteCloseCode, closedByMe, failedByMe } = report
  if (behavior === 'OK' && behaviorClose === 'OK') return 'echoed'
  if (closedByMe || failedByMe) return verdict(report)
  return remoteCloseCode === null ? 'cut' : `closed with ${remoteCloseCode}`
}

/** What is more than twice the limit is not read to its end. */
function expectedOfSize(bytes: number, bytesMax: number): string {
  if (bytes <= bytesMax) return 'echoed'
  return bytes <= 2 * bytesMax ? 'closed with 1009' : 'cut'
}

/** Length of the message of a case 9.x.y. */
function messageBytes(id: string): number {
  const [, group = 0, member = 0] = id.split('.').map(Number)
  const kibibytes = group <= 2 ? [64, 256, 1_024, 4_096, 8_192, 16_384][member - 1] : group <= 4 ? 4_096 : 1_024
  return (kibibytes ?? Number.NaN) * 1_024
}

it('12 and 13: compression is never agreed to, whatever is offered', async () => {
  const url = await startEcho(SOCKET_MESSAGE_BYTES_MAX)
  const reports = (await fuzz([{ agent: 'echo', url }], { cases: ['12.1.1', '13.*.1'] })).get('echo')
  expect(new Set(reports?.map(({ id }) => id.replace(/\.\d+$/, '')))).toEqual(
    new Set(['12.1', '13.1', '13.2', '13.3', '13.4', '13.5', '13.6', '13.7']),
  )
  for (const report of reports ?? []) {
    expect(report).toMatchObject({ behavior: 'UNIMPLEMENTED', behaviorClose: 'OK' })
    expect(report.httpResponse).not.toMatch(/sec-websocket-extensions/i)
  }
})

const SPEAK = '{"type":"start","text":"Hello."}'
const LISTEN = '{"type":"start","mode":"auto","language":"en","sample_rate":16000,"format":"pcm_s16le"}'

it('the sockets that speak and listen end as the protocol wants it, and keep nothing', async () => {
  const node = await startWholeNode()
  const { inner, port } = node
  await inner.ledger.setAccount(inner.accountId, { ttsQuota: UNLIMITED, sttQuota: UNLIMITED })
  // Not a frame of speech, so that a socket speaks until its client ends it.
  inner.synthesizer.script = { pace: 'by_hand' }
  const tokens = () => Promise.all(Array.from({ length: 300 }, () => streamToken(inner)))
  const tts = `ws://127.0.0.1:${port}/ws/tts/stream?token={token}`
  const stt = `ws://127.0.0.1:${port}/api/public/v1/stt/ws?token=${inner.sttKey}`
  const servers = [
    { agent: 'tts', url: tts, tokens: await tokens() },
    { agent: 'speaking', url: tts, tokens: await tokens(), first: SPEAK, answers: true },
    { agent: 'stt', url: stt },
    { agent: 'listening', url: stt, first: LISTEN },
  ]
  const reports = await fuzz(servers, {
    cases: ['*'],
    // Sizes have a test above, and of the cases that wait for seconds one of each kind is enough.
    without: ['5.20', '6.4.2', '6.4.3', '6.4.4', '7.1.6', '9.*', '12.*', '13.*'],
    // To one who listens, bytes are audio.
    skipped: { listening: ['1.2.*'] },
  })
  for (const [agent, ran] of reports) {
    expect([agent, ran.filter((report) => !endedRightly(report)).map(verdict)]).toEqual([agent, []])
  }
  expect([...reports].map(([agent, { length }]) => [agent, length])).toEqual([
    ['listening', 234],
    ['speaking', 242],
    ['stt', 242],
    ['tts', 242],
  ])
  await node.quiet()
  // All that was to begin has begun and ended, and no fault is among what is told of it.
  expect(linesOf(node)).toEqual({ socket: 4 * 242, 'speech ended': 242, 'listening ended': 242 })
  expect([inner.synthesizer.made, inner.recognizer.segments, inner.heard]).toEqual([0, [], 0])
  await expectService(node)
})

/**
 * A case that wants its message echoed has it refused, or is cut at its fault if that is seen first. Any other case ends as Autobahn
 * wants it to. Pings are answered in all of them.
 */
function endedRightly(report: Report): boolean {
  const { received, expected, expectedClose, failedByMe, behaviorClose, remoteCloseCode } = report
  const events = received.filter(isMessage).map(eventType)
  const others = JSON.stringify(received.filter((happening) => !isMessage(happening)))
  const isExpected = (happenings: readonly Happening[]) =>
    JSON.stringify(happenings.filter((happening) => !isMessage(happening))) === others
  if (failedByMe || !Object.values(expected).some(isExpected)) return false
  const wantsEcho = Object.values(expected).some((happenings) => happenings.some(isMessage))
  if (wantsEcho && events.length > 0) return events.join() === 'error' && remoteCloseCode === 4400
  if (wantsEcho && expectedClose.closedByMe) return false
  return events.length === 0 && ['OK', 'INFORMATIONAL'].includes(behaviorClose)
}

function isMessage([kind]: Happening): boolean {
  return kind === 'message'
}

/** Of an event whose text may lack its end. */
function eventType([, text, isBinary]: Happening): string {
  return isBinary ? 'bytes' : (/^\{"type":"(\w+)"/.exec(text)?.[1] ?? text)
}

function verdict({ id, behavior, behaviorClose, remoteCloseCode, received }: Report): string {
  return `${id}: ${behavior}, ${behaviorClose}, code ${remoteCloseCode}, received ${JSON.stringify(received)}`
}

/** Lines of the log, by what they say. */
function linesOf({ inner }: WholeNode): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { message } of inner.logLines as { message: string }[]) counts[message] = (counts[message] ?? 0) + 1
  return counts
}

/** Both sockets do their work. */
async function expectService(node: WholeNode): Promise<void> {
  node.inner.synthesizer.script = {}
  for (const path of ['/ws/tts/stream', '/api/public/v1/stt/ws']) {
    const call = everyEndpoint(node).find(({ name }) => name === path)
    const client = new RawClient(node.port)
    client.write((await call?.bytes()) ?? '')
    await client.until(/^HTTP\/1.1 101 [\s\S]*\r\n\r\n/)
    client.write(call?.more ?? '')
    await waitFor(() => client.isClosed, 'the socket to close')
    const close = serverFrames(client.received).find(({ opcode }) => opcode === CLOSE)
    expect([path, close?.payload.readUInt16BE(0)]).toEqual([path, 1000])
  }
  await node.quiet()
}
