import { expect, it } from 'vitest'
import { encodeEvent, KEEP_ALIVE_COMMENT } from '../../src/api/server-sent-events.ts'

it('an event is its name, its id if it has one, its data and an empty line', () => {
  expect(encodeEvent({ event: 'start', data: { sample_rate: 24_000 } })).toBe(
    'event: start\ndata: {"sample_rate":24000}\n\n',
  )
  expect(encodeEvent({ event: 'audio', id: 7, data: { sequence: 7 } })).toBe(
    'event: audio\nid: 7\ndata: {"sequence":7}\n\n',
  )
})

it('line breaks in data stay data: in JSON they are escaped, in text each line gets its own field', () => {
  expect(encodeEvent({ event: 'error', data: { message: 'a\n\nevent: b' } })).toBe(
    'event: error\ndata: {"message":"a\\n\\nevent: b"}\n\n',
  )
  expect(encodeEvent({ event: 'text', data: 'a\nb\r\nc\rd' })).toBe(
    'event: text\ndata: a\ndata: b\ndata: c\ndata: d\n\n',
  )
})

it('a name or an id that would break the line is an assertion error', () => {
  expect(() => encodeEvent({ event: 'a\nb', data: '' })).toThrow()
  expect(() => encodeEvent({ event: 'a', id: 'b\rc', data: '' })).toThrow()
})

it('a keep-alive is a comment, which readers skip', () => {
  expect(KEEP_ALIVE_COMMENT).toMatch(/^:[^\n]*\n\n$/)
})
