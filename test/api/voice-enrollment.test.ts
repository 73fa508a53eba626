import { createHash } from 'node:crypto'
import { getEventListeners } from 'node:events'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { VoiceFiles } from '../../src/api/voice-files.ts'
import { DecoderBusy } from '../../src/audio/decoding.ts'
import type { Permissions } from '../../src/ledger/ledger.ts'
import { StoreFailed } from '../../src/ledger/store.ts'
import { systemDisk } from '../../src/runtime/disk.ts'
import { SpoolFull } from '../../src/runtime/spool.ts'
import { UnfitReference } from '../../src/speech/voice-fitting.ts'
import { scriptedState } from '../scripted-fitter.ts'
import { waitFor } from '../wait-for.ts'
import { type CallOptions, FOREIGN_VOICE, OWN_VOICE, TestNode } from './test-node.ts'
import { type EnrollmentChanges, enrollmentForm, recording } from './voice-form.ts'

const URL = '/api/v1/voices'

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(async () => {
  vi.restoreAllMocks()
  await refined()
  // Whatever happened: nothing is held, and each folder has its voice.
  expect([node.admission.held, node.spool.usedBytes]).toEqual([0, 0])
  expect(getEventListeners(node.lifecycle.stopped, 'abort')).toEqual([])
  const enrolled = node.ledger.voicesOf(node.accountId).map(({ id }) => id)
  expect((await readdir(node.voiceFolder)).sort()).toEqual([OWN_VOICE, ...enrolled].sort())
  await node.stop()
})

const refined = () => waitFor(() => node.refiner.count === 0, 'all voices to be refined')

async function begin(form: FormData = enrollmentForm(), options: CallOptions = {}) {
  return node.upload(URL, form, { key: node.adminKey, ...options })
}

async function enroll(changes: EnrollmentChanges = {}, options: CallOptions = {}) {
  const { exchange, handled } = await begin(enrollmentForm(changes), options)
  await handled
  expect(exchange.formsOpen).toBe(0)
  if (exchange.response === undefined) throw new Error('no answer')
  return exchange.response
}

/** [status, code] and whatever else is of interest. */
async function refusal(changes: EnrollmentChanges = {}, options: CallOptions = {}) {
  const { status, json, headers } = await enroll(changes, options)
  expect(json.ok).toBe(false)
  const { code, message, details } = json.error
  return { status, code, message, details, headers }
}

const adminKey = async (permissions: Partial<Permissions>) => {
  const all = { endpoints: { tts: true, stt: true }, audioUpload: true, keyManagement: true } as const
  const whole: Permissions = { ...all, voiceScope: 'all', voiceIds: [], ...permissions }
  const options = { accountId: node.accountId, kind: 'admin', name: 'Narrow', permissions: whole } as const
  return node.ledger.createKey(options)
}

describe('a new voice', () => {
  it('is answered with 201, every field of the contract, and its key in plain text', async () => {
    const file = recording('2 -1 1.5', 'my voice.M4A', 'application/octet-stream')
    const { status, json, headers } = await enroll({ file, name: ' Ada L. ', description: 'calm', gender: 'other' })
    expect([status, headers['Cache-Control']]).toEqual([201, 'no-store'])
    expect(json).toEqual({
      ok: true,
      data: {
        voice_id: expect.stringMatching(/^voice_[a-z2-7]{20}$/),
        name: ' Ada L. ',
        status: 'ready',
        deduped: false,
        gender: 'other',
        description: 'calm',
        file_name: 'my voice.M4A',
        file_size: 8,
        created_at: '2026-05-20T12:00:00.000Z',
        key_status: 'created',
        api_key: {
          key: expect.stringMatching(/^vc_sk_live_[0-9A-Za-z]{43}$/),
          last_four: json.data.api_key.key.slice(-4),
          scopes: ['tts.generate', 'tts.stream', 'usage.read'],
        },
      },
    })
    expect(Object.keys(json.data)).toEqual([
      ...['voice_id', 'name', 'status', 'deduped', 'gender', 'description', 'file_name', 'file_size', 'created_at'],
      ...['key_status', 'api_key'],
    ])
  })

  it('is female and without a description unless it is said otherwise', async () => {
    expect((await enroll()).json.data).toMatchObject({ gender: 'female', description: '' })
  })

  it('keeps the recording as it came, the features, and who consented to what (D23)', async () => {
    const { voice_id } = (await enroll({ file: recording('3') })).json.data
    const folder = join(node.voiceFolder, voice_id)
    expect((await readdir(folder)).sort()).toEqual(['features', 'reference'])
    expect(await readFile(join(folder, 'reference'), 'utf8')).toBe('3')
    await refined()
    expect(scriptedState((await node.services.voiceFiles.load(voice_id))!)).toBe('refined')
    expect(node.fitter.heard).toEqual([3])
    expect(node.ledger.consentsOf(node.accountId)).toEqual([
      {
        voiceId: voice_id,
        accountId: node.accountId,
        keyId: node.ledger.findKey(node.adminKey)?.id,
        sha256: createHash('sha256').update('3').digest('hex'),
        at: node.clock.now(),
        voiceDeletedAt: null,
      },
    ])
  })

  it('speaks at once, by its own key and by the account key that names it', async () => {
    const { voice_id, api_key } = (await enroll()).json.data
    const own = await node.post('/api/v1/tts/bytes', { text: 'Hello', format: 'wav' }, { key: api_key.key })
    const named = await node.post('/api/v1/tts/sse', { text: 'Hello', voice_id }, { key: node.adminKey })
    expect([own.status, named.status]).toEqual([200, 200])
    expect(node.synthesizer.requests.map(({ voiceId }) => voiceId)).toEqual([voice_id, voice_id])
  })

  it('shows in the key list with its key, and not to a key whose scope leaves it out', async () => {
    const { voice_id } = (await enroll({ name: 'Grace' })).json.data
    const list = async (key: string) => {
      const { json } = await node.call('GET', '/api/v1/keys', undefined, { key })
      return json.data.keys.tts.map((entry: { voice_id: string; name: string }) => [entry.voice_id, entry.name])
    }
    const narrow = await adminKey({ voiceScope: 'custom', voiceIds: [OWN_VOICE] })
    const wide = await adminKey({ voiceScope: 'custom', voiceIds: [voice_id] })
    const mine = await adminKey({ voiceScope: 'mine' })
    expect(await list(node.adminKey)).toContainEqual([voice_id, 'Grace'])
    expect(await list(narrow.plaintext)).toEqual([])
    expect(await list(wide.plaintext)).toEqual([[voice_id, 'Grace']])
    expect(await list(mine.plaintext)).toEqual([[voice_id, 'Grace']])
  })

  it('may be enrolled by a key that may do nothing else', async () => {
    const narrow = await adminKey({
      ...{ endpoints: { tts: false, stt: false }, keyManagement: false },
      ...{ voiceScope: 'custom', voiceIds: [FOREIGN_VOICE] },
    })
    expect((await enroll({}, { key: narrow.plaintext })).status).toBe(201)
  })

  it('leaves no secret and no content in the log', async () => {
    const { api_key } = (await enroll({ file: recording('4.125'), name: 'Grace', description: 'secret tone' })).json
      .data
    const log = JSON.stringify(node.logLines)
    for (const secret of [api_key.key, node.adminKey, 'Grace', 'secret tone', '4.125'])
      expect(log).not.toContain(secret)
  })
})

describe('the fields of an enrollment', () => {
  it('are all told at once, in the contract’s order (D4)', async () => {
    const changes = { file: undefined, name: ' ', consent: 'yes', gender: 'robot', description: 'x'.repeat(2_001) }
    expect(await refusal(changes)).toMatchObject({
      status: 400,
      code: 'VALIDATION_FAILED',
      details: [
        { field: 'file', rule: 'required', message: 'file is required' },
        { field: 'name', rule: 'not_empty', message: 'name must not be empty' },
        { field: 'consent', rule: 'accepted', message: 'consent must be true' },
        { field: 'description', rule: 'max_length', message: 'description must be at most 2000 characters' },
        { field: 'gender', rule: 'one_of', message: 'gender must be male, female or other' },
      ],
    })
  })

  it.each<[string, EnrollmentChanges, string, string, string | RegExp]>([
    ['no recording', { file: undefined }, 'file', 'required', 'file is required'],
    ['text for a recording', { file: 'la la' }, 'file', 'file', 'file must be a file: a part with a file name'],
    ['an empty recording', { file: recording('') }, 'file', 'not_empty', 'file must not be empty'],
    ['a picture', { file: recording('1', 'me.png', 'image/png') }, 'file', 'audio_type', /audio\/.* m4a, .* m4b/],
    ['a video type', { file: recording('1', 'me.mov', 'video/mp4') }, 'file', 'audio_type', /audio\//],
    ['no name', { name: undefined }, 'name', 'required', 'name is required'],
    ['an empty name', { name: '' }, 'name', 'not_empty', 'name must not be empty'],
    ['a blank name', { name: ' \t\n' }, 'name', 'not_empty', 'name must not be empty'],
    ['a long name', { name: 'x'.repeat(65) }, 'name', 'max_length', 'name must be at most 64 characters'],
    ['no consent', { consent: undefined }, 'consent', 'required', 'consent is required'],
    ...['false', 'True', 'TRUE', '1', 'true ', ''].map(
      (consent): [string, EnrollmentChanges, string, string, string] => [
        ...([`the consent ${JSON.stringify(consent)}`, { consent }] as const),
        ...(['consent', 'accepted', 'consent must be true'] as const),
      ],
    ),
    ['an unknown gender', { gender: 'Female' }, 'gender', 'one_of', 'gender must be male, female or other'],
    ['an empty gender', { gender: '' }, 'gender', 'one_of', 'gender must be male, female or other'],
  ])('refuse %s', async (_, changes, field, rule, message) => {
    const { status, code, details } = await refusal(changes)
    const told = typeof message === 'string' ? message : expect.stringMatching(message)
    expect([status, code, details]).toEqual([400, 'VALIDATION_FAILED', [{ field, rule, message: told }]])
    expect(node.decoder.calls).toBe(0)
  })

  it.each<[string, EnrollmentChanges]>([
    ['a name of 64 characters', { name: 'x'.repeat(64) }],
    ['an empty description', { description: '' }],
    ['a description of 2000 characters', { description: 'x'.repeat(2_000) }],
    ['a field that means nothing', { colour: 'blue' }],
    ['any audio type, whatever the name', { file: recording('2', 'voice.bin', 'AUDIO/x-thing') }],
  ])('take %s', async (_, changes) => {
    expect((await enroll(changes)).status).toBe(201)
  })

  it('take every extension of the contract, in any case, whatever the type', async () => {
    const extensions = ['m4a', 'mp3', 'wav', 'wave', 'aac', 'ogg', 'oga', 'opus', 'flac', 'weba', 'aif', 'aiff', 'aifc']
    for (const extension of [...extensions, 'caf', 'wma', 'amr', 'mp4', 'm4b', 'WAV', 'Mp3']) {
      node.clock.advance(60_000)
      // The second time on, the recording is known: extensions come before that.
      const file = recording('2', `voice.${extension}`, 'application/octet-stream')
      expect([extension, (await enroll({ file })).status]).toEqual([extension, extension === 'm4a' ? 201 : 200])
    }
  })

  it('count 10 MiB as 10 MiB', async () => {
    const bytes = 10 * 1024 * 1024
    expect((await enroll({ file: recording('2'.padEnd(bytes)) })).json.data.file_size).toBe(bytes)
    expect((await refusal({ file: recording('2'.padEnd(bytes + 1)) })).details).toEqual([
      { field: 'file', rule: 'max_size', message: 'file must be at most 10485760 bytes' },
    ])
  })

  it('must come as a form: else BAD_REQUEST', async () => {
    const response = await node.post(URL, { name: 'Ada', consent: 'true' }, { key: node.adminKey })
    expect([response.status, response.json.error.code]).toEqual([400, 'BAD_REQUEST'])
  })
})

describe('a recording that is of no use', () => {
  it.each([
    ['of no known format', 'unsupported', 'audio_format', /^file cannot be read: the container/],
    ['that is broken', 'undecodable', 'decodable', /^file cannot be read: the audio is damaged/],
    ['under a second', '0.9', 'min_duration', 'file must last at least 1 second'],
    ['that is silent', '-3', 'not_silent', 'file must not be silent'],
  ])('%s is VALIDATION_FAILED (D22)', async (_, script, rule, message) => {
    const { status, code, details } = await refusal({ file: recording(script) })
    const told = typeof message === 'string' ? message : expect.stringMatching(message)
    expect([status, code, details]).toEqual([400, 'VALIDATION_FAILED', [{ field: 'file', rule, message: told }]])
    expect(node.ledger.voicesOf(node.accountId)).toEqual([])
  })

  it('in the fitter’s view is VALIDATION_FAILED with its rule', async () => {
    node.fitter.failure = new UnfitReference('speech_min', 'must hold more speech than noise')
    expect(await refusal()).toMatchObject({
      ...{ status: 400, code: 'VALIDATION_FAILED' },
      details: [{ field: 'file', rule: 'speech_min', message: 'file must hold more speech than noise' }],
    })
  })
})

describe('an enrollment is ENROLLMENT_FAILED 503', () => {
  const failed = async () => {
    const { status, code, message, headers } = await refusal()
    expect([status, code, node.ledger.voicesOf(node.accountId)]).toEqual([503, 'ENROLLMENT_FAILED', []])
    return { message, retryAfter: headers['Retry-After'] }
  }

  it('with a word on how to get one, where no engine learns voices', async () => {
    Object.assign(node.services, { voiceLearner: undefined })
    expect(await failed()).toEqual({ message: expect.stringMatching(/models pull/), retryAfter: undefined })
  })

  it('with Retry-After, where the node is full, and it is asked as the work it is (D6)', async () => {
    node.admission.full = true
    expect(await failed()).toEqual({ message: expect.stringMatching(/capacity/), retryAfter: '3' })
    expect(node.admission.asked).toEqual([{ pace: 'fitting' }])
    expect(node.decoder.calls).toBe(0)
  })

  it.each([
    ['loads its models', { ready: false }, /loading/],
    ['shuts down', { draining: true }, /shutting down/],
  ])('with Retry-After, while the node %s', async (_, state, message) => {
    Object.assign(node.lifecycle, state)
    expect(await failed()).toEqual({ message: expect.stringMatching(message), retryAfter: expect.any(String) })
  })

  it.each([
    ['too many files wait to be decoded', () => new DecoderBusy('64 wait')],
    ['the spool is full', () => new SpoolFull('4 GiB')],
    ['the decoder dies', () => new Error('thread 7 ended')],
  ])('where %s', async (_, error) => {
    node.decoder.failure = error()
    const { message, retryAfter } = await failed()
    expect(retryAfter).toBe('10')
    expect(message).not.toMatch(/64|4 GiB|thread/)
  })

  it('where the fitter fails, and says no more than that', async () => {
    node.fitter.failure = new Error('tensor 7')
    expect(await failed()).toEqual({ message: 'the voice could not be enrolled', retryAfter: '10' })
    expect(node.logLines).toContainEqual(expect.objectContaining({ message: 'enrollment failed', reason: 'tensor 7' }))
  })

  it('where the ledger cannot be written', async () => {
    vi.spyOn(node.ledger, 'enrollVoice').mockRejectedValue(new StoreFailed('disk'))
    await failed()
  })

  it('when the time to drain is over', async () => {
    node.fitter.gate = Promise.resolve().then(() => node.lifecycle.stop())
    expect((await failed()).message).toMatch(/shutting down/)
  })
})

describe('a disk that fails', () => {
  it.each(['makeFolder', 'copy', 'write', 'syncFolder', 'rename'] as const)('to %s leaves no voice', async (step) => {
    const disk = { ...systemDisk }
    const voiceFiles = await VoiceFiles.open(node.voiceFolder, disk)
    Object.assign(node.services, { voiceFiles })
    disk[step] = async () => {
      throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
    }
    expect(await refusal()).toMatchObject({ status: 503, code: 'ENROLLMENT_FAILED' })
    expect(node.ledger.voicesOf(node.accountId)).toEqual([])
  })
})

describe('the same recording again', () => {
  const file = () => recording('2.5')

  it('answers 200 with the voice there is, and tells no secret twice', async () => {
    const first = (await enroll({ file: file(), name: 'First', description: 'one' })).json.data
    node.clock.advance(5_000)
    const again = await enroll({ file: recording('2.5', 'other.mp3'), name: 'Second', gender: 'male' })
    expect([again.status, again.json.data]).toEqual([
      200,
      { ...first, deduped: true, key_status: 'exists', api_key: null },
    ])
    expect(node.fitter.heard).toHaveLength(1)
  })

  it.each(['revoked', 'expired', 'removed with the voice'])('brings a new key when the old is %s', async (how) => {
    const first = (await enroll({ file: file() })).json.data
    const old = node.ledger.findKey(first.api_key.key)
    const bound = { accountId: node.accountId, kind: 'voice', name: 'Short', voiceId: first.voice_id } as const
    if (how === 'expired') await node.ledger.createKey({ ...bound, expiresAt: node.clock.now() + 60_000 })
    if (how === 'removed with the voice') await node.ledger.deleteVoice(first.voice_id, node.accountId)
    else await node.ledger.revokeKey(old?.id ?? '')
    if (how === 'removed with the voice') await node.services.voiceFiles.remove(first.voice_id)
    node.clock.advance(60_000)
    const { status, json } = await enroll({ file: file() })
    const isNew = how === 'removed with the voice'
    expect([status, json.data.deduped, json.data.key_status]).toEqual([isNew ? 201 : 200, !isNew, 'created'])
    expect(json.data.api_key.key).not.toBe(first.api_key.key)
    expect(json.data.voice_id === first.voice_id).toBe(!isNew)
    expect(node.ledger.findKey(json.data.api_key.key)).toMatchObject({ voiceId: json.data.voice_id, status: 'active' })
  })

  it('mends a voice whose features are lost', async () => {
    const { voice_id, api_key } = (await enroll({ file: file() })).json.data
    const speak = async () => (await node.post('/api/v1/tts/bytes', { text: 'Hello' }, { key: api_key.key })).status
    await refined()
    await rm(join(node.voiceFolder, voice_id, 'features'))
    expect(await speak()).toBe(503)
    const { status, json } = await enroll({ file: file() })
    expect([status, json.data.voice_id, json.data.key_status]).toEqual([200, voice_id, 'exists'])
    expect(await speak()).toBe(200)
    await refined()
    expect([node.fitter.heard.length, node.changed]).toEqual([2, [voice_id, voice_id]])
  })

  it('makes no key that nobody hears of where the mending fails', async () => {
    const { voice_id, api_key } = (await enroll({ file: file() })).json.data
    await node.ledger.revokeKey(node.ledger.findKey(api_key.key)?.id ?? '')
    await refined()
    await rm(join(node.voiceFolder, voice_id, 'features'))
    node.fitter.failure = new Error('tensor 7')
    expect((await refusal({ file: file() })).code).toBe('ENROLLMENT_FAILED')
    node.fitter.failure = undefined
    expect((await enroll({ file: file() })).json.data).toMatchObject({ voice_id, key_status: 'created' })
  })

  it('sent twice at once makes one voice and one key', async () => {
    const answers = await Promise.all([enroll({ file: file() }), enroll({ file: file() })])
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 201])
    const [one, other] = answers.map(({ json }) => json.data)
    expect(one.voice_id).toBe(other.voice_id)
    expect([one.key_status, other.key_status].sort()).toEqual(['created', 'exists'])
    expect(node.ledger.voicesOf(node.accountId)).toHaveLength(1)
  })

  it('from another account is a voice of its own', async () => {
    const options = { name: 'Other', ttsQuota: null, sttQuota: null, interval: 'month', intervalCount: 1 } as const
    const other = await node.ledger.createAccount(options)
    const key = await node.ledger.createKey({ accountId: other.id, kind: 'admin', name: 'Other' })
    const mine = (await enroll({ file: file() })).json.data
    const theirs = (await enroll({ file: file() }, { key: key.plaintext })).json.data
    expect([theirs.deduped, theirs.voice_id === mine.voice_id]).toEqual([false, false])
    await node.ledger.deleteVoice(theirs.voice_id, other.id)
    await node.services.voiceFiles.remove(theirs.voice_id)
  })
})

describe('the limits of an account', () => {
  it('are six enrollments a minute, then RATE_LIMITED with Retry-After', async () => {
    for (let count = 0; count < 6; count++) expect((await enroll()).status).toBe(201)
    node.clock.advance(12_500)
    expect(await refusal()).toMatchObject({ status: 429, code: 'RATE_LIMITED', headers: { 'Retry-After': '48' } })
    node.clock.advance(47_500)
    expect((await enroll()).status).toBe(201)
  })

  it('are six a minute for those that come at once', async () => {
    const answers = await Promise.all(Array.from({ length: 9 }, () => enroll()))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 201, 201, 201, 201, 429, 429, 429])
  })

  it('are 20 voices, then VOICE_LIMIT_REACHED before anything is decoded', async () => {
    await fillUpTo(20)
    const decoded = node.decoder.calls
    expect(await refusal()).toMatchObject({ status: 403, code: 'VOICE_LIMIT_REACHED' })
    expect(node.decoder.calls).toBe(decoded)
  })

  it('are 20 voices for those that come at once', async () => {
    await fillUpTo(18)
    const answers = await Promise.all(Array.from({ length: 5 }, () => enroll()))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 201, 403, 403, 403])
    expect(node.ledger.voicesOf(node.accountId)).toHaveLength(20)
  })

  async function fillUpTo(count: number) {
    for (let have = 0; have < count; have++) {
      if (have % 6 === 0) node.clock.advance(60_000)
      expect((await enroll()).status).toBe(201)
    }
    node.clock.advance(60_000)
  }
})

describe('who may enroll', () => {
  it.each(['voiceKey', 'sttKey'] as const)('is not a %s: INVALID_API_KEY 403', async (kind) => {
    expect(await refusal({}, { key: node[kind] })).toMatchObject({ status: 403, code: 'INVALID_API_KEY' })
  })

  it.each<[string, () => Promise<string | null>]>([
    ['nobody', async () => null],
    ['an unknown key', async () => `vc_ak_live_${'x'.repeat(43)}`],
    [
      'a revoked key',
      async () => {
        const { key, plaintext } = await adminKey({})
        await node.ledger.revokeKey(key.id)
        return plaintext
      },
    ],
  ])('is not %s: INVALID_API_KEY 401', async (_, keyOf) => {
    const { status, code, headers } = await refusal({}, { key: await keyOf() })
    expect([status, code, headers['WWW-Authenticate']]).toEqual([401, 'INVALID_API_KEY', 'Bearer'])
  })

  it('is not an expired key: INVALID_API_KEY 403', async () => {
    const expiresAt = node.clock.now() + 1
    const expiring = { accountId: node.accountId, kind: 'admin', name: 'Old', expiresAt } as const
    const { plaintext } = await node.ledger.createKey(expiring)
    node.clock.advance(1)
    expect(await refusal({}, { key: plaintext })).toMatchObject({ status: 403, code: 'INVALID_API_KEY' })
  })

  it('is not a key without audioUpload: PERMISSION_DENIED', async () => {
    const { plaintext } = await adminKey({ audioUpload: false })
    expect(await refusal({}, { key: plaintext })).toMatchObject({ status: 403, code: 'PERMISSION_DENIED' })
  })

  it('is not a disabled account: ACCOUNT_DISABLED, told only to the right kind of key (D2)', async () => {
    await node.ledger.setAccount(node.accountId, { disabled: true })
    expect(await refusal()).toMatchObject({ status: 403, code: 'ACCOUNT_DISABLED' })
    expect(await refusal({}, { key: node.voiceKey })).toMatchObject({ status: 403, code: 'INVALID_API_KEY' })
  })

  it.each([
    ['revoked', 401, 'INVALID_API_KEY'],
    ['of an account that is disabled', 403, 'ACCOUNT_DISABLED'],
  ])('is not a key %s while the voice is learnt', async (how, status, code) => {
    const { key, plaintext } = await adminKey({})
    node.fitter.gate = Promise.resolve().then(async () => {
      if (how === 'revoked') await node.ledger.revokeKey(key.id)
      else await node.ledger.setAccount(node.accountId, { disabled: true })
    })
    expect(await refusal({}, { key: plaintext })).toMatchObject({ status, code })
    expect(node.ledger.voicesOf(node.accountId)).toEqual([])
  })
})

describe('the order of checks (D22)', () => {
  it('is fields, rate, content, ceiling, capacity, audio', async () => {
    const known = recording('2.25')
    await enroll({ file: known })
    for (let have = 1; have < 20; have++) {
      if (have % 5 === 0) node.clock.advance(60_000)
      await enroll()
    }
    node.clock.advance(60_000)
    for (let count = 0; count < 6; count++) await node.ledger.beginEnrollment(node.accountId)
    node.admission.full = true
    const broken = recording('undecodable')
    const codeOf = async (changes: EnrollmentChanges) => (await enroll(changes)).json.error?.code ?? 'voice'

    expect(await codeOf({ file: broken, name: '' })).toBe('VALIDATION_FAILED')
    expect(await codeOf({ file: known })).toBe('RATE_LIMITED')
    node.clock.advance(60_000)
    expect(await codeOf({ file: known })).toBe('voice')
    expect(await codeOf({ file: broken })).toBe('VOICE_LIMIT_REACHED')
    const [, last] = node.ledger.voicesOf(node.accountId)
    await node.ledger.deleteVoice(last?.id ?? '', node.accountId)
    await node.services.voiceFiles.remove(last?.id ?? '')
    expect(await codeOf({ file: broken })).toBe('ENROLLMENT_FAILED')
    node.admission.full = false
    expect(await codeOf({ file: broken })).toBe('VALIDATION_FAILED')
  })
})

describe('a client that leaves', () => {
  it.each(['decoder', 'fitter'] as const)('while the %s works gets no voice, and leaves nothing', async (part) => {
    let open = () => {}
    node[part].gate = new Promise((resolve) => {
      open = resolve
    })
    const { exchange, handled } = await begin()
    await waitFor(() => (part === 'decoder' ? node.decoder.calls : node.fitter.heard.length) === 1, `the ${part}`)
    exchange.leave()
    open()
    await handled
    expect([exchange.response, exchange.formsOpen, node.ledger.voicesOf(node.accountId)]).toEqual([undefined, 0, []])
    expect(node.logLines).toEqual([])
  })
})
