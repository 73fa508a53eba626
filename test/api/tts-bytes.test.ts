import { getEventListeners } from 'node:events'
import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { MP3_BYTES, PRESET_VOICE, TestNode } from './test-node.ts'

const URL = '/api/v1/tts/bytes'
const BODY = { text: 'Hello there' }

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

describe('bytes', () => {
  it.each([
    ['mp3', 'audio/mpeg'],
    ['wav', 'audio/wav'],
  ])('answers %s with the contract’s headers', async (format, contentType) => {
    const response = await node.post(URL, { ...BODY, format })
    expect(response.status).toBe(200)
    expect(response.headers).toEqual({
      'Content-Type': contentType,
      'Content-Disposition': `attachment; filename="service.${format}"`,
      'Cache-Control': 'no-store',
      'X-Service-Format': format,
      'X-Service-Sample-Rate': '24000',
      'X-Service-Chars-Deducted': '11',
    })
    expect(node.charged).toBe(11)
  })

  it('sends MP3 unless told otherwise, and the whole of it', async () => {
    expect((await node.post(URL, BODY)).bytes).toEqual(MP3_BYTES)
  })

  it('sends a WAV with one header and every sample', async () => {
    const { bytes } = await node.post(URL, { ...BODY, format: 'wav' })
    expect([bytes.toString('latin1', 0, 4), bytes.readUInt32LE(40)]).toEqual(['RIFF', 3 * 9_600])
    expect([0, 1, 2].map((frame) => bytes.readInt16LE(44 + frame * 9_600))).toEqual([1, 2, 3])
  })

  it('tells what a fixed duration cost (D12)', async () => {
    const response = await node.post(URL, { ...BODY, duration: 1.01 })
    expect([response.headers['X-Service-Chars-Deducted'], node.charged]).toEqual(['16', 16])
    expect(node.synthesizer.requests[0]?.durationSeconds).toBe(1.01)
  })

  it('keeps no copy of the audio and no listener, only a line of history', async () => {
    await node.post(URL, BODY)
    expect(await readdir(node.audioFolder)).toEqual([])
    expect(getEventListeners(node.lifecycle.stopped, 'abort')).toEqual([])
    expect(node.ledger.generationsOf(node.accountId)).toMatchObject([
      { id: 'request_1', way: 'bytes', voiceId: PRESET_VOICE, characters: 11, outcome: 'completed', durationMs: 600 },
    ])
  })

  it('that fails answers in the envelope and keeps its debit', async () => {
    node.synthesizer.script = { failsAt: 3 }
    const response = await node.post(URL, BODY)
    expect(response.status).toBe(500)
    expect(response.json).toEqual({
      ok: false,
      error: { code: 'BACKEND_ERROR', message: 'speech could not be generated' },
    })
    expect([node.charged, node.admission.held]).toEqual([11, 0])
  })

  it('stops at once when the client leaves', async () => {
    node.synthesizer.script = { pace: 'by_hand' }
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await expect.poll(() => node.synthesizer.running).toBe(1)
    exchange.leave()
    expect(node.synthesizer.running).toBe(0)
    await handled
    expect([node.admission.held, node.ledger.generationsOf(node.accountId)[0]?.outcome]).toEqual([0, 'cancelled'])
  })
})
