import { fileURLToPath } from 'node:url'
import { describe, expect, it, onTestFinished } from 'vitest'
import { DecoderBusy } from '../../src/audio/decoding.ts'
import { DecoderPool } from '../../src/inference/decoder-pool.ts'
import { DECODE_MS_MAX } from '../../src/limits.ts'
import { FakeClock } from '../fake-clock.ts'

const WORKER = fileURLToPath(new URL('../fixtures/decoder-worker.mjs', import.meta.url))
const never = new AbortController().signal

function open() {
  const clock = new FakeClock()
  const pool = new DecoderPool(WORKER, clock)
  onTestFinished(() => pool.close())
  const decode = (input: string, signal = never) => pool.decode(input, '', signal)
  return { clock, decode }
}

describe('the decoder threads', () => {
  it('decode', async () => {
    expect(await open().decode('file')).toEqual({ status: 'decoded', samples: 1 })
  })

  it('tell a decoder to stop when its client leaves', async () => {
    const { decode } = open()
    const client = new AbortController()
    const decoding = decode('slow', client.signal)
    client.abort()
    expect(await decoding).toEqual({ status: 'cancelled' })
  })

  it('leave out a file whose client left while it waited', async () => {
    const { decode } = open()
    const [first, second, third] = [new AbortController(), new AbortController(), new AbortController()]
    const running = [decode('slow', first.signal), decode('slow', second.signal)]
    const waiting = decode('stuck', third.signal)
    third.abort()
    first.abort()
    expect(await waiting).toEqual({ status: 'cancelled' })
    second.abort()
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual(['cancelled', 'cancelled'])
  })

  it('end one that is stuck, and go on with the next file', async () => {
    const { clock, decode } = open()
    const decoding = decode('stuck')
    await expect.poll(() => clock.timers).toBe(1)
    clock.advance(DECODE_MS_MAX + 60_000)
    expect(await decoding).toEqual({ status: 'undecodable', message: 'the audio takes too long to decode' })
    expect((await decode('file')).status).toBe('decoded')
    expect(clock.timers).toBe(0)
  })

  it('count the time of a file from its start, not from when it began to wait', async () => {
    const { clock, decode } = open()
    const client = new AbortController()
    const running = [decode('slow', client.signal), decode('slow', client.signal)]
    const waiting = decode('file')
    expect(clock.timers).toBe(2)
    client.abort()
    await Promise.all(running)
    expect((await waiting).status).toBe('decoded')
  })

  it('have at most 64 files waiting', async () => {
    const { decode } = open()
    const client = new AbortController()
    const taken = Array.from({ length: 2 + 64 }, () => decode('slow', client.signal))
    await expect(decode('file')).rejects.toThrow(DecoderBusy)
    client.abort()
    expect(new Set((await Promise.all(taken)).map(({ status }) => status))).toEqual(new Set(['cancelled']))
    expect((await decode('file')).status).toBe('decoded')
  })
})
