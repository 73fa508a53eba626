import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Permissions } from '../../src/ledger/ledger.ts'
import { FOREIGN_VOICE, OWN_VOICE, PRESET_VOICE, TestNode } from './test-node.ts'

const URL = '/api/v1/keys'
const EVERYTHING: Permissions = {
  endpoints: { tts: true, stt: true },
  audioUpload: true,
  keyManagement: true,
  voiceScope: 'all',
  voiceIds: [],
}

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
  for (const voiceId of [OWN_VOICE, FOREIGN_VOICE, 'voice_deleted']) {
    node.clock.advance(1)
    await node.ledger.createKey({ accountId: node.accountId, kind: 'voice', name: voiceId, voiceId })
  }
})
afterEach(() => node.stop())

async function listOf(permissions: Partial<Permissions>) {
  const options = { accountId: node.accountId, kind: 'admin', name: 'Caller' } as const
  const { plaintext } = await node.ledger.createKey({ ...options, permissions: { ...EVERYTHING, ...permissions } })
  const response = await node.call('GET', URL, undefined, { key: plaintext })
  return response.json.data?.keys ?? response.json.error.code
}
const names = (entries: { name: string }[]) => entries.map(({ name }) => name)

describe('the key list', () => {
  it('is admin, tts and stt, each entry with the decided fields (D20)', async () => {
    const response = await node.call('GET', URL, undefined, { key: node.adminKey })
    const { keys } = response.json.data
    expect([response.status, Object.keys(response.json.data)]).toEqual([200, ['keys']])
    const common = {
      id: expect.stringMatching(/^key_/),
      status: 'active',
      created_at: '2026-05-20T12:00:00.000Z',
      last_used_at: null,
      expires_at: null,
      credit_limit: null,
      credit_used: 0,
      credit_remaining: null,
    }
    const voiceScopes = ['tts.generate', 'tts.stream', 'usage.read']
    const admin = { kind: 'admin', name: 'First admin key', prefix: 'vc_ak_live_', scopes: [] }
    const tts = { kind: 'tts', name: 'First voice key', prefix: 'vc_sk_live_', scopes: voiceScopes }
    const stt = { kind: 'stt', name: 'First speech-to-text key', prefix: 'stt_sk_live_' }
    expect({ ...keys, tts: keys.tts.slice(0, 1) }).toEqual({
      admin: [{ ...common, ...admin, last_four: node.adminKey.slice(-4) }],
      tts: [{ ...common, ...tts, last_four: node.voiceKey.slice(-4), voice_id: PRESET_VOICE }],
      stt: [{ ...common, ...stt, last_four: node.sttKey.slice(-4), scopes: ['stt.transcribe', 'stt.stream'] }],
    })
  })

  it('says when a key was last used', async () => {
    const usedAt = new Date(node.clock.now()).toISOString()
    await node.call('GET', '/api/v1/usage')
    await expect
      .poll(async () => (await node.call('GET', URL, undefined, { key: node.adminKey })).json.data.keys.tts[0])
      .toMatchObject({ name: 'First voice key', last_used_at: usedAt })
  })

  it('holds the calling account key alone, never a sibling', async () => {
    expect(names((await listOf({})).admin)).toEqual(['Caller'])
  })

  it('never holds a plaintext, a hash or the balance (promise 7)', async () => {
    const text = (await node.call('GET', URL, undefined, { key: node.adminKey })).bytes.toString()
    for (const secret of [node.adminKey, node.voiceKey, node.sttKey]) expect(text).not.toContain(secret)
    expect(text).not.toMatch(/hash|sha256|limit":1000|remaining":1000/)
  })

  it.each<[Partial<Permissions>, string[]]>([
    [{ voiceScope: 'all' }, ['First voice key', OWN_VOICE]],
    [{ voiceScope: 'mine' }, [OWN_VOICE]],
    [{ voiceScope: 'custom', voiceIds: [PRESET_VOICE, FOREIGN_VOICE] }, ['First voice key']],
    [{ endpoints: { tts: false, stt: true } }, []],
  ])('with %j shows the voice keys of %j (D21)', async (permissions, expected) => {
    expect(names((await listOf(permissions)).tts)).toEqual(expected)
  })

  it('shows no speech-to-text keys when the switch is off', async () => {
    expect((await listOf({ endpoints: { tts: true, stt: false } })).stt).toEqual([])
  })

  it('needs keyManagement', async () => {
    expect(await listOf({ keyManagement: false })).toBe('PERMISSION_DENIED')
  })

  it.each(['voiceKey', 'sttKey'] as const)('is not for a %s', async (kind) => {
    const response = await node.call('GET', URL, undefined, { key: node[kind] })
    expect([response.status, response.json.error.code]).toEqual([403, 'INVALID_API_KEY'])
  })

  it('shows what a key has used, when it expires, and that it has expired or was revoked', async () => {
    const options = { accountId: node.accountId, kind: 'voice', voiceId: PRESET_VOICE } as const
    const expiresAt = node.clock.now() + 1_000
    const limited = await node.ledger.createKey({ ...options, name: 'Limited', creditLimit: 50, expiresAt })
    await node.post('/api/v1/tts/stream-token', { text_length: 20 }, { key: limited.plaintext })
    const revoked = await node.ledger.createKey({ ...options, name: 'Revoked', expiresAt })
    await node.ledger.revokeKey(revoked.key.id)
    node.clock.advance(1_000)

    const { tts } = await listOf({})
    const entry = (name: string) => tts.find((candidate: { name: string }) => candidate.name === name)
    expect(entry('Limited')).toMatchObject({
      status: 'expired',
      expires_at: new Date(expiresAt).toISOString(),
      credit_limit: 50,
      credit_used: 20,
      credit_remaining: 30,
    })
    expect(entry('Revoked').status).toBe('revoked')
  })
})
