import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { UNLIMITED } from '../../src/limits.ts'
import { PRESET_VOICE, QUOTA, TestNode } from './test-node.ts'

const URL = '/api/v1/usage'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

const usageOf = async (key: string) => (await node.call('GET', URL, undefined, { key })).json.data
const spend = async (characters: number, key = node.voiceKey) => {
  const response = await node.post('/api/v1/tts/stream-token', { text_length: characters }, { key })
  return response.json.error?.code ?? 'charged'
}
const newVoiceKey = (creditLimit: number | null) =>
  node.ledger.createKey({
    accountId: node.accountId,
    kind: 'voice',
    name: 'Second',
    voiceId: PRESET_VOICE,
    creditLimit,
  })

describe('usage', () => {
  it('of a voice key is the account’s allowance and the key’s own figures, in the contract’s fields', async () => {
    await spend(100)
    const response = await node.call('GET', URL)
    expect([response.status, response.headers['Cache-Control']]).toEqual([200, 'no-store'])
    expect(response.json).toEqual({
      ok: true,
      data: {
        environment: 'live',
        limit: QUOTA,
        used: 100,
        remaining: QUOTA - 100,
        unlimited: false,
        reset_date: '2026-06-20T12:00:00.000Z',
        reset_interval: 'month',
        reset_interval_count: 1,
        key: {
          kind: 'tts',
          name: 'First voice key',
          last_four: node.voiceKey.slice(-4),
          credit_limit: null,
          credit_used: 100,
          credit_remaining: null,
          credit_source: 'account',
          spendable: QUOTA - 100,
        },
      },
    })
  })

  it('of an account key is its own figures alone: never the balance', async () => {
    await spend(100)
    expect(await usageOf(node.adminKey)).toEqual({
      environment: 'live',
      key: {
        kind: 'admin',
        name: 'First admin key',
        last_four: node.adminKey.slice(-4),
        credit_limit: null,
        credit_used: 0,
        credit_remaining: null,
        credit_source: 'account',
      },
    })
  })

  it('of a key with a ceiling counts against both, and spendable is the smaller (D14)', async () => {
    const { plaintext } = await newVoiceKey(300)
    expect(await spend(250, plaintext)).toBe('charged')
    expect((await usageOf(plaintext)).key).toMatchObject({
      credit_limit: 300,
      credit_used: 250,
      credit_remaining: 50,
      credit_source: 'key',
      spendable: 50,
    })
    expect(await spend(51, plaintext)).toBe('KEY_CREDIT_EXCEEDED')
    await spend(QUOTA - 260)
    expect(await usageOf(plaintext)).toMatchObject({ remaining: 10, key: { credit_remaining: 50, spendable: 10 } })
    expect(await spend(11, plaintext)).toBe('QUOTA_EXCEEDED')
    expect(await spend(60, plaintext)).toBe('KEY_CREDIT_EXCEEDED')
  })

  it('of an unlimited account says so (D14)', async () => {
    await node.ledger.setAccount(node.accountId, { ttsQuota: null })
    await spend(100)
    expect(await usageOf(node.voiceKey)).toMatchObject({
      limit: UNLIMITED,
      used: 100,
      remaining: UNLIMITED,
      unlimited: true,
      key: { spendable: UNLIMITED },
    })
  })

  it('of an allowance below what is used leaves nothing, not less', async () => {
    await spend(100)
    await node.ledger.setAccount(node.accountId, { ttsQuota: 40 })
    expect(await usageOf(node.voiceKey)).toMatchObject({ limit: 40, remaining: 0, key: { spendable: 0 } })
  })

  it('is answered while the node shuts down', async () => {
    node.lifecycle.draining = true
    expect((await node.call('GET', URL)).status).toBe(200)
  })

  it('is not for speech-to-text keys', async () => {
    const response = await node.call('GET', URL, undefined, { key: node.sttKey })
    expect([response.status, response.json.error.code]).toEqual([403, 'INVALID_API_KEY'])
  })
})
