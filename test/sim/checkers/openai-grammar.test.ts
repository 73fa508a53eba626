import { describe, expect, it } from 'vitest'
import { faultOf } from './fault-of.ts'
import { AudioBytes, OpenAiEvents } from './openai-grammar.ts'

describe('the grammar of files on their way', () => {
  const digestOf = (mediaType: string, ...pieces: Uint8Array[]) => {
    const grammar = new AudioBytes(mediaType)
    expect(faultOf(grammar, pieces)).toBeUndefined()
    return grammar.digest
  }

  it('hears the same in WAV as in PCM, however it is cut', () => {
    const pcm = Buffer.from('what is said')
    const wav = Buffer.concat([Buffer.alloc(44), pcm])
    const sound = digestOf('audio/pcm', pcm)
    expect(digestOf('audio/wav', wav)).toBe(sound)
    expect(digestOf('audio/wav', wav.subarray(0, 10), wav.subarray(10, 50), wav.subarray(50))).toBe(sound)
    expect(digestOf('audio/pcm', Buffer.from('what was said'))).not.toBe(sound)
    expect(digestOf('audio/mpeg', pcm)).toBeUndefined()
  })

  it('takes bytes and nothing else', () => {
    expect(faultOf(new AudioBytes('audio/pcm'), ['text'])).toContain('text')
    expect(faultOf(new AudioBytes('audio/pcm'), [new Uint8Array(0)])).toContain('no bytes')
  })
})

describe('the grammar of OpenAI’s events', () => {
  const event = (data: object) => `data: ${JSON.stringify(data)}\n\n`
  const delta = (text: string) => event({ type: 'transcript.text.delta', delta: text })
  const done = (text: string) => event({ type: 'transcript.text.done', text })
  const fault = (...messages: string[]) => faultOf(new OpenAiEvents('transcript.text', () => undefined), messages)

  it('takes deltas and one done that says all of them, or an error', () => {
    expect(fault(delta('Good'), delta(' morning.'), done('Good morning.'))).toBeUndefined()
    expect(fault(delta('Good'), event({ type: 'error', error: { code: 'internal_error' } }))).toBeUndefined()
  })

  it('misses what is missing, and what is too much', () => {
    expect(fault(delta('Good'))).toContain('without done')
    expect(fault(delta('Good'), done('Good morning.'))).toContain('something else')
    expect(fault(done(''), delta('Good'))).toContain('follows')
    expect(fault(event({ type: 'speech.audio.delta', audio: '' }))).toContain('unknown')
    expect(fault('event: done\n\n')).toContain('not an event')
  })

  it('hears of text that nobody paid for', () => {
    const grammar = new OpenAiEvents('transcript.text', () => 'not paid for')
    expect(grammar.take(delta('Good'))).toBe('not paid for')
  })
})
