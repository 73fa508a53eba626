import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { STT_ERRORS } from '../../src/api/error-codes.ts'
import { renderError } from '../../src/api/errors.ts'
import { FileTooLarge } from '../../src/api/form.ts'
import { sttTranscriptions } from '../../src/api/stt-transcriptions.ts'
import { DecoderBusy } from '../../src/audio/decoding.ts'
import { SpoolFull } from '../../src/runtime/spool.ts'
import { FakeExchange } from './fake-exchange.ts'
import { audioForm } from './stt-form.ts'
import { type CallOptions, TestNode } from './test-node.ts'

const URL = '/api/v1/stt/transcriptions'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(async () => {
  expect([node.admission.held, node.spool.usedBytes]).toEqual([0, 0])
  expect(await readdir(join(node.audioFolder, '..', 'spool'))).toEqual([])
  await node.stop()
})

const reached = new Set<string>()

/** Sends a form, expects a refusal in the envelope, and returns its status, code and headers. */
async function refusal(form: FormData, url = URL, options: CallOptions = {}) {
  const { exchange, handled } = await node.upload(url, form, options)
  await handled
  const { status = 0, headers = {}, json } = exchange.response ?? {}
  expect(exchange.formsOpen).toBe(0)
  expect(json).toEqual({ ok: false, error: { code: expect.any(String), message: expect.any(String) } })
  reached.add(json.error.code)
  return { status, code: json.error.code, message: json.error.message, headers }
}

const text = (name: string, value: string) => {
  const form = new FormData()
  form.append(name, value)
  return form
}

describe('an upload is refused', () => {
  it.each([
    ['without audio', new FormData(), URL, /audio is required/],
    ['with a field instead of a file', text('audio', 'la la la'), URL, /audio must be a file/],
    ['with an empty file', audioForm(''), URL, /audio must not be empty/],
    ['of an unknown language', audioForm('1', { language: 'Klingon' }), URL, /language must be/],
    ['of an empty language', audioForm('1', { language: '' }), URL, /language must be/],
    ['with an odd stream', audioForm(), `${URL}?stream=yes`, /stream must be true or false/],
    ['with odd word_timestamps', audioForm(), `${URL}?word_timestamps=1`, /word_timestamps must be true or false/],
  ])('%s: BAD_REQUEST, saying which field and which rule', async (_, form, url, message) => {
    expect(await refusal(form, url)).toMatchObject({ status: 400, code: 'BAD_REQUEST', message })
    expect([node.heard, node.decoder.calls]).toEqual([0, 0])
  })

  it('with two files: BAD_REQUEST', async () => {
    const form = audioForm()
    form.append('file', new File(['1'], 'again.wav'))
    expect(await refusal(form)).toMatchObject({ status: 400, code: 'BAD_REQUEST', message: /once/ })
  })

  it('that is no form: BAD_REQUEST', async () => {
    const options = { key: node.sttKey, headers: { 'content-type': 'application/json' } }
    const response = await node.post(URL, { audio: 'x' }, options)
    expect([response.status, response.json.error.code]).toEqual([400, 'BAD_REQUEST'])
  })

  it('for the key: INVALID_API_KEY, 401 when there is none that works and 403 for a wrong one (D2)', async () => {
    expect(await refusal(audioForm(), URL, { key: null })).toMatchObject({ status: 401, code: 'INVALID_API_KEY' })
    for (const key of [node.voiceKey, node.adminKey]) {
      expect(await refusal(audioForm(), URL, { key })).toMatchObject({ status: 403, code: 'INVALID_API_KEY' })
    }
    const { accountId } = node
    const { plaintext } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Live', scopes: ['stt.stream'] })
    expect(await refusal(audioForm(), URL, { key: plaintext })).toMatchObject({ status: 403, code: 'INVALID_API_KEY' })
    const other = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Gone' })
    await node.ledger.revokeKey(other.key.id)
    expect(await refusal(audioForm(), URL, { key: other.plaintext })).toMatchObject({
      status: 401,
      headers: { 'WWW-Authenticate': 'Bearer' },
    })
  })

  it('that is too large: FILE_TOO_LARGE', async () => {
    const form = vi
      .spyOn(FakeExchange.prototype, 'form')
      .mockRejectedValueOnce(new FileTooLarge('at most 104857600 bytes'))
    expect(await refusal(audioForm())).toMatchObject({
      status: 413,
      code: 'FILE_TOO_LARGE',
      message: /104857600 bytes/,
    })
    expect(form.mock.calls).toMatchObject([[{ files: ['audio', 'file'], fileBytesMax: 100 * 1024 * 1024 }]])
    form.mockRestore()
  })

  it('of an unknown format: unsupported_audio_format', async () => {
    expect(await refusal(audioForm('unsupported'))).toMatchObject({ status: 415, code: 'unsupported_audio_format' })
  })

  it.each([
    ['undecodable', /damaged/],
    ['too_long', /at most 1800 seconds/],
    ['0.1', /at least 0.2 seconds/],
  ])('whose audio is %s: bad_request', async (script, message) => {
    expect(await refusal(audioForm(script))).toMatchObject({ status: 400, code: 'bad_request', message })
    expect(node.heard).toBe(0)
  })

  it('by a node that has no recogniser: SERVICE_NOT_CONFIGURED', async () => {
    const route = sttTranscriptions({ ...node.services, transcriber: undefined })
    const request = { method: 'POST', url: URL, headers: { authorization: `Bearer ${node.sttKey}` } }
    const exchange = new FakeExchange('request_1', request)
    await Promise.resolve(route.handle(exchange)).catch((error) => renderError(error, exchange, node.services.log))
    expect([exchange.response?.status, exchange.response?.json.error.code]).toEqual([503, 'SERVICE_NOT_CONFIGURED'])
    reached.add(exchange.response?.json.error.code)
  })

  it('in a language that the model does not know: model_not_ready (D7)', async () => {
    node.recognizer.unknownLanguage = 'mk'
    const form = audioForm('1', { language: 'Macedonian' })
    expect(await refusal(form)).toMatchObject({ status: 503, code: 'model_not_ready', message: /another model/ })
    expect((await refusal(audioForm('1', { language: 'auto' }))).code).toBe('model_not_ready')
  })

  it('while the models load: model_not_ready, with Retry-After', async () => {
    node.lifecycle.ready = false
    const { status, code, headers } = await refusal(audioForm())
    expect([status, code, headers['Retry-After']]).toEqual([503, 'model_not_ready', '5'])
  })

  it('by a full node: STT_UNAVAILABLE with Retry-After, before the upload and before any money (D6)', async () => {
    node.admission.full = true
    const { status, code, headers } = await refusal(audioForm())
    expect([status, code, headers['Retry-After']]).toEqual([503, 'STT_UNAVAILABLE', '3'])
    expect([node.decoder.calls, node.heard]).toEqual([0, 0])
  })

  it('by a node that filled up meanwhile: STT_UNAVAILABLE, before any money', async () => {
    const admit = node.admission.admit.bind(node.admission)
    vi.spyOn(node.admission, 'admit').mockImplementation((work) => {
      const outcome = admit(work)
      node.admission.full = true
      return outcome
    })
    expect((await refusal(audioForm())).code).toBe('STT_UNAVAILABLE')
    expect([node.recognizer.segments, node.heard]).toEqual([[], 0])
  })

  it('by a node that shuts down: STT_UNAVAILABLE', async () => {
    node.lifecycle.draining = true
    expect(await refusal(audioForm())).toMatchObject({ status: 503, code: 'STT_UNAVAILABLE' })
  })

  it('by a node that ends meanwhile: STT_UNAVAILABLE', async () => {
    node.recognizer.pace = 'by_hand'
    const { exchange, handled } = await node.upload(URL, audioForm())
    await expect.poll(() => node.recognizer.held).toBe(1)
    node.lifecycle.stop()
    await handled
    expect([exchange.response?.status, exchange.response?.json.error.code]).toEqual([503, 'STT_UNAVAILABLE'])
  })

  it.each([new DecoderBusy('64 files wait'), new SpoolFull('4 GB')])(
    'when there is no room (%s): STT_UNAVAILABLE with Retry-After',
    async (failure) => {
      node.decoder.failure = failure
      const { code, headers } = await refusal(audioForm())
      expect([code, headers['Retry-After']]).toEqual(['STT_UNAVAILABLE', '10'])
    },
  )

  it('when the recogniser fails: stt_upstream_error, and the fault is logged', async () => {
    node.recognizer.failsAt = 0
    expect(await refusal(audioForm())).toMatchObject({ status: 502, code: 'stt_upstream_error' })
    expect(node.logLines).toContainEqual(expect.objectContaining({ requestId: 'request_1', reason: 'tensor 7' }))
    expect(JSON.stringify(node.logLines)).toContain('tensor 7')
  })

  it('for a fault before the audio is looked at: INTERNAL_ERROR', async () => {
    vi.spyOn(node.recognizer, 'canRecognize').mockImplementation(() => {
      throw new TypeError('x is not a function')
    })
    expect(await refusal(audioForm())).toMatchObject({ status: 500, code: 'INTERNAL_ERROR' })
    expect(node.logLines).toContainEqual(expect.objectContaining({ reason: 'x is not a function' }))
  })

  it.each(['decoder', 'recogniser', 'ledger'])('for a fault of the %s after that: internal_error', async (place) => {
    const fault = new TypeError('x is not a function')
    if (place === 'decoder') node.decoder.failure = fault
    if (place === 'recogniser') [node.recognizer.failsAt, node.recognizer.failure] = [0, fault]
    if (place === 'ledger') vi.spyOn(node.ledger, 'chargeUpTo').mockRejectedValue(fault)
    expect(await refusal(audioForm())).toMatchObject({ status: 500, code: 'internal_error' })
    expect(node.logLines).toContainEqual(expect.objectContaining({ reason: 'x is not a function' }))
  })

  it('of a key that was revoked or expired meanwhile: unauthorized, FORBIDDEN', async () => {
    const { accountId, clock } = node
    const expiresAt = clock.now() + 1_000
    const { key, plaintext } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Short', expiresAt })
    const { form } = FakeExchange.prototype
    const spy = vi.spyOn(FakeExchange.prototype, 'form').mockImplementation(function (this: FakeExchange, rules) {
      clock.jump(2_000)
      return form.call(this, rules)
    })
    expect(await refusal(audioForm(), URL, { key: plaintext })).toMatchObject({ status: 403, code: 'FORBIDDEN' })
    spy.mockRestore()

    node.recognizer.pace = 'by_hand'
    const { plaintext: other, key: otherKey } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Other' })
    const { exchange, handled } = await node.upload(URL, audioForm(), { key: other })
    await expect.poll(() => node.recognizer.held).toBe(1)
    await node.ledger.revokeKey(otherKey.id)
    node.recognizer.release()
    await handled
    expect([exchange.response?.status, exchange.response?.json.error.code]).toEqual([401, 'unauthorized'])
    reached.add('unauthorized')
    expect([node.heard, node.ledger.key(key.id)?.creditUsed]).toEqual([0, 0])
  })

  it('without allowance, before it is uploaded: KEY_CREDIT_EXCEEDED or QUOTA_EXCEEDED (D16)', async () => {
    const { accountId } = node
    const { key, plaintext } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Small', creditLimit: 3 })
    await node.ledger.charge({ id: 'before', keyId: key.id, meter: 'stt', characters: 3 })
    const spent = await refusal(audioForm(), URL, { key: plaintext })
    expect(spent).toMatchObject({ status: 403, code: 'KEY_CREDIT_EXCEEDED' })
    await node.ledger.setAccount(accountId, { sttQuota: 3 })
    expect(await refusal(audioForm())).toMatchObject({ status: 403, code: 'QUOTA_EXCEEDED' })
    expect(node.decoder.calls).toBe(0)
  })

  it('with every code of the contract’s table', () => {
    expect([...reached].sort()).toEqual(Object.keys(STT_ERRORS).sort())
  })
})
