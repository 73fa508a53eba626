import { describe, expect, it } from 'vitest'
import { bodyText } from '../../src/client/body-text.ts'
import { EventStreamParser, type ServerSentEvent } from '../../src/client/event-stream.ts'
import { streamed } from './scripted-service.ts'

const STREAM = [
  '\uFEFF: keep-alive\n\n',
  'event: start\ndata: {"sample_rate":24000}\n\n',
  'event: audio\r\nid: 1\r\ndata: {"audio":"AAAA"}\r\n\r\n',
  'event: audio\rid: 2\rdata: first ünï\rdata:second 語\r\r',
  'retry: 5\ndata\n\n',
  'event: nothing\n\n',
  ': a comment\ndata:  two spaces\n\n',
  'data: never ended',
].join('')
const EVENTS: ServerSentEvent[] = [
  { event: 'start', id: '', data: '{"sample_rate":24000}' },
  { event: 'audio', id: '1', data: '{"audio":"AAAA"}' },
  { event: 'audio', id: '2', data: 'first ünï\nsecond 語' },
  { event: 'message', id: '2', data: '' },
  { event: 'message', id: '2', data: ' two spaces' },
]

async function eventsOf(pieces: readonly Uint8Array[]): Promise<ServerSentEvent[]> {
  const parser = new EventStreamParser()
  const events: ServerSentEvent[] = []
  for await (const text of bodyText(streamed(pieces), new AbortController().signal)) events.push(...parser.push(text))
  return events
}

describe('an event stream', () => {
  const bytes = new TextEncoder().encode(STREAM)

  it('is read as the standard says: comments, every line ending, several data lines, no event without data', async () => {
    expect(await eventsOf([bytes])).toEqual(EVENTS)
  })

  it('is read alike wherever it is cut in two', async () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await eventsOf([bytes.slice(0, cut), bytes.slice(cut)])).toEqual(EVENTS)
    }
  })

  it('is read alike byte by byte', async () => {
    expect(await eventsOf(Array.from(bytes, (byte) => Uint8Array.of(byte)))).toEqual(EVENTS)
  })
})
