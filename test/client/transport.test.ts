import { describe, expect, it } from 'vitest'
import { SyrinxError } from '../../src/client/syrinx-error.ts'
import { Transport } from '../../src/client/transport.ts'
import { ok, refusal, ScriptedService, TRANSCRIPT } from './scripted-service.ts'

const READ = { method: 'GET', path: '/api/v1/usage', repetition: 'repeatable' } as const
const CHARGED = {
  method: 'POST',
  path: '/api/v1/tts/bytes',
  json: { text: 'Hi.' },
  repetition: 'when_told',
} as const

/** A transport that waits no time, and the waits it would have made. */
function transportOver(service: ScriptedService, retriesMax = 3): { transport: Transport; waits: number[] } {
  const waits: number[] = []
  const transport = new Transport({
    baseUrl: 'http://node',
    apiKey: 'vc_sk_live_1',
    fetch: service.fetch,
    retriesMax,
    random: () => 0,
    pause: async (ms, signal) => {
      waits.push(ms)
      signal?.throwIfAborted()
    },
  })
  return { transport, waits }
}

async function failure(promise: Promise<unknown>): Promise<SyrinxError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (error instanceof SyrinxError) return error
  throw error ?? new Error('it did not fail')
}

describe('a call', () => {
  it('carries the key, and its body as JSON', async () => {
    const service = new ScriptedService(ok({ used: 1 }))
    expect(await transportOver(service).transport.data({ ...READ, method: 'POST', json: { a: 1 } })).toEqual({
      used: 1,
    })
    const [{ url, method, headers, body } = { headers: new Headers() }] = service.sent
    expect([url, method, body]).toEqual(['http://node/api/v1/usage', 'POST', { a: 1 }])
    expect(headers.get('authorization')).toBe('Bearer vc_sk_live_1')
    expect(headers.get('content-type')).toBe('application/json')
  })

  it('fails with everything the service told', async () => {
    const details = [{ field: 'name', rule: 'required', message: 'name is required' }]
    const error = { code: 'VALIDATION_FAILED', message: 'no', details }
    const answer = Response.json({ ok: false, error }, { status: 400, headers: { 'X-Request-Id': 'req_9' } })
    const told = await failure(transportOver(new ScriptedService(answer)).transport.data(READ))
    expect(told).toMatchObject({
      name: 'SyrinxError',
      code: 'VALIDATION_FAILED',
      status: 400,
      requestId: 'req_9',
      details,
    })
  })

  it('reads the recogniser’s errors, which have no `ok`, and the transcript that came with one', async () => {
    const body = { error: { code: 'stt_upstream_error', message: 'no' }, data: TRANSCRIPT }
    const told = await failure(
      transportOver(new ScriptedService(Response.json(body, { status: 400 }))).transport.data(READ),
    )
    expect(told).toMatchObject({ code: 'stt_upstream_error', transcript: TRANSCRIPT })
  })

  it('fails plainly where something else answers', async () => {
    for (const answer of [
      new Response('<html>', { status: 404 }),
      new Response('hello'),
      Response.json({ hello: 1 }),
    ]) {
      const told = await failure(transportOver(new ScriptedService(answer)).transport.data(READ))
      expect(told.code).toBe('UNEXPECTED_ANSWER')
    }
  })

  it('is repeated as long as it may be, and waits as it is told to', async () => {
    const service = new ScriptedService(
      refusal(503, 'BACKEND_ERROR', { 'Retry-After': '2' }),
      new TypeError('fetch failed'),
      refusal(502, 'BACKEND_ERROR'),
      ok({ used: 3 }),
    )
    const { transport, waits } = transportOver(service)
    expect(await transport.data(READ)).toEqual({ used: 3 })
    expect(waits).toEqual([2_125, 500, 1_000])
  })

  it('gives up after the last repetition, with the last error', async () => {
    const service = new ScriptedService(refusal(503, 'A'), refusal(503, 'B'), refusal(503, 'C'))
    expect((await failure(transportOver(service, 2).transport.data(READ))).code).toBe('C')
  })

  it('that could be charged twice is sent again after a 503 that says when, and after nothing else', async () => {
    for (const status of [500, 502, 503]) {
      const full = refusal(503, 'BACKEND_ERROR', { 'Retry-After': '1' })
      const refused = new ScriptedService(full, refusal(status, 'BACKEND_ERROR'), ok({}))
      expect((await failure(transportOver(refused).transport.data(CHARGED))).retryAfter).toBeUndefined()
      expect(refused.sent).toHaveLength(2)
    }
    const lost = new ScriptedService(new TypeError('fetch failed'), ok({}))
    expect((await failure(transportOver(lost).transport.data(CHARGED))).code).toBe('CONNECTION_FAILED')
    expect(lost.sent).toHaveLength(1)
  })

  it('ends with the reason of its signal, while it runs and while it waits', async () => {
    const controller = new AbortController()
    const service = new ScriptedService(refusal(503, 'BACKEND_ERROR'), ok({}))
    controller.abort(new Error('enough'))
    const call = { ...READ, signal: controller.signal }
    await expect(transportOver(service).transport.data(call)).rejects.toThrow('enough')
    await expect(transportOver(new ScriptedService(new TypeError('aborted'))).transport.data(call)).rejects.toThrow(
      'enough',
    )
  })
})
