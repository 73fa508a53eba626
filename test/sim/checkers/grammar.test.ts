import { describe, expect, it } from 'vitest'
import { encodeEvent, KEEP_ALIVE_COMMENT } from '../../../src/api/server-sent-events.ts'
import { faultOf } from './fault-of.ts'
import { EventStream, ListeningSocket, SpeakingSocket, TranscriptLines } from './grammar.ts'

describe('the grammar of events', () => {
  const start = encodeEvent({ event: 'start', data: {} })
  const audio = (sequence: number, bytes: number) => {
    const data = { sequence, audio: Buffer.alloc(bytes).toString('base64') }
    return encodeEvent({ event: 'audio', id: sequence, data })
  }
  const done = (chunks: number, ms: number) => encodeEvent({ event: 'done', data: { chunks, duration_ms: ms } })
  const fault = (...messages: string[]) => faultOf(new EventStream(), messages)

  it('takes frames in turn, comments anywhere and one done', () => {
    expect(fault(start, KEEP_ALIVE_COMMENT, audio(1, 9_600), audio(2, 4_800), done(2, 300))).toBeUndefined()
  })

  it('misses what is missing', () => {
    expect(fault(audio(1, 9_600))).toContain('out of place')
    expect(fault(start, audio(2, 9_600))).toContain('out of turn')
    expect(fault(start, audio(1, 9_600))).toContain('without done')
    expect(fault(start, audio(1, 9_600), done(2, 200))).toContain('2 chunks')
  })

  it('misses nothing that is too much', () => {
    expect(fault(start, start)).toContain('out of place')
    const opening = Array.from({ length: 16 }, (_, index) => audio(1 + index, 9_600))
    expect(fault(start, ...opening, audio(17, 4_800), audio(18, 4_800))).toContain('short frame')
    expect(fault(start, done(0, 0), done(0, 0))).toContain('follows')
  })
})

describe('the grammar of a speaking socket', () => {
  const start = JSON.stringify({ type: 'start' })
  const frame = new Uint8Array(9_600)
  const done = JSON.stringify({ type: 'done', chunks: 1, duration_ms: 200 })
  const cancelled = JSON.stringify({ type: 'cancelled' })
  const error = JSON.stringify({ type: 'error' })
  const fault = (closeCode: number, ...messages: (string | Uint8Array)[]) =>
    faultOf(new SpeakingSocket(), messages, closeCode)

  it('takes an error alone, and one last word before the code that belongs to it', () => {
    expect(fault(4401, error)).toBeUndefined()
    expect(fault(1000, start, frame, done)).toBeUndefined()
    expect(fault(1000, start, cancelled)).toBeUndefined()
  })

  it('finds audio before start, a second last word, and the wrong code', () => {
    expect(fault(1000, frame)).toContain('before start')
    expect(fault(1000, start, cancelled, error)).toContain('follows cancelled')
    expect(fault(1011, start, frame, done)).toContain('closed 1011')
    expect(fault(1000, start)).toContain('closed 1000')
  })
})

describe('the grammar of transcript lines', () => {
  const line = (fields: object) => `${JSON.stringify(fields)}\n`
  const started = line({ type: 'started', chunks_total: 1 })
  const chunk = line({ type: 'chunk', index: 0, text: 'so', combined_text: 'so' })
  const final = line({ type: 'final', text: 'so' })
  const paid = () => undefined
  const fault = (...messages: string[]) => faultOf(new TranscriptLines(paid), messages)

  it('takes the chunks that were announced, and a final that says the same', () => {
    expect(fault(started, chunk, final)).toBeUndefined()
    expect(fault(started, final)).toContain('after 0 chunks of 1')
    expect(fault(started, chunk, line({ type: 'final', text: 'no' }))).toContain('something else')
    expect(fault(started, chunk, final, final)).toContain('follows final')
  })

  it('asks of each chunk whether it is paid for', () => {
    expect(faultOf(new TranscriptLines((index) => `chunk ${index} is not paid for`), [started, chunk])).toContain(
      'not paid',
    )
  })
})

describe('the grammar of a listening socket', () => {
  const message = (type: string, index: number, text: string, combined: string) =>
    JSON.stringify({ type, index, text, combined_text: combined })
  const segments = [
    message('partial', 0, 'a', 'a'),
    message('segment', 0, 'a b', 'a b'),
    message('segment', 1, 'c', 'a b c'),
  ]
  const fault = (isManual: boolean, closeCode: number, ...messages: string[]) =>
    faultOf(new ListeningSocket(isManual, () => undefined), messages, closeCode)

  it('takes segments that grow into what final says, or a final a turn', () => {
    expect(fault(false, 1000, ...segments, message('final', 2, 'a b c', 'a b c'))).toBeUndefined()
    expect(fault(true, 1000, message('final', 0, 'a', 'a'), message('final', 1, 'b', 'a b'))).toBeUndefined()
    expect(fault(false, 1008, ...segments, JSON.stringify({ type: 'error' }))).toBeUndefined()
  })

  it('finds what is lost, repeated, or late', () => {
    expect(fault(false, 1000, ...segments)).toContain('without final')
    expect(fault(false, 1000, ...segments, message('final', 2, 'a b', 'a b'))).toContain('something else')
    expect(fault(false, 1000, message('segment', 1, 'a', 'a'))).toContain('out of turn')
    expect(fault(false, 1000, ...segments, message('segment', 2, 'd', 'a b d'))).toContain('not what the text grew by')
    expect(fault(false, 1000, ...segments, message('partial', 2, 'd', 'd'))).toContain('forgets')
    expect(fault(true, 1000, message('final', 0, 'a', 'a'), JSON.stringify({ type: 'error' }))).toContain('closed 1000')
  })
})
