import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { OWN_VOICE, PRESET_VOICE, QUOTA, TestNode } from './test-node.ts'

const URL = '/api/v1/tts/stream-token'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

describe('a stream token', () => {
  it('is answered with the contract’s fields, and charged now', async () => {
    const response = await node.post(URL, { text_length: 40 })
    expect(response.status).toBe(200)
    expect(response.json).toEqual({
      ok: true,
      data: {
        stream_token: expect.stringMatching(/^\S{40,}$/),
        ws_url: 'ws://node.test/ws/tts/stream',
        max_length: 40,
        chars_deducted: 40,
        expires_in: 60,
      },
    })
    expect(node.charged).toBe(40)
  })

  it('stands for the voice, the length and the request (D18)', async () => {
    const { data } = (await node.post(URL, { text_length: 7 })).json
    expect(node.ledger.peekToken(data.stream_token)).toMatchObject({
      requestId: 'request_1',
      voiceId: PRESET_VOICE,
      textLengthMax: 7,
      expiresAt: node.clock.now() + 60_000,
    })
  })

  it('locks in the voice an account key names', async () => {
    const { data } = (await node.post(URL, { text_length: 7, voice_id: OWN_VOICE }, { key: node.adminKey })).json
    expect(node.ledger.peekToken(data.stream_token)?.voiceId).toBe(OWN_VOICE)
  })

  it('names the socket’s own origin when the settings have one (D25)', async () => {
    await node.stop()
    node = await TestNode.start({ publicUrl: 'https://tts.example', publicWsUrl: 'wss://ws.example' })
    expect((await node.post(URL, { text_length: 1 })).json.data.ws_url).toBe('wss://ws.example/ws/tts/stream')
  })

  it('can’t mint a token (D18)', async () => {
    const { data } = (await node.post(URL, { text_length: 7 })).json
    const minted = await node.post(URL, { text_length: 7 }, { key: data.stream_token })
    expect([minted.status, minted.json.error.code, node.charged]).toEqual([401, 'INVALID_API_KEY', 7])
  })

  it('needs a place that exists, and gives it back at once (D18)', async () => {
    await node.post(URL, { text_length: 7 })
    expect([node.admission.asked, node.admission.held]).toEqual([[{ pace: 'live' }], 0])
    node.admission.full = true
    const refused = await node.post(URL, { text_length: 7 })
    expect([refused.status, refused.headers['Retry-After'], node.charged]).toEqual([503, '3', 7])
  })

  it('is refused uncharged when the allowance does not cover it', async () => {
    const refused = await node.post(URL, { text_length: QUOTA + 1 })
    expect([refused.status, refused.json.error.code, node.charged]).toEqual([403, 'QUOTA_EXCEEDED', 0])
    expect(node.admission.held).toBe(0)
  })
})
