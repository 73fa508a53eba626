import { getEventListeners } from 'node:events'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { FakeResponse } from './fake-exchange.ts'
import { audioForm } from './stt-form.ts'
import { type CallOptions, TestNode } from './test-node.ts'

const URL = '/api/v1/stt/transcriptions'
const STREAM = `${URL}?stream=true`

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(async () => {
  // Whatever happened: nothing of it stays.
  expect([node.admission.held, node.spool.usedBytes]).toEqual([0, 0])
  expect(await readdir(join(node.audioFolder, '..', 'spool'))).toEqual([])
  expect(getEventListeners(node.lifecycle.stopped, 'abort')).toEqual([])
  await node.stop()
})

async function transcribe(form = audioForm(), url = URL, options: CallOptions = {}): Promise<FakeResponse> {
  const { exchange, handled } = await node.upload(url, form, options)
  await handled
  expect(exchange.formsOpen).toBe(0)
  if (exchange.response === undefined) throw new Error('no answer')
  return exchange.response
}

async function lines(form = audioForm(), url = STREAM) {
  const { exchange, handled } = await node.upload(url, form)
  await handled
  expect([exchange.response?.status, exchange.sink?.ended, exchange.formsOpen]).toEqual([200, true, 0])
  return exchange.sink?.lines ?? []
}

describe('a transcription', () => {
  it('answers with the final transcript (D28)', async () => {
    node.recognizer.texts = ['Good morning.', 'How are you?']
    const response = await transcribe(audioForm('-1 2 -4 1.5 -1', { language: 'en' }))
    expect([response.status, response.headers['Cache-Control']]).toEqual([200, 'no-store'])
    expect(response.json).toEqual({
      ok: true,
      data: {
        text: 'Good morning. How are you?',
        language: 'en',
        is_final: true,
        provider: 'script',
        model: 'scripted-1',
        duration_seconds: 9.5,
        latency_ms: 0,
        segments: [
          { index: 0, start: 0.8, end: 3.2, text: 'Good morning.', language: 'en' },
          { index: 1, start: 6.784, end: 8.704, text: 'How are you?', language: 'en' },
        ],
      },
    })
    expect(node.heard).toBe('Good morning. How are you?'.length)
    expect(node.ledger.verify()).toMatchObject({ ok: true, postings: 2 })
  })

  it('of silence is empty and costs nothing (promise 12)', async () => {
    const { json } = await transcribe(audioForm('-5'))
    expect(json.data).toMatchObject({ text: '', language: 'auto', segments: [], duration_seconds: 5 })
    expect((await transcribe(audioForm('-5', { language: 'de' }))).json.data.language).toBe('de')
    expect([node.heard, node.recognizer.segments]).toEqual([0, []])
  })

  it('of a sound that is no word is empty and costs nothing', async () => {
    node.recognizer.texts = ['']
    const { json } = await transcribe()
    expect(json.data).toMatchObject({ text: '', segments: [{ index: 0, text: '' }] })
    expect(node.heard).toBe(0)
  })

  it('tells when each word is said, if asked', async () => {
    node.recognizer.texts = ['one', 'two three']
    const { json } = await transcribe(audioForm('1 -4 1'), `${URL}?word_timestamps=true`)
    expect(json.data.segments).toMatchObject([
      { words: [{ word: 'one', start: 0, end: 0.4 }] },
      {
        words: [
          { word: 'two', start: 4.8, end: 5.2 },
          { word: 'three', start: 5.3, end: 5.7 },
        ],
      },
    ])
    expect(node.recognizer.segments.every(({ wordTimes }) => wordTimes)).toBe(true)
  })

  it('takes the audio as file too', async () => {
    expect((await transcribe(audioForm('1', {}, 'file'))).json.data.text).toBe('utterance 0')
  })

  it.each([
    ['auto', 'auto'],
    ['AUTO', 'auto'],
    ['De', 'de'],
    ['german', 'de'],
    ['fil', 'fil'],
    ['es-en', 'es-en'],
    ['Chinese-English', 'zh-en'],
  ])('knows the language %s', async (language, code) => {
    expect((await transcribe(audioForm('1', { language }))).status).toBe(200)
    expect(node.recognizer.segments.map(({ mode }) => mode.code)).toEqual([code])
  })

  it('hears any language unless told', async () => {
    await transcribe()
    expect(node.recognizer.segments[0]?.mode.code).toBe('auto')
  })

  it('says which language it heard most of', async () => {
    node.recognizer.language = 'sv'
    expect((await transcribe()).json.data.language).toBe('sv')
  })

  it('joins languages written without spaces without spaces', async () => {
    node.recognizer.texts = ['早上好。', '你好吗？']
    const { json } = await transcribe(audioForm('1 -4 1', { language: 'zh' }))
    expect(json.data.text).toBe('早上好。你好吗？')
    expect(node.heard).toBe(8)
  })

  it('looks at no more than a few pieces of a file at a time', async () => {
    node.recognizer.pace = 'by_hand'
    const { handled } = await node.upload(URL, audioForm(Array.from({ length: 8 }, () => '1 -4').join(' ')))
    for (let pieces = 3; pieces <= 8; pieces++) {
      await expect.poll(() => node.recognizer.segments.length).toBe(pieces)
      node.recognizer.release()
    }
    await expect.poll(() => node.recognizer.held).toBe(2)
    node.recognizer.release()
    node.recognizer.release()
    await handled
    expect(node.recognizer.runningMost).toBe(3)
  })

  it('is admitted for as long as it is', async () => {
    await transcribe(audioForm('2 -1 2'))
    expect(node.admission.asked).toEqual([
      { pace: 'recording', audioSeconds: 0 },
      { pace: 'recording', audioSeconds: 5 },
    ])
  })

  it('leaves a line in the log, without the text', async () => {
    node.recognizer.texts = ['a secret']
    await transcribe()
    const line = { requestId: 'request_1', audioSeconds: 1.5, pieces: 1, characters: 8, outcome: 'completed' }
    expect(node.logLines).toContainEqual({ ...line, keyId: expect.any(String), message: 'transcription ended' })
    expect(JSON.stringify(node.logLines)).not.toContain('secret')
  })
})

describe('a transcription in lines', () => {
  it('is started, a chunk for every piece, then final (D27)', async () => {
    node.recognizer.texts = ['Good morning.', 'How are you?']
    const { exchange, handled } = await node.upload(STREAM, audioForm('2 -4 1.5'))
    await handled
    expect(exchange.response?.headers).toEqual({
      'Content-Type': 'application/x-ndjson',
      'Cache-Control': 'no-store',
      'X-Accel-Buffering': 'no',
    })
    const segments = [
      { index: 0, start: 0, end: 2.208, text: 'Good morning.', language: 'zh' },
      { index: 1, start: 5.792, end: 7.5, text: 'How are you?', language: 'zh' },
    ]
    expect(exchange.sink?.lines).toEqual([
      { type: 'started', duration_seconds: 7.5, chunks_total: 2, provider: 'script', model: 'scripted-1' },
      { type: 'chunk', chunks_total: 2, ...segments[0], combined_text: 'Good morning.' },
      { type: 'chunk', chunks_total: 2, ...segments[1], combined_text: 'Good morning.How are you?' },
      {
        type: 'final',
        ...{ text: 'Good morning.How are you?', language: 'zh', is_final: true, segments },
        ...{ provider: 'script', model: 'scripted-1', duration_seconds: 7.5, latency_ms: 0 },
      },
    ])
    expect(node.heard).toBe(25)
  })

  it('of silence has no chunk', async () => {
    expect(await lines(audioForm('-3'))).toMatchObject([
      { type: 'started', chunks_total: 0, duration_seconds: 3 },
      { type: 'final', text: '' },
    ])
  })

  it('come in order, each as soon as it and those before it are ready', async () => {
    node.recognizer.pace = 'by_hand'
    const { exchange, handled } = await node.upload(STREAM, audioForm('1 -4 1 -4 1'))
    await expect.poll(() => node.recognizer.held).toBe(3)
    const types = () => exchange.sink?.lines.map(({ type, index }) => `${type} ${index ?? ''}`.trim())
    node.recognizer.release(1)
    await expect.poll(() => node.recognizer.running).toBe(2)
    expect(types()).toEqual(['started'])
    node.recognizer.release(0)
    await expect.poll(types).toEqual(['started', 'chunk 0', 'chunk 1'])
    node.recognizer.release(0)
    await handled
    expect(types()).toEqual(['started', 'chunk 0', 'chunk 1', 'chunk 2', 'final'])
  })

  it('wait for a slow reader', async () => {
    node.recognizer.texts = Array.from({ length: 12 }, () => 'word '.repeat(20_000).trim())
    await node.ledger.setAccount(node.accountId, { sttQuota: null })
    const form = audioForm(Array.from({ length: 12 }, () => '1 -4').join(' '))
    const { exchange, handled } = await node.upload(STREAM, form, { reader: 'stalled' })
    await expect.poll(() => node.recognizer.segments.length).toBeGreaterThan(3)
    // What fits the buffer was made, and the few pieces ahead; then nothing until the reader reads.
    await expect.poll(() => node.recognizer.running).toBe(0)
    expect(exchange.sink?.bufferedBytesMost).toBeLessThan(800_000)
    expect(node.recognizer.segments.length).toBeLessThan(8)
    const drain = setInterval(() => exchange.sink?.drain(1_000_000), 1)
    await handled
    clearInterval(drain)
    expect(exchange.sink?.lines.at(-1)?.type).toBe('final')
  })

  it('end with an error line when the recogniser fails on the way', async () => {
    node.recognizer.failsAt = 1
    expect(await lines(audioForm('1 -4 1'))).toMatchObject([
      { type: 'started' },
      { type: 'chunk', index: 0 },
      { type: 'error', code: 'stt_upstream_error', message: 'the audio could not be transcribed' },
    ])
    expect(node.heard).toBe('utterance 0'.length)
  })

  it('end with an error line when the node is at its end', async () => {
    node.recognizer.pace = 'by_hand'
    const { exchange, handled } = await node.upload(STREAM, audioForm('1'))
    await expect.poll(() => node.recognizer.held).toBe(1)
    node.lifecycle.stop()
    await handled
    expect(exchange.sink?.lines.at(-1)).toMatchObject({ type: 'error', code: 'STT_UNAVAILABLE' })
  })

  it('are not begun for a file that can’t be heard', async () => {
    const response = await transcribe(audioForm('undecodable'), STREAM)
    expect([response.status, response.json.error.code]).toEqual([400, 'bad_request'])
  })
})

describe('a client that leaves', () => {
  it.each([URL, STREAM])('%s stops the work within one task, and nothing more is charged', async (url) => {
    node.recognizer.pace = 'by_hand'
    const { exchange, handled } = await node.upload(url, audioForm('1 -4 1 -4 1 -4 1 -4 1 -4 1'))
    await expect.poll(() => node.recognizer.held).toBe(3)
    node.recognizer.release()
    await expect.poll(() => node.heard).toBe('utterance 0'.length)
    await expect.poll(() => node.recognizer.segments.length).toBe(4)
    exchange.leave()
    await handled
    expect([node.recognizer.running, node.recognizer.segments.length]).toEqual([0, 4])
    expect(node.heard).toBe('utterance 0'.length)
    expect(node.logLines).toContainEqual(expect.objectContaining({ outcome: 'cancelled', characters: 11 }))
  })

  it('while its file is decoded costs nothing', async () => {
    let decode = () => {}
    node.decoder.gate = new Promise((resolve) => {
      decode = resolve
    })
    const { exchange, handled } = await node.upload(URL, audioForm())
    await expect.poll(() => node.decoder.calls).toBe(1)
    exchange.leave()
    decode()
    await handled
    expect([exchange.response, node.heard, node.recognizer.segments]).toEqual([undefined, 0, []])
  })
})
