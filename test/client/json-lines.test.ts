import { expect, it } from 'vitest'
import { JsonLineParser } from '../../src/client/json-lines.ts'

const TEXT = '{"type":"started"}\n\n{"type":"chunk","text":"ünï\\n語"}\r\n{"type":"final"}'
const VALUES = [{ type: 'started' }, { type: 'chunk', text: 'ünï\n語' }, { type: 'final' }]

it('lines of JSON are read alike wherever they are cut, and need no newline at the end', () => {
  for (let first = 0; first <= TEXT.length; first++) {
    const parser = new JsonLineParser()
    const values = [TEXT.slice(0, first), TEXT.slice(first)].flatMap((piece) => parser.push(piece))
    expect([...values, ...parser.end()]).toEqual(VALUES)
  }
})

it('a line that is no JSON is an error', () => {
  expect(() => new JsonLineParser().push('{"type":\n')).toThrow(SyntaxError)
})
