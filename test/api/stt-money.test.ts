import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { waitFor } from '../wait-for.ts'
import { slowDebits } from './slow-debits.ts'
import { audioForm } from './stt-form.ts'
import { QUOTA, TestNode } from './test-node.ts'

const URL = '/api/v1/stt/transcriptions'
const STREAM = `${URL}?stream=true`
/** Three pieces of ten characters, joined by a space: 32 characters in all. */
const FILE = '1 -4 1 -4 1'
const TEXTS = ['0123456789', 'abcdefghij', 'ABCDEFGHIJ']

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
  node.recognizer.texts = TEXTS
  node.recognizer.language = 'en'
})
afterEach(async () => {
  expect(node.ledger.verify()).toMatchObject({ ok: true })
  await node.stop()
})

async function keyWith(creditLimit: number) {
  const { accountId } = node
  const { key, plaintext } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Test', creditLimit })
  return { plaintext, used: () => node.ledger.key(key.id)?.creditUsed }
}

async function send(url: string, key: string) {
  const { exchange, handled } = await node.upload(url, audioForm(FILE), { key })
  await handled
  return exchange
}

const codes = (lines: readonly { readonly type: string; readonly code?: string }[] = []) =>
  lines.map(({ type, code }) => code ?? type)

describe('a transcript', () => {
  it('costs the characters of its text, spaces between pieces included', async () => {
    const { plaintext, used } = await keyWith(100)
    const exchange = await send(URL, plaintext)
    expect(exchange.response?.json.data.text).toHaveLength(32)
    expect([used(), node.heard, node.charged]).toEqual([32, 32, 0])
    expect([...node.ledger.exportPostings()]).toMatchObject([
      { id: 'request_1.0', meter: 'stt', characters: 10 },
      { id: 'request_1.1', meter: 'stt', characters: 11 },
      { id: 'request_1.2', meter: 'stt', characters: 11 },
    ])
  })

  it('is paid for on disk before any of it is sent (promise 1)', async () => {
    const { charge, onDisk } = slowDebits(node.ledger)
    const { exchange, handled } = await node.upload(STREAM, audioForm(FILE))
    await expect.poll(() => charge.mock.calls.length).toBe(1)
    expect(codes(exchange.sink?.lines)).toEqual(['started'])
    onDisk()
    await handled
    expect(codes(exchange.sink?.lines)).toEqual(['started', 'chunk', 'chunk', 'chunk', 'final'])
  })

  it.each([
    [32, ['started', 'chunk', 'chunk', 'chunk', 'final'], 32],
    [31, ['started', 'chunk', 'chunk', 'chunk', 'KEY_CREDIT_EXCEEDED'], 31],
    [15, ['started', 'chunk', 'chunk', 'KEY_CREDIT_EXCEEDED'], 15],
    // Spent to the last character by the first piece: nothing is left for the second, which is therefore not delivered.
    [10, ['started', 'chunk', 'KEY_CREDIT_EXCEEDED'], 10],
    [1, ['started', 'chunk', 'KEY_CREDIT_EXCEEDED'], 1],
  ])('with %i characters left is %j in lines', async (left, expected, charged) => {
    const { plaintext, used } = await keyWith(left)
    expect(codes((await send(STREAM, plaintext)).sink?.lines)).toEqual(expected)
    expect([used(), node.heard]).toEqual([charged, charged])
    const again = await send(STREAM, plaintext)
    expect([again.response?.status, again.response?.json.error.code]).toEqual([403, 'KEY_CREDIT_EXCEEDED'])
  })

  it('that is cut in its last piece is answered whole', async () => {
    const { plaintext, used } = await keyWith(25)
    const { response } = await send(URL, plaintext)
    expect([response?.status, response?.json.data.text.length, used()]).toEqual([200, 32, 25])
  })

  it('that is cut earlier is answered with the reason and what was paid for', async () => {
    const { plaintext, used } = await keyWith(15)
    const { response } = await send(URL, plaintext)
    expect([response?.status, used()]).toEqual([403, 15])
    expect(response?.json).toMatchObject({
      ok: false,
      error: { code: 'KEY_CREDIT_EXCEEDED' },
      data: { text: '0123456789 abcdefghij', segments: [{ index: 0 }, { index: 1 }] },
    })
  })

  it('that the end of the drain cuts is answered with the reason and what was paid for', async () => {
    node.recognizer.pace = 'by_hand'
    const { exchange, handled } = await node.upload(URL, audioForm(FILE))
    await waitFor(() => node.recognizer.held === 3, 'its pieces')
    node.recognizer.release()
    await waitFor(() => node.heard > 0, 'its debit')
    node.lifecycle.stop()
    await handled
    expect([exchange.response?.status, node.heard]).toEqual([503, 10])
    // It would say that nothing was charged.
    expect(exchange.response?.headers).not.toHaveProperty('Retry-After')
    expect(exchange.response?.json).toMatchObject({
      error: { code: 'STT_UNAVAILABLE' },
      data: { text: '0123456789' },
    })
  })

  it('that the end of the drain cuts before any of it was charged may be asked for again', async () => {
    node.recognizer.texts = ['']
    node.recognizer.pace = 'by_hand'
    const { exchange, handled } = await node.upload(URL, audioForm(FILE))
    await waitFor(() => node.recognizer.held === 3, 'its pieces')
    node.recognizer.release()
    await waitFor(() => node.recognizer.running === 2, 'the piece without a word')
    node.lifecycle.stop()
    await handled
    expect([exchange.response?.status, node.heard]).toEqual([503, 0])
    expect(exchange.response?.headers).toMatchObject({ 'Retry-After': '10' })
    expect(exchange.response?.json).not.toHaveProperty('data')
  })

  it('whose recognition fails on the way is answered with the reason and what was paid for', async () => {
    node.recognizer.failsAt = 2
    const { response } = await send(URL, node.sttKey)
    expect([response?.status, node.heard]).toEqual([502, 21])
    expect(response?.json).toMatchObject({
      error: { code: 'stt_upstream_error' },
      data: { text: '0123456789 abcdefghij' },
    })
  })

  it('whose recognition fails at once costs nothing', async () => {
    node.recognizer.failsAt = 0
    const { response } = await send(URL, node.sttKey)
    expect([response?.status, response?.json.data, node.heard]).toEqual([502, undefined, 0])
  })

  it('that passes the account’s allowance ends with QUOTA_EXCEEDED', async () => {
    await node.ledger.setAccount(node.accountId, { sttQuota: 15 })
    expect(codes((await send(STREAM, node.sttKey)).sink?.lines)).toEqual([
      ...['started', 'chunk', 'chunk'],
      'QUOTA_EXCEEDED',
    ])
    expect(node.heard).toBe(15)
  })

  it('never takes an allowance past its end, however many come at once (promise 3)', async () => {
    await node.ledger.setAccount(node.accountId, { sttQuota: 100 })
    const exchanges = await Promise.all(Array.from({ length: 8 }, () => send(STREAM, node.sttKey)))
    expect(node.heard).toBe(100)
    // Three are paid for in full and a fourth in part; the others end with the reason.
    const ends = exchanges.map(({ sink, response }) => codes(sink?.lines).at(-1) ?? response?.json.error.code)
    expect(ends.filter((end) => end === 'final').length).toBeLessThanOrEqual(3)
    expect(new Set(ends)).toEqual(new Set(ends.includes('final') ? ['final', 'QUOTA_EXCEEDED'] : ['QUOTA_EXCEEDED']))
  })

  it('stops the work when it is no longer paid for', async () => {
    const { plaintext } = await keyWith(5)
    const { handled } = await node.upload(STREAM, audioForm(Array.from({ length: 20 }, () => '1 -4').join(' ')), {
      key: plaintext,
    })
    await handled
    expect(node.recognizer.segments.length).toBeLessThanOrEqual(4)
    expect([node.recognizer.running, node.admission.held, node.spool.usedBytes]).toEqual([0, 0, 0])
  })

  it('leaves the allowance for speech alone, which leaves that for transcripts alone', async () => {
    await send(URL, node.sttKey)
    await node.post('/api/v1/tts/bytes', { text: 'Hello' })
    expect([node.heard, node.charged, QUOTA]).toEqual([32, 5, 1_000])
  })
})
