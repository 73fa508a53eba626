import { describe, expect, it } from 'vitest'
import { badRequest, methodNotAllowed, notFound, overloaded, overloadedEvent } from '../../src/api/edge-errors.ts'
import { type ErrorRow, isRetryable, STT_ERRORS, TTS_ERRORS } from '../../src/api/error-codes.ts'
import { ApiError, renderError } from '../../src/api/errors.ts'
import { BodyTooLarge, ClientGone } from '../../src/api/exchange.ts'
import { silentLog } from '../../src/runtime/log.ts'
import { SynthesisFailed } from '../../src/speech/synthesis.ts'
import { contractSection } from '../contract.ts'
import { FakeExchange } from './fake-exchange.ts'

/** Rows of a table of codes in the contract: code → statuses; one row may name several codes, one code several rows. */
function contractCodes(heading: string): Record<string, string> {
  const codes: Record<string, string> = {}
  for (const line of contractSection(heading).split('\n')) {
    const [, names = '', statuses = ''] = line.split('|').map((cell) => cell.trim())
    if (!/^[A-Za-z_, ]+$/.test(names) || names === 'Code') continue
    for (const name of names.split(', ')) codes[name] = [codes[name], statuses].filter(Boolean).join(' or ')
  }
  return codes
}

/** A row of ours as the contract would write it. */
function asWritten({ statuses }: ErrorRow): string {
  if (statuses.length === 0) return 'in-stream'
  const families = new Set(statuses.map((status) => Math.floor(status / 100)))
  return families.size > 1 ? '4xx or 5xx' : statuses.join(' or ')
}

describe('the tables of codes', () => {
  it.each([
    ['TTS, voice and key codes', TTS_ERRORS, 21],
    ['STT codes', STT_ERRORS, 15],
  ])('hold exactly the contract’s %s, each with its statuses', (heading, table, count) => {
    const contract = contractCodes(heading)
    expect(Object.keys(contract)).toHaveLength(count)
    const ours = Object.entries<ErrorRow>(table).map(([code, row]) => [code, asWritten(row)])
    expect(Object.fromEntries(ours)).toEqual(contract)
  })

  it('add only the statuses the decisions name: 405 (D3), 409 (D17) and 416 (D25)', () => {
    const added = [TTS_ERRORS, STT_ERRORS].flatMap((table) =>
      Object.entries<ErrorRow>(table).flatMap(([code, row]) => (row.added ? [[code, row.added]] : [])),
    )
    expect(added).toEqual([['BAD_REQUEST', [405, 409, 416]]])
  })

  it('tell to retry only 500, 502 and 503', () => {
    const statuses = [TTS_ERRORS, STT_ERRORS].flatMap((table) =>
      Object.values<ErrorRow>(table).flatMap((row) => row.statuses),
    )
    expect([...new Set(statuses.filter(isRetryable))].sort()).toEqual([500, 502, 503])
  })

  it('never let a code out with another status', () => {
    expect(() => new ApiError('QUOTA_EXCEEDED', 'no', { status: 402 })).toThrow(RangeError)
  })
})

describe('the edge', () => {
  const render = (error: unknown) => {
    const exchange = new FakeExchange('request_1', { method: 'GET', url: '/' })
    renderError(error, exchange, silentLog)
    return exchange.response
  }
  const details = [{ field: 'name', rule: 'max_length', message: 'name must be at most 64 characters' }]

  it.each([
    ['an API error', new ApiError('VOICE_ID_REQUIRED', 'say which'), 400, 'VOICE_ID_REQUIRED', 'say which'],
    ['a body over the limit', new BodyTooLarge('body must be at most 65536 bytes'), 400, 'BAD_REQUEST', /65536/],
    ['an engine that failed', new SynthesisFailed('tensor 7'), 500, 'BACKEND_ERROR', 'speech could not be generated'],
    ['a fault', new TypeError('x is not a function'), 500, 'INTERNAL_ERROR', 'the request could not be served'],
    ['a thrown string', 'oops', 500, 'INTERNAL_ERROR', 'the request could not be served'],
    ['an unknown path (D3)', notFound(), 404, 'NOT_FOUND', /path/],
    ['a wrong method (D3)', methodNotAllowed(['GET']), 405, 'BAD_REQUEST', /method/],
    ['a malformed request', badRequest('the path must be UTF-8'), 400, 'BAD_REQUEST', /UTF-8/],
    ['too many connections (D6)', overloaded(), 503, 'BACKEND_ERROR', /room/],
  ])('answers %s in the envelope', (_, error, status, code, message) => {
    const response = render(error)
    expect(response?.status).toBe(status)
    expect(response?.headers['Content-Type']).toBe('application/json; charset=utf-8')
    const expected = typeof message === 'string' ? message : expect.stringMatching(message)
    expect(response?.json).toEqual({ ok: false, error: { code, message: expected } })
  })

  it('sends the headers an error carries', () => {
    expect(render(methodNotAllowed(['GET', 'HEAD']))?.headers).toMatchObject({ Allow: 'GET, HEAD' })
    expect(render(overloaded())?.headers['Retry-After']).toMatch(/^\d+$/)
  })

  it('sends the failed fields of an enrollment as details (D4)', () => {
    const response = render(new ApiError('VALIDATION_FAILED', 'a field is invalid', { details }))
    expect(response?.json.error.details).toEqual(details)
  })

  it('tells a client that has gone nothing', () => {
    expect(render(new ClientGone())).toBeUndefined()
  })

  it('logs a fault with its request and what caused it, and a refusal not at all', () => {
    const lines: object[] = []
    const log = { ...silentLog, error: (fields: object) => void lines.push(fields) }
    const exchange = new FakeExchange('request_9', { method: 'GET', url: '/' })
    renderError(new ApiError('BAD_REQUEST', 'no'), exchange, log)
    expect(lines).toEqual([])
    renderError(new TypeError('inside'), exchange, log)
    renderError(new SynthesisFailed('no speech', { cause: new RangeError('tensor 7') }), exchange, log)
    expect(lines).toMatchObject([
      { requestId: 'request_9', error: 'TypeError', reason: 'inside' },
      { reason: 'no speech', cause: { error: 'RangeError', reason: 'tensor 7' } },
    ])
  })

  it('has an event for a socket there is no room for (D6, D24)', () => {
    expect(JSON.parse(overloadedEvent('/api/public/v1/stt/ws'))).toMatchObject({ code: 'STT_UNAVAILABLE' })
    expect(render(overloaded('/api/v1/stt/transcriptions'))?.json.error.code).toBe('STT_UNAVAILABLE')
    expect(JSON.parse(overloadedEvent('/ws/tts/stream'))).toEqual({
      type: 'error',
      code: 'BACKEND_ERROR',
      message: expect.stringMatching(/room/),
    })
  })
})
