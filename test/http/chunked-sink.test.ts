import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { FrameSink } from '../../src/api/exchange.ts'
import { ChunkedSink } from '../../src/http/chunked-sink.ts'
import { SlowReader } from '../../src/http/slow-reader.ts'
import { STREAM_BUFFER_BYTES_MAX } from '../../src/limits.ts'
import { FakeClock } from '../fake-clock.ts'
import { waitFor } from '../wait-for.ts'
import { dechunked, get, patterned, RawClient, send, startEdge } from './edge.ts'
import { ScriptedResponse } from './scripted-response.ts'

const FRAME_BYTES = 12_800

/** Writes frames of `source` while the sink has room, as the endpoints do. */
function produce(sink: FrameSink, source: Buffer, progress = { writtenBytes: 0, bufferedBytesMax: 0 }) {
  const pump = () => {
    while (sink.bufferedBytes < STREAM_BUFFER_BYTES_MAX && progress.writtenBytes < source.length) {
      sink.write(source.subarray(progress.writtenBytes, progress.writtenBytes + FRAME_BYTES))
      progress.writtenBytes = Math.min(source.length, progress.writtenBytes + FRAME_BYTES)
      progress.bufferedBytesMax = Math.max(progress.bufferedBytesMax, sink.bufferedBytes)
    }
    if (progress.writtenBytes === source.length) sink.end()
  }
  sink.onDrain(pump)
  pump()
  return progress
}

describe('a response of unknown length', () => {
  it('arrives in the order it was written, text as UTF-8', async () => {
    const { port } = await startEdge({
      routes: [
        get('/stream', async (exchange) => {
          const sink = exchange.open(200, { 'Content-Type': 'text/event-stream' })
          for (const piece of ['héllo ', '', new Uint8Array([119, 111]), 'r', 'ld']) {
            sink.write(piece)
            await new Promise((resolve) => setImmediate(resolve))
          }
          sink.end()
          sink.write('after the end')
        }),
      ],
    })
    const answer = await send(port, 'GET', '/stream')
    expect(answer.text).toBe('héllo world')
    expect(answer.headers).toMatchObject({ 'content-type': 'text/event-stream', 'transfer-encoding': 'chunked' })
    expect(answer.headers['x-request-id']).toMatch(/^req_/)
  })

  it('waits for a slow reader in bounded memory, delays nobody else, and loses nothing', async () => {
    const source = patterned(30_000_000)
    let sink: FrameSink | undefined
    let progress: ReturnType<typeof produce> | undefined
    const { port, server } = await startEdge({
      routes: [
        get('/stream', (exchange) => {
          sink = exchange.open(200, {})
          progress = produce(sink, source)
        }),
        get('/ping', (exchange) => exchange.reply(200, {}, 'pong')),
      ],
    })
    const reader = new RawClient(port)
    reader.pause()
    reader.request('GET', '/stream')
    await waitFor(() => (sink?.bufferedBytes ?? 0) >= STREAM_BUFFER_BYTES_MAX, 'the stream to be held up')
    const held = progress?.writtenBytes ?? 0
    expect(held).toBeLessThan(source.length)
    for (let i = 0; i < 20; i++) expect((await send(port, 'GET', '/ping')).text).toBe('pong')
    expect(progress?.writtenBytes).toBe(held)
    reader.resume()
    await waitFor(() => server.openCount === 0 && reader.endsWith('\r\n0\r\n\r\n'), 'the end of the stream')
    expect(progress?.bufferedBytesMax).toBeLessThan(STREAM_BUFFER_BYTES_MAX + FRAME_BYTES + 64)
    expect(dechunked(reader.received).equals(source)).toBe(true)
  })

  it('that is ended while the reader lags behind still arrives whole', async () => {
    const source = patterned(12_000_000)
    const { port, server } = await startEdge({
      routes: [
        get('/stream', (exchange) => {
          const sink = exchange.open(200, {})
          sink.write(source)
          sink.end()
        }),
      ],
    })
    const reader = new RawClient(port)
    reader.pause()
    reader.request('GET', '/stream')
    await waitFor(() => server.openCount === 1, 'the stream to be held up')
    reader.resume()
    await waitFor(() => server.openCount === 0 && reader.endsWith('\r\n0\r\n\r\n'), 'the end of the stream')
    expect(dechunked(reader.received).equals(source)).toBe(true)
  })

  it('whose reader leaves aborts `closed`, and writing does nothing', async () => {
    let sink: FrameSink | undefined
    const { port, server } = await startEdge({
      routes: [
        get('/stream', (exchange) => {
          sink = exchange.open(200, {})
          produce(sink, patterned(30_000_000))
        }),
      ],
    })
    const reader = new RawClient(port)
    reader.pause()
    reader.request('GET', '/stream')
    await waitFor(() => (sink?.bufferedBytes ?? 0) > 0, 'the stream to be held up')
    expect(sink?.closed.aborted).toBe(false)
    reader.reset()
    await waitFor(() => sink?.closed.aborted === true, '`closed` to abort')
    sink?.write('late')
    sink?.end()
    expect([sink?.bufferedBytes, server.openCount]).toEqual([0, 0])
  })
})

describe('bufferedBytes', () => {
  /**
   * Sizes of writes (positive) and of what the reader takes between them (negative). The kernel announces room when a
   * third of its buffer is free, so never for less than a kilobyte.
   */
  const steps = fc.array(fc.oneof(fc.integer({ min: 1, max: 40_000 }), fc.integer({ min: -60_000, max: -1_000 })), {
    maxLength: 40,
  })

  it('never hides more than a tail, however the kernel takes the bytes, and all of them arrive in order', () => {
    fc.assert(
      fc.property(steps, fc.integer({ min: 1_000, max: 50_000 }), (sizes, stride) => {
        const response = new ScriptedResponse()
        const slowReader = new SlowReader(new FakeClock(), response.asResponse(), 120_000)
        let finished = 0
        const sink = new ChunkedSink(response.asResponse(), new AbortController().signal, slowReader, () => finished++)
        const written: Buffer[] = []
        const actual = () => written.reduce((sum, bytes) => sum + bytes.length, 0) - totalBytes(response.taken)
        for (const size of sizes) {
          if (size > 0) {
            const bytes = patterned(size, written.length)
            written.push(bytes)
            sink.write(bytes)
          } else response.drain(-size)
          expect(sink.bufferedBytes).toBeGreaterThanOrEqual(actual() - 64)
          expect(response.keptBytes).toBeLessThanOrEqual(16 * 1024)
        }
        sink.end()
        for (let turn = 0; !response.ended && turn < 10_000; turn++) response.drain(stride)
        expect(finished).toBe(1)
        response.drain(1_000_000)
        response.cork(() => {})
        expect(Buffer.concat(response.taken).equals(Buffer.concat(written))).toBe(true)
      }),
    )
  })
})

function totalBytes(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0)
}
