import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import type { ChargeOutcome } from '../../src/ledger/ledger.ts'
import { QUOTA, TestNode } from './test-node.ts'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

const SPEAKING = ['/api/v1/tts/generate', '/api/v1/tts/bytes', '/api/v1/tts/sse']

describe('a debit', () => {
  it.each(SPEAKING)(
    'of %s is on disk before the engine starts and before anything is answered (promise 1)',
    async (path) => {
      let onDisk = (_: ChargeOutcome) => {}
      const charge = vi.spyOn(node.ledger, 'charge').mockReturnValue(
        new Promise((resolve) => {
          onDisk = resolve
        }),
      )
      const { exchange, handled } = node.begin('POST', path, { text: 'Hello' })
      await expect.poll(() => charge.mock.calls.length).toBe(1)
      expect([exchange.response, node.synthesizer.requests]).toEqual([undefined, []])
      onDisk({ status: 'charged' })
      await handled
      expect([exchange.response?.status, node.synthesizer.requests.length]).toEqual([200, 1])
    },
  )

  it.each(SPEAKING)('of %s that the disk refuses is INTERNAL_ERROR, and nothing is spoken', async (path) => {
    vi.spyOn(node.ledger, 'charge').mockRejectedValue(new Error('ENOSPC'))
    const response = await node.post(path, { text: 'Hello' })
    expect([response.status, response.json.error.code]).toEqual([500, 'INTERNAL_ERROR'])
    expect([node.synthesizer.requests, node.admission.held]).toEqual([[], 0])
  })

  it.each([
    ['key_credit_exceeded', 403, 'KEY_CREDIT_EXCEEDED'],
    ['quota_exceeded', 403, 'QUOTA_EXCEEDED'],
    ['not_found', 404, 'NOT_FOUND'],
  ] as const)('refused as %s is %i %s everywhere', async (status, httpStatus, code) => {
    vi.spyOn(node.ledger, 'charge').mockResolvedValue({ status })
    vi.spyOn(node.ledger, 'issueToken').mockResolvedValue({ status })
    for (const path of [...SPEAKING, '/api/v1/tts/stream-token']) {
      const response = await node.post(path, { text: 'Hello', text_length: 5 })
      expect([path, response.status, response.json.error.code]).toEqual([path, httpStatus, code])
    }
    expect([node.synthesizer.requests, node.admission.held]).toEqual([[], 0])
  })

  it('never lets requests that come together pass the allowance (promise 3)', async () => {
    const text = 'x'.repeat(QUOTA / 10)
    const responses = await Promise.all(Array.from({ length: 25 }, () => node.post('/api/v1/tts/bytes', { text })))
    const statuses = responses.map(({ status }) => status)
    expect([statuses.filter((status) => status === 200).length, node.charged]).toEqual([10, QUOTA])
    expect(new Set(statuses)).toEqual(new Set([200, 403]))
  })

  it('adds up with the postings (promise 4)', async () => {
    await node.post('/api/v1/tts/bytes', { text: 'Hello' })
    await node.post('/api/v1/tts/stream-token', { text_length: 70 })
    const refused = await node.post('/api/v1/tts/generate', { text: ' ' })
    expect(refused.status).toBe(400)
    expect(node.charged).toBe(75)
    expect(node.ledger.verify()).toMatchObject({ ok: true, postings: 2 })
  })
})
