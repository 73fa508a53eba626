import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { Permissions } from '../../src/ledger/ledger.ts'
import { waitFor } from '../wait-for.ts'
import { FOREIGN_VOICE, OWN_VOICE, PRESET_VOICE, TestNode } from './test-node.ts'
import { enrollmentForm, recording } from './voice-form.ts'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await node.stop()
})

async function enroll(name = 'Ada') {
  const { exchange, handled } = await node.upload('/api/v1/voices', enrollmentForm({ name }), { key: node.adminKey })
  await handled
  return exchange.response?.json.data
}

async function remove(voiceId: string, key: string | null = node.adminKey) {
  const { status, json } = await node.call('DELETE', `/api/v1/voices/${encodeURIComponent(voiceId)}`, '', { key })
  return { status, json }
}

const codeOf = async (voiceId: string, key?: string | null) => {
  const { status, json } = await remove(voiceId, key)
  return [status, json.error?.code]
}

const adminKey = async (permissions: Partial<Permissions>) => {
  const all = { endpoints: { tts: true, stt: true }, audioUpload: true, keyManagement: true } as const
  const whole: Permissions = { ...all, voiceScope: 'all', voiceIds: [], ...permissions }
  const options = { accountId: node.accountId, kind: 'admin', name: 'Narrow', permissions: whole } as const
  return (await node.ledger.createKey(options)).plaintext
}

describe('deleting a voice', () => {
  it('answers with its id and name, and removes its recording and features', async () => {
    const { voice_id } = await enroll('Grace')
    const data = { voice_id, name: 'Grace', deleted: true }
    expect(await remove(voice_id)).toEqual({ status: 200, json: { ok: true, data } })
    expect(await readdir(node.voiceFolder)).toEqual([OWN_VOICE])
    expect(node.ledger.voice(voice_id)).toBeUndefined()
  })

  it('removes its keys: they are unknown from then on, and no list shows them', async () => {
    const { voice_id, api_key } = await enroll('Grace')
    await remove(voice_id)
    const { status, json } = await node.post('/api/v1/tts/bytes', { text: 'Hello' }, { key: api_key.key })
    expect([status, json.error.code]).toEqual([401, 'INVALID_API_KEY'])
    const list = await node.call('GET', '/api/v1/keys', undefined, { key: node.adminKey })
    expect(list.bytes.toString()).not.toContain('Grace')
  })

  it('keeps its history, its debits and the consent (D23)', async () => {
    const { voice_id, api_key } = await enroll()
    await node.post('/api/v1/tts/bytes', { text: 'Hello' }, { key: api_key.key })
    await remove(voice_id)
    expect(node.ledger.generationsOf(node.accountId)).toMatchObject([{ voiceId: voice_id, characters: 5 }])
    expect([node.charged, node.ledger.verify().ok]).toEqual([5, true])
    expect(node.ledger.consentsOf(node.accountId)).toMatchObject([
      { voiceId: voice_id, voiceDeletedAt: node.clock.now() },
    ])
  })

  it('is done once: the second is told VOICE_NOT_ALLOWED', async () => {
    const { voice_id } = await enroll()
    const answers = await Promise.all([codeOf(voice_id), codeOf(voice_id)])
    expect(answers.sort()).toEqual([
      [200, undefined],
      [403, 'VOICE_NOT_ALLOWED'],
    ])
    expect(await codeOf(voice_id)).toEqual([403, 'VOICE_NOT_ALLOWED'])
  })

  it('makes the account key that names it, and a key left bound to it, hear that it is gone', async () => {
    const { voice_id } = await enroll()
    await remove(voice_id)
    const options = { accountId: node.accountId, kind: 'voice', name: 'Left', voiceId: voice_id } as const
    const { plaintext } = await node.ledger.createKey(options)
    const named = await node.post('/api/v1/tts/bytes', { text: 'Hello', voice_id }, { key: node.adminKey })
    const bound = await node.post('/api/v1/tts/bytes', { text: 'Hello' }, { key: plaintext })
    expect([named.status, named.json.error.code]).toEqual([403, 'VOICE_NOT_ALLOWED'])
    expect([bound.status, bound.json.error.code]).toEqual([404, 'VOICE_NOT_FOUND'])
  })

  it('lets a stream that speaks with it come to its end, uncharged for that', async () => {
    const { voice_id, api_key } = await enroll()
    node.synthesizer.script = { pace: 'by_hand' }
    const { exchange, handled } = node.begin('POST', '/api/v1/tts/sse', { text: 'Hello' }, { key: api_key.key })
    await waitFor(() => node.synthesizer.requests.length === 1, 'the stream')
    expect((await remove(voice_id)).status).toBe(200)
    while (node.synthesizer.step());
    await handled
    expect(exchange.sink?.events.at(-1)?.event).toBe('done')
  })

  it('succeeds where its files can’t be removed, which the next sweep does', async () => {
    const { voice_id } = await enroll()
    vi.spyOn(node.services.voiceFiles, 'remove').mockRejectedValueOnce(new Error('read-only'))
    expect((await remove(voice_id)).status).toBe(200)
    expect(node.logLines).toContainEqual(expect.objectContaining({ voiceId: voice_id, reason: 'read-only' }))
    const isVoice = (id: string) => id === OWN_VOICE || node.ledger.voice(id) !== undefined
    expect(await node.services.voiceFiles.sweep(isVoice)).toBe(1)
    expect(await readdir(node.voiceFolder)).toEqual([OWN_VOICE])
  })

  it('makes room for another and lets the same recording come back', async () => {
    const form = () => enrollmentForm({ file: recording('2.75') })
    const first = await node.upload('/api/v1/voices', form(), { key: node.adminKey })
    await first.handled
    await remove(first.exchange.response?.json.data.voice_id)
    const second = await node.upload('/api/v1/voices', form(), { key: node.adminKey })
    await second.handled
    expect(second.exchange.response?.status).toBe(201)
  })
})

describe('VOICE_NOT_ALLOWED 403 is the answer', () => {
  it.each([
    ['a preset voice', PRESET_VOICE],
    ['another account’s voice', FOREIGN_VOICE],
    ['a missing one', 'voice_aaaaaaaaaaaaaaaaaaaa'],
    ['what is no id at all', '../../ledger'],
    ['a very long one', 'v'.repeat(3_000)],
  ])('to %s', async (_, voiceId) => {
    expect(await codeOf(voiceId)).toEqual([403, 'VOICE_NOT_ALLOWED'])
  })

  it('to a voice outside the key’s scope, which stays', async () => {
    const [own, other] = [await enroll(), await enroll()]
    const custom = await adminKey({ voiceScope: 'custom', voiceIds: [own.voice_id] })
    expect(await codeOf(other.voice_id, custom)).toEqual([403, 'VOICE_NOT_ALLOWED'])
    expect(node.ledger.voice(other.voice_id)?.name).toBe('Ada')
    expect((await remove(own.voice_id, custom)).status).toBe(200)
    expect((await remove(other.voice_id, await adminKey({ voiceScope: 'mine' }))).status).toBe(200)
  })

  it('to the key of another account', async () => {
    const { voice_id } = await enroll()
    const options = { name: 'Other', ttsQuota: null, sttQuota: null, interval: 'month', intervalCount: 1 } as const
    const other = await node.ledger.createAccount(options)
    const { plaintext } = await node.ledger.createKey({ accountId: other.id, kind: 'admin', name: 'Other' })
    expect(await codeOf(voice_id, plaintext)).toEqual([403, 'VOICE_NOT_ALLOWED'])
    expect(node.ledger.voice(voice_id)?.id).toBe(voice_id)
  })
})

describe('who may delete', () => {
  it('is not another kind of key, nobody, a key without audioUpload or a disabled account', async () => {
    const { voice_id, api_key } = await enroll()
    expect(await codeOf(voice_id, api_key.key)).toEqual([403, 'INVALID_API_KEY'])
    expect(await codeOf(voice_id, node.sttKey)).toEqual([403, 'INVALID_API_KEY'])
    expect(await codeOf(voice_id, null)).toEqual([401, 'INVALID_API_KEY'])
    expect(await codeOf(voice_id, await adminKey({ audioUpload: false }))).toEqual([403, 'PERMISSION_DENIED'])
    await node.ledger.setAccount(node.accountId, { disabled: true })
    expect(await codeOf(voice_id)).toEqual([401, 'INVALID_API_KEY'])
    expect(node.ledger.voice(voice_id)?.id).toBe(voice_id)
  })

  it('is a key whose speaking is switched off', async () => {
    const { voice_id } = await enroll()
    const quiet = await adminKey({ endpoints: { tts: false, stt: false } })
    expect((await remove(voice_id, quiet)).status).toBe(200)
  })
})
