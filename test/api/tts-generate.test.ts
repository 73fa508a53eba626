import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { IDEMPOTENCY_LIFETIME_MS } from '../../src/limits.ts'
import { MP3_BYTES, OWN_VOICE, PRESET_VOICE, TestNode } from './test-node.ts'

const URL = '/api/v1/tts/generate'
const BODY = { text: 'Hello there' }
const PRICE = BODY.text.length

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

const download = async (audioUrl: string) => {
  const { pathname, search } = new globalThis.URL(audioUrl)
  return node.call('GET', `${pathname}${search}`, undefined, { key: null })
}
const history = () => node.ledger.generationsOf(node.accountId)

describe('generate', () => {
  it('answers with the contract’s fields, and nothing else', async () => {
    const response = await node.post(URL, BODY)
    expect([response.status, response.headers['Cache-Control']]).toEqual([200, 'no-store'])
    expect(response.json).toEqual({
      ok: true,
      data: {
        success: true,
        request_id: 'request_1',
        voice_id: PRESET_VOICE,
        audio_url: expect.stringMatching(
          /^http:\/\/node\.test\/audio\/[a-z2-7]{26}\.mp3\?expires=\d+&signature=[\w-]{43}$/,
        ),
        text: BODY.text,
        duration: null,
        status: 'completed',
        chars_deducted: PRICE,
      },
    })
  })

  it('keeps the file behind its address', async () => {
    const { data } = (await node.post(URL, { ...BODY, format: 'wav' })).json
    const file = await download(data.audio_url)
    expect([file.status, file.headers['Content-Type']]).toEqual([200, 'audio/wav'])
    expect(file.bytes.byteLength).toBe(44 + 3 * 9_600)
    const mp3 = (await node.post(URL, BODY)).json.data
    expect((await download(mp3.audio_url)).bytes).toEqual(MP3_BYTES)
  })

  it('asks the engine for what the fields say', async () => {
    const fields = { speed: 9, language: 'French', duration: 2, postprocess_output: false, voice_id: OWN_VOICE }
    await node.post(URL, { ...BODY, ...fields }, { key: node.adminKey })
    expect(node.synthesizer.requests).toEqual([
      {
        id: 'request_1',
        text: BODY.text,
        language: 'fr',
        voiceId: OWN_VOICE,
        speed: 1.5,
        durationSeconds: 2,
        postprocess: false,
        pace: 'batch',
      },
    ])
  })

  it('with a duration answers with it and charges for it (D12)', async () => {
    const { data } = (await node.post(URL, { ...BODY, duration: 2 })).json
    expect([data.duration, data.chars_deducted, node.charged]).toEqual([2, 30, 30])
    expect(node.admission.asked).toEqual([{ pace: 'batch', speechSeconds: 2 }])
  })

  it('debits before the engine starts, and gives its place back at the end', async () => {
    node.synthesizer.script = { pace: 'by_hand', frames: 1 }
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await expect.poll(() => node.synthesizer.running).toBe(1)
    expect([node.charged, node.admission.held, exchange.response]).toEqual([PRICE, 1, undefined])
    node.synthesizer.step()
    node.synthesizer.step()
    await handled
    expect([node.charged, node.admission.held, exchange.response?.status]).toEqual([PRICE, 0, 200])
  })

  it('takes the address’ origin from the settings when they have one (D25)', async () => {
    await node.stop()
    node = await TestNode.start({ publicUrl: 'https://tts.example' })
    const { data } = (await node.post(URL, BODY)).json
    expect(data.audio_url).toMatch(/^https:\/\/tts\.example\/audio\//)
  })

  it('adds a line to the history, without the text', async () => {
    await node.post(URL, { ...BODY, text: 'a secret text' })
    expect(history()).toEqual([
      {
        id: 'request_1',
        keyId: expect.stringMatching(/^key_/),
        accountId: node.accountId,
        voiceId: PRESET_VOICE,
        way: 'generate',
        characters: 13,
        createdAt: node.clock.now(),
        outcome: 'completed',
        durationMs: 600,
      },
    ])
    expect(JSON.stringify(node.logLines)).not.toContain('secret')
  })
})

describe('a generation that fails', () => {
  it('is BACKEND_ERROR 500, keeps its debit and gives its place back', async () => {
    node.synthesizer.script = { failsAt: 2 }
    const response = await node.post(URL, BODY)
    expect([response.status, response.json.error.code]).toEqual([500, 'BACKEND_ERROR'])
    expect([node.charged, node.admission.held, history()[0]?.outcome]).toEqual([PRICE, 0, 'failed'])
  })

  it('because the engine makes no sound at all is BACKEND_ERROR too', async () => {
    node.synthesizer.script = { frames: 0 }
    expect((await node.post(URL, BODY)).json.error.code).toBe('BACKEND_ERROR')
  })

  it('because the disk is full is INTERNAL_ERROR, without the disk’s words', async () => {
    vi.spyOn(node.services.audioFiles, 'store').mockRejectedValue(new Error('ENOSPC: /data/audio'))
    const response = await node.post(URL, BODY)
    expect([response.status, response.json.error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect(response.bytes.toString()).not.toContain('ENOSPC')
    expect([node.admission.held, history()[0]?.outcome]).toEqual([0, 'failed'])
  })

  it('because the client left stops the engine at once and is recorded as cancelled', async () => {
    node.synthesizer.script = { pace: 'by_hand' }
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await expect.poll(() => node.synthesizer.running).toBe(1)
    exchange.leave()
    expect(node.synthesizer.running).toBe(0)
    await handled
    expect([exchange.response, node.admission.held, history()[0]?.outcome]).toEqual([undefined, 0, 'cancelled'])
  })

  it('because the time to drain is over is 503', async () => {
    node.synthesizer.script = { pace: 'by_hand' }
    const { exchange, handled } = node.begin('POST', URL, BODY)
    await expect.poll(() => node.synthesizer.running).toBe(1)
    node.lifecycle.stop()
    await handled
    expect([exchange.response?.status, exchange.response?.json.error.code]).toEqual([503, 'BACKEND_ERROR'])
    expect([node.synthesizer.running, node.admission.held, history()[0]?.outcome]).toEqual([0, 0, 'failed'])
  })

  it('to be recorded is still answered', async () => {
    vi.spyOn(node.ledger, 'recordGeneration').mockRejectedValue(new Error('disk full'))
    expect((await node.post(URL, BODY)).status).toBe(200)
  })
})

describe('Idempotency-Key (D17)', () => {
  const named = (name: string) => ({ headers: { 'Idempotency-Key': name } })

  it('repeats the first answer without a second debit or a second synthesis', async () => {
    const first = await node.post(URL, BODY, named('a'))
    const repeat = await node.post(URL, BODY, named('a'))
    expect(repeat.json).toEqual(first.json)
    expect([node.charged, node.synthesizer.requests.length]).toEqual([PRICE, 1])
  })

  it('repeats it even when nothing new could be started', async () => {
    const first = await node.post(URL, BODY, named('a'))
    node.lifecycle.draining = true
    node.voices.delete(PRESET_VOICE)
    await node.ledger.setAccount(node.accountId, { ttsQuota: 0 })
    expect((await node.post(URL, BODY, named('a'))).json).toEqual(first.json)
  })

  it('is 400 with another body', async () => {
    await node.post(URL, BODY, named('a'))
    const other = await node.post(URL, { ...BODY, speed: 1.1 }, named('a'))
    expect([other.status, other.json.error.code, node.charged]).toEqual([400, 'BAD_REQUEST', PRICE])
  })

  it('is 409 with Retry-After while the first still runs', async () => {
    node.synthesizer.script = { pace: 'by_hand', frames: 1 }
    const { handled } = node.begin('POST', URL, BODY, named('a'))
    await expect.poll(() => node.synthesizer.running).toBe(1)
    const early = await node.post(URL, BODY, named('a'))
    expect([early.status, early.json.error.code]).toEqual([409, 'BAD_REQUEST'])
    expect(early.headers['Retry-After']).toMatch(/^[1-9]\d*$/)
    while (node.synthesizer.step());
    await handled
    expect(node.charged).toBe(PRICE)
  })

  it('belongs to one API key, and other names are other requests', async () => {
    await node.post(URL, BODY, named('a'))
    await node.post(URL, { ...BODY, voice_id: PRESET_VOICE }, { key: node.adminKey, ...named('a') })
    await node.post(URL, BODY, named('b'))
    expect(node.charged).toBe(3 * PRICE)
  })

  it('runs a failed request again under its first id, which stays charged once', async () => {
    node.synthesizer.script = { failsAt: 1 }
    expect((await node.post(URL, BODY, named('a'))).status).toBe(500)
    node.synthesizer.script = {}
    const retried = await node.post(URL, BODY, named('a'))
    expect([retried.status, retried.json.data.request_id, node.charged]).toEqual([200, 'request_1', PRICE])
    expect(retried.headers['X-Request-Id']).toBe('request_1')
  })

  it('lets a request that was refused uncharged be charged when it is repeated', async () => {
    node.admission.full = true
    expect((await node.post(URL, BODY, named('a'))).status).toBe(503)
    expect(node.charged).toBe(0)
    node.admission.full = false
    expect((await node.post(URL, BODY, named('a'))).status).toBe(200)
    expect(node.charged).toBe(PRICE)
  })

  it('is forgotten after 24 hours', async () => {
    await node.post(URL, BODY, named('a'))
    node.clock.advance(IDEMPOTENCY_LIFETIME_MS)
    await node.post(URL, BODY, named('a'))
    expect(node.charged).toBe(2 * PRICE)
  })

  it.each([
    ['', 400],
    ['x'.repeat(255), 200],
    ['x'.repeat(256), 400],
  ])('may have 1 to 255 characters (case %#)', async (name, status) => {
    expect((await node.post(URL, BODY, named(name))).status).toBe(status)
  })

  it('keeps no text with the answer', async () => {
    const finish = vi.spyOn(node.ledger, 'finishIdempotent')
    await node.post(URL, { text: 'a secret text' }, named('a'))
    expect(finish).toHaveBeenCalledOnce()
    expect(JSON.stringify(finish.mock.calls)).not.toContain('secret')
  })
})
