import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { STREAM_BUFFER_BYTES_MAX, STT_IDLE_MS_MAX, STT_MESSAGES_MAX, STT_SECONDS_MAX } from '../../src/limits.ts'
import { scriptedSamples } from '../scripted-listening.ts'
import { waitFor } from '../wait-for.ts'
import type { FakeSocket, Reader } from './fake-exchange.ts'
import { slowDebits } from './slow-debits.ts'
import { TestNode } from './test-node.ts'

const AUTO = { type: 'start', mode: 'auto', language: 'en', sample_rate: 16_000, format: 'pcm_s16le' }
const MANUAL = { ...AUTO, mode: 'manual' }

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(async () => {
  expect(node.ledger.verify()).toMatchObject({ ok: true })
  await node.stop()
})

const bytes = (script: string) => new Uint8Array(scriptedSamples(script).buffer)

/** Speaks in frames of 100 ms, at the pace at which time passes. */
async function say(socket: FakeSocket, script: string): Promise<void> {
  const audio = bytes(script)
  for (let at = 0; at < audio.length && !socket.closed.aborted; at += 3_200) {
    node.clock.advance(100)
    socket.receive(audio.slice(at, at + 3_200))
    await turn()
  }
}

async function turn(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve))
}

const isClosed = (socket: FakeSocket) => waitFor(() => socket.closed.aborted, 'the socket to close')
const told = (socket: FakeSocket, type: string) => socket.events.filter((event) => event.type === type)
const types = (socket: FakeSocket) => socket.events.map(({ type, code }) => code ?? type)
const hasTold = (socket: FakeSocket, type: string, count = 1) =>
  waitFor(() => told(socket, type).length >= count, `${count} ${type}`)

function started(start: object = AUTO, reader: Reader = 'eager'): FakeSocket {
  const socket = node.listen(`?token=${node.sttKey}`, { reader })
  socket.receive(start)
  expect(socket.events).toEqual([])
  return socket
}

describe('automatic mode', () => {
  it('is partials while somebody speaks, a segment when they stop, and at stop one final with everything (D29)', async () => {
    const socket = started()
    node.recognizer.previewText = 'utter'
    await say(socket, '-0.5 1 -1 1 -1')
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect(told(socket, 'partial').length).toBeGreaterThanOrEqual(4)
    expect(told(socket, 'partial')[0]).toEqual({
      type: 'partial',
      text: 'utter',
      combined_text: 'utter',
      index: 0,
      start: 0.224,
      end: expect.any(Number),
      language: 'en',
      is_final: false,
    })
    expect(socket.events.filter(({ type }) => type !== 'partial')).toEqual([
      {
        type: 'segment',
        text: 'utterance 0',
        combined_text: 'utterance 0',
        index: 0,
        start: 0.224,
        end: 1.696,
        language: 'en',
        is_final: true,
      },
      {
        type: 'segment',
        text: 'utterance 1',
        combined_text: 'utterance 0 utterance 1',
        index: 1,
        start: 2.24,
        end: 3.712,
        language: 'en',
        is_final: true,
      },
      {
        type: 'final',
        text: 'utterance 0 utterance 1',
        combined_text: 'utterance 0 utterance 1',
        index: 2,
        start: 0,
        end: 4.5,
        language: 'en',
        is_final: true,
      },
    ])
    expect(socket.closeCode).toBe(1000)
    expect([node.admission.held, node.clock.timers, node.recognizer.listeners]).toEqual([0, 0, 0])
  })

  it('tells in a partial what it is combined with', async () => {
    const socket = started()
    node.recognizer.previewText = 'utter'
    await say(socket, '1 -1')
    await hasTold(socket, 'segment')
    const before = told(socket, 'partial').length
    await say(socket, '0.5')
    await hasTold(socket, 'partial', before + 1)
    expect(told(socket, 'partial').at(-1)).toMatchObject({
      text: 'utter',
      combined_text: 'utterance 0 utter',
      index: 1,
    })
  })

  it('recognises what was being said at stop', async () => {
    const socket = started()
    await say(socket, '1')
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect(types(socket)).toEqual(['segment', 'final'])
    expect(socket.events.at(-1)).toMatchObject({ text: 'utterance 0', end: 1 })
  })

  it('has an empty final where nothing was said', async () => {
    const socket = started()
    await say(socket, '-3')
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect(socket.events).toEqual([
      {
        type: 'final',
        text: '',
        combined_text: '',
        index: 0,
        start: 0,
        end: 3,
        language: 'en',
        is_final: true,
      },
    ])
    expect([node.heard, node.recognizer.segments]).toEqual([0, []])
  })

  it('takes back what it showed of something that was no speech', async () => {
    node.recognizer.texts = ['']
    node.recognizer.previewText = 'you'
    const socket = started()
    await say(socket, '0.5 -1')
    expect(told(socket, 'partial').at(-1)).toMatchObject({ text: '', combined_text: '', index: 0 })
    expect(types(socket)).not.toContain('segment')
  })

  it('takes a line on which nothing comes any more for silence', async () => {
    const socket = started()
    await say(socket, '1')
    node.clock.advance(2_000)
    await hasTold(socket, 'segment')
    await say(socket, '1 -1')
    await hasTold(socket, 'segment', 2)
    expect(told(socket, 'segment')).toMatchObject([{ end: 1 }, { index: 1 }])
  })

  it('ignores what comes after stop', async () => {
    const socket = started()
    node.recognizer.pace = 'by_hand'
    await say(socket, '1')
    socket.receive({ type: 'stop' })
    socket.receive(bytes('1'))
    socket.receive({ type: 'stop' })
    socket.receive('what?')
    await turn()
    node.recognizer.release()
    await isClosed(socket)
    expect([types(socket), socket.closeCode, node.recognizer.segments.length]).toEqual([['segment', 'final'], 1000, 1])
  })
})

describe('manual mode', () => {
  it('answers each commit with one final of its turn, however it was spoken (D29)', async () => {
    const socket = started(MANUAL)
    await say(socket, '1 -2 1')
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final')
    await say(socket, '-0.5 1')
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final', 2)
    const turn = { type: 'final', language: 'en', is_final: true }
    expect(told(socket, 'final')).toEqual([
      {
        ...turn,
        text: 'utterance 0 utterance 1',
        combined_text: 'utterance 0 utterance 1',
        index: 0,
        start: 0,
        end: 4,
      },
      {
        ...turn,
        text: 'utterance 0',
        combined_text: 'utterance 0 utterance 1 utterance 0',
        index: 1,
        start: 4,
        end: 5.5,
      },
    ])
    expect(told(socket, 'segment')).toEqual([])
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect([told(socket, 'final').length, socket.closeCode]).toEqual([2, 1000])
  })

  it('shows the whole turn in its partials', async () => {
    const socket = started(MANUAL)
    node.recognizer.previewText = 'utter'
    await say(socket, '1 -2 0.5')
    const partial = {
      text: 'utterance 0 utter',
      combined_text: 'utterance 0 utter',
      index: 0,
      start: 0,
      is_final: false,
    }
    expect(told(socket, 'partial').at(-1)).toMatchObject(partial)
  })

  it('answers a commit without words with an empty final, free of charge', async () => {
    const socket = started(MANUAL)
    socket.receive({ type: 'commit' })
    await say(socket, '-1')
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final', 2)
    expect(socket.events).toMatchObject([
      { text: '', index: 0, start: 0, end: 0 },
      { text: '', index: 1, start: 0, end: 1 },
    ])
    expect(node.heard).toBe(0)
  })

  it.each([
    ['1', 1],
    ['-0.2', 1],
    ['-0.1', 0],
  ])('commits at stop what is left of %s s, if it is 0.2 s at least', async (script, finals) => {
    const socket = started(MANUAL)
    socket.receive(bytes(script))
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect([told(socket, 'final').length, socket.closeCode]).toEqual([finals, 1000])
  })

  it('takes turns of any length', async () => {
    const socket = started(MANUAL)
    await say(socket, '65')
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final')
    const [final] = told(socket, 'final')
    const pieces = node.recognizer.segments.length
    expect(pieces).toBeGreaterThanOrEqual(3)
    expect([final.text, final.start, final.end]).toEqual([new Array(pieces).fill('utterance 0').join(' '), 0, 65])
    expect([...node.ledger.exportPostings()]).toHaveLength(1)
  })
})

describe('audio', () => {
  it.each([8_000, 44_100, 48_000])('at %i Hz is heard at its own speed', async (rate) => {
    const socket = started({ ...MANUAL, sample_rate: rate })
    const samples = Int16Array.from({ length: 2 * rate }, () => 8_000)
    socket.receive(new Uint8Array(samples.buffer))
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final')
    expect(told(socket, 'final')[0].end).toBeCloseTo(2, 1)
  })

  it('may come in frames of odd length', async () => {
    const socket = started(MANUAL)
    const audio = bytes('1')
    for (let at = 0; at < audio.length; at += 999) socket.receive(audio.slice(at, at + 999))
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final')
    expect(told(socket, 'final')[0]).toMatchObject({ text: 'utterance 0', end: 1 })
  })
})

describe('the language', () => {
  const modes = () => [...new Set(node.recognizer.segments.map(({ mode }) => mode.code))]
  const speak = async (query: string, start: object) => {
    const socket = node.listen(query)
    socket.receive(start)
    await say(socket, '1 -1')
    await hasTold(socket, 'segment')
    return socket
  }

  it('is that of the address, by code or name', async () => {
    await speak(`?token=${node.sttKey}&language=hi-EN`, { type: 'start' })
    await speak(`?token=${node.sttKey}&language=german`, { type: 'start' })
    expect(modes()).toEqual(['hi-en', 'de'])
  })

  it('is that of start, where both have one', async () => {
    await speak(`?token=${node.sttKey}&language=de`, { type: 'start', language: 'fr' })
    expect(modes()).toEqual(['fr'])
  })

  it('is auto where nobody says', async () => {
    await speak(`?token=${node.sttKey}`, { type: 'start' })
    expect(modes()).toEqual(['auto'])
  })

  it('that was heard is told with each segment, and with the final the one most of it was in', async () => {
    const socket = started({ ...AUTO, language: 'es-en' })
    for (const [language, script] of [
      ['es', '1 -1'],
      ['en', '1 -1'],
      ['es', '1 -1'],
    ] as const) {
      node.recognizer.language = language
      await say(socket, script)
    }
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect(socket.events.filter(({ type }) => type !== 'partial').map(({ language }) => language)).toEqual([
      ...['es', 'en', 'es'],
      'es',
    ])
  })
})

describe('a key', () => {
  it('may come in Authorization', async () => {
    const socket = node.listen('', { key: node.sttKey })
    socket.receive(AUTO)
    await say(socket, '1 -1')
    await hasTold(socket, 'segment')
  })

  it.each([
    ['missing', async () => ''],
    ['empty', async () => '?token='],
    ['unknown', async () => '?token=stt_sk_live_nobody'],
    ['for an account', async () => `?token=${node.adminKey}`],
    ['for a voice', async () => `?token=${node.voiceKey}`],
    [
      'for uploads only (D19a)',
      async () => {
        const { accountId } = node
        const options = { accountId, kind: 'stt', name: 'Test', scopes: ['stt.transcribe'] } as const
        return `?token=${(await node.ledger.createKey(options)).plaintext}`
      },
    ],
    [
      'revoked',
      async () => {
        const { key, plaintext } = await node.ledger.createKey({ accountId: node.accountId, kind: 'stt', name: 'Test' })
        await node.ledger.revokeKey(key.id)
        return `?token=${plaintext}`
      },
    ],
  ])('that is %s gets an error and 4401', async (_, query) => {
    const socket = node.listen(await query())
    expect(socket.events).toEqual([{ type: 'error', code: 'INVALID_API_KEY', message: expect.any(String) }])
    expect([socket.closeCode, node.admission.asked, node.clock.timers]).toEqual([4401, [], 0])
    reached.add('INVALID_API_KEY')
  })
})

const reached = new Set<string>()

/** The one error that ended a session, and its close code. */
async function refusal(socket: FakeSocket) {
  await isClosed(socket)
  const errors = told(socket, 'error')
  expect(errors).toEqual([{ type: 'error', code: expect.any(String), message: expect.any(String) }])
  expect(socket.events.at(-1)).toEqual(errors[0])
  const [{ code, message }] = errors
  reached.add(code)
  await turn()
  expect([node.admission.held, node.clock.timers, node.recognizer.listeners]).toEqual([0, 0, 0])
  return { code, message, closeCode: socket.closeCode }
}

describe('a session is refused', () => {
  it.each([
    ['that names no language', '&language=', /language must be/],
    ['of an unknown language', '&language=Klingon', /language must be auto/],
  ])('%s: BAD_REQUEST, 4400', async (_, query, message) => {
    const socket = node.listen(`?token=${node.sttKey}${query}`)
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message, closeCode: 4400 })
  })

  it.each([
    ['audio', bytes('1'), /start/],
    ['no JSON', 'hello', /JSON/],
    ['no object', '[]', /object/],
    ['no type', {}, /type must be start/],
    ['another message', { type: 'commit' }, /type must be start/],
    ['an odd mode', { ...AUTO, mode: 'semi' }, /mode must be auto or manual/],
    ['an unknown language', { ...AUTO, language: 'Klingon' }, /language must be auto/],
    ['a language that is no string', { ...AUTO, language: 3 }, /language must be auto/],
    ['too low a rate', { ...AUTO, sample_rate: 7_999 }, /sample_rate must be a whole number of Hz from 8000 to 48000/],
    ['too high a rate', { ...AUTO, sample_rate: 48_001 }, /sample_rate must be/],
    ['a broken rate', { ...AUTO, sample_rate: 16_000.5 }, /sample_rate must be/],
    ['a rate in quotes', { ...AUTO, sample_rate: '16000' }, /sample_rate must be/],
    ['another format', { ...AUTO, format: 'opus' }, /format must be pcm_s16le/],
  ])('that begins with %s: BAD_REQUEST, 4400', async (_, first, message) => {
    const socket = node.listen()
    socket.receive(first)
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message, closeCode: 4400 })
  })

  it('that does not begin within ten seconds: BAD_REQUEST, 4400', async () => {
    const socket = node.listen()
    node.clock.advance(9_999)
    expect(socket.closed.aborted).toBe(false)
    node.clock.advance(1)
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /10 seconds/, closeCode: 4400 })
  })

  it.each([
    ['a second start', AUTO, AUTO],
    ['an unknown message', AUTO, { type: 'pause' }],
    ['a message that is no JSON', AUTO, 'stop'],
    ['a commit in automatic mode', AUTO, { type: 'commit' }],
  ])('at %s: BAD_REQUEST, 4400', async (_, start, message) => {
    const socket = started(start)
    socket.receive(message)
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', closeCode: 4400 })
  })

  it('by a node that has no recogniser: SERVICE_NOT_CONFIGURED', async () => {
    await node.stop()
    node = await TestNode.start({ liveTranscriber: undefined })
    expect(await refusal(node.listen())).toMatchObject({ code: 'SERVICE_NOT_CONFIGURED', closeCode: 1011 })
  })

  it('in a language that the model does not know: model_not_ready, saying what does (D7)', async () => {
    node.recognizer.unknownLanguage = 'ko'
    const socket = node.listen(`?token=${node.sttKey}&language=ko`)
    socket.receive({ type: 'start' })
    expect(await refusal(socket)).toMatchObject({ code: 'model_not_ready', message: /another model/, closeCode: 1011 })
  })

  it('while the models load: model_not_ready, 1013', async () => {
    node.lifecycle.ready = false
    expect(await refusal(node.listen())).toMatchObject({ code: 'model_not_ready', closeCode: 1013 })
  })

  it('by a node that is full: STT_UNAVAILABLE, 1013 (D6)', async () => {
    node.admission.full = true
    expect(await refusal(node.listen())).toMatchObject({ code: 'STT_UNAVAILABLE', closeCode: 1013 })
    expect(node.admission.asked).toEqual([{ pace: 'listening' }])
  })

  it('by a node that is shutting down: STT_UNAVAILABLE, 1012 (D6)', async () => {
    node.lifecycle.draining = true
    expect(await refusal(node.listen())).toMatchObject({ code: 'STT_UNAVAILABLE', closeCode: 1012 })
  })

  it('without a character left: KEY_CREDIT_EXCEEDED or QUOTA_EXCEEDED, 1008 (D16)', async () => {
    const { accountId } = node
    const limited = { accountId, kind: 'stt', name: 'Test', creditLimit: 1 } as const
    const { key, plaintext } = await node.ledger.createKey(limited)
    await node.ledger.chargeUpTo({ id: 'earlier', keyId: key.id, meter: 'stt', characters: 1 })
    const socket = node.listen(`?token=${plaintext}`)
    expect(await refusal(socket)).toMatchObject({ code: 'KEY_CREDIT_EXCEEDED', closeCode: 1008 })
    await node.ledger.setAccount(accountId, { sttQuota: 0 })
    expect(await refusal(node.listen())).toMatchObject({ code: 'QUOTA_EXCEEDED', closeCode: 1008 })
  })
})

describe('a session ends', () => {
  it('when audio comes more than 30 s ahead of what is heard: BAD_REQUEST, 1008', async () => {
    const socket = started()
    for (let i = 0; i < 4; i++) socket.receive(bytes('8'))
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /30 seconds ahead/, closeCode: 1008 })
  })

  it('when recognition falls more than 30 s behind: BAD_REQUEST, 1008, and not while one segment is worked on', async () => {
    const socket = started()
    node.recognizer.pace = 'by_hand'
    await say(socket, '25 -1 28')
    expect(socket.events).toEqual([])
    await say(socket, '-1 2')
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /30 seconds ahead/, closeCode: 1008 })
  })

  it('not for audio that comes fast as long as it is heard as fast', async () => {
    const socket = started()
    for (let i = 0; i < 10; i++) {
      socket.receive(bytes('8'))
      await turn()
      socket.receive(bytes('-2'))
      await turn()
    }
    await hasTold(socket, 'segment', 5)
    expect(told(socket, 'error')).toEqual([])
  })

  it('when messages flood it: BAD_REQUEST, 1008', async () => {
    const socket = started(MANUAL)
    for (let i = 0; i <= STT_MESSAGES_MAX + 1; i++) socket.receive(bytes('0.001'))
    for (let i = 0; i <= STT_MESSAGES_MAX + 1; i++) socket.receive({ type: 'commit' })
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /messages/, closeCode: 1008 })
  })

  it('after half an hour of audio: its text first, then BAD_REQUEST, 1008', async () => {
    const socket = started()
    for (let i = 0; i < STT_SECONDS_MAX / 10; i++) {
      socket.receive(bytes(i % 10 === 0 ? '1 -9' : '-10'))
      await turn()
    }
    expect(told(socket, 'error')).toEqual([])
    socket.receive(bytes('-0.1'))
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /1800 seconds/, closeCode: 1008 })
    expect(socket.events.at(-2)).toMatchObject({ type: 'final', end: 1_800 })
    expect(told(socket, 'segment')).toHaveLength(18)
  })

  it('when nothing comes for two minutes: its text first, then BAD_REQUEST, 1008', async () => {
    const socket = started()
    await say(socket, '1')
    node.clock.advance(STT_IDLE_MS_MAX - 1_000)
    await hasTold(socket, 'segment')
    expect(types(socket)).toEqual(['segment'])
    node.clock.advance(2_000)
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /120 seconds/, closeCode: 1008 })
    expect(types(socket)).toEqual(['segment', 'final', 'BAD_REQUEST'])
  })

  it('when its client does not read, and leaves partials out for one that reads slowly', async () => {
    const socket = started(AUTO, 'stalled')
    node.recognizer.previewText = 'utter '.repeat(100)
    await say(socket, '20')
    expect(socket.bufferedBytes).toBeLessThan(32 * 1024)
    socket.bufferedBytes = STREAM_BUFFER_BYTES_MAX + 1
    await say(socket, '-1')
    expect(await refusal(socket)).toMatchObject({ code: 'BAD_REQUEST', message: /read/, closeCode: 1008 })
  })

  it('when the recogniser fails: stt_upstream_error, 1011', async () => {
    node.recognizer.failsAt = 0
    const socket = started()
    await say(socket, '1 -1')
    expect(await refusal(socket)).toMatchObject({ code: 'stt_upstream_error', closeCode: 1011 })
    expect(node.logLines).toContainEqual(expect.objectContaining({ message: 'recognition failed' }))
  })

  it('when anything else fails: internal_error, 1011, telling nothing of its inside', async () => {
    node.recognizer.failure = new Error('secret inside')
    node.recognizer.failsAt = 0
    const socket = started()
    await say(socket, '1 -1')
    const { code, message, closeCode } = await refusal(socket)
    expect([code, closeCode, message]).toEqual(['internal_error', 1011, expect.not.stringContaining('secret')])
  })

  it('when the node’s time to drain is over: STT_UNAVAILABLE, 1012; a running session goes on until then', async () => {
    const socket = started()
    node.lifecycle.draining = true
    await say(socket, '1 -1')
    await hasTold(socket, 'segment')
    node.lifecycle.stop()
    expect(await refusal(socket)).toMatchObject({ code: 'STT_UNAVAILABLE', closeCode: 1012 })
  })

  it('when its client leaves, and with it all its work', async () => {
    const socket = started()
    node.recognizer.pace = 'by_hand'
    await say(socket, '1 -1 1')
    socket.leave()
    await turn()
    expect(node.recognizer.segments.every(({ signal }) => signal?.aborted)).toBe(true)
    expect([node.admission.held, node.clock.timers, node.recognizer.listeners, node.heard]).toEqual([0, 0, 0, 0])
  })

  it('before it began, when its client has left by then', () => {
    const socket = node.listen()
    socket.leave()
    expect([node.admission.held, node.clock.timers]).toEqual([0, 0])
  })
})

describe('a session costs', () => {
  const keyWith = async (creditLimit: number) => {
    const { accountId } = node
    const { key, plaintext } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Test', creditLimit })
    return { id: key.id, plaintext, used: () => node.ledger.key(key.id)?.creditUsed }
  }
  beforeEach(() => {
    node.recognizer.texts = ['0123456789', 'abcdefghij', 'ABCDEFGHIJ']
  })
  /** Three segments of ten characters, joined by a space: 32 characters in all. */
  const speak = async (query: string, start: object) => {
    const socket = node.listen(query)
    socket.receive(start)
    await say(socket, '1 -1 1 -1 1 -1')
    if (!socket.closed.aborted) socket.receive({ type: 'stop' })
    await isClosed(socket)
    return socket
  }
  const ends = (socket: FakeSocket) => types(socket).filter((type) => type !== 'partial')

  it('its characters, posted segment by segment, and nothing for partials', async () => {
    node.recognizer.previewText = 'something long that is shown and not charged'
    await speak(`?token=${node.sttKey}`, AUTO)
    expect(node.heard).toBe(32)
  })

  it('posts under the id of the session and the segment', async () => {
    const socket = started()
    const audio = scriptedSamples('1 -1 1 -1 1 -1')
    for (let at = 0; at < audio.length; at += 1_600) {
      node.clock.advance(100)
      socket.receive(new Uint8Array(audio.slice(at, at + 1_600).buffer))
      await turn()
    }
    socket.receive({ type: 'stop' })
    await isClosed(socket)
    expect([...node.ledger.exportPostings()]).toMatchObject([
      { id: 'socket_1.0', meter: 'stt', characters: 10 },
      { id: 'socket_1.1', meter: 'stt', characters: 11 },
      { id: 'socket_1.2', meter: 'stt', characters: 11 },
    ])
    expect([node.heard, node.charged]).toEqual([32, 0])
  })

  it.each([
    [32, ['segment', 'segment', 'segment', 'final']],
    [31, ['segment', 'segment', 'segment', 'KEY_CREDIT_EXCEEDED']],
    [15, ['segment', 'segment', 'KEY_CREDIT_EXCEEDED']],
    [10, ['segment', 'KEY_CREDIT_EXCEEDED']],
    [1, ['segment', 'KEY_CREDIT_EXCEEDED']],
  ])('with %i characters left is %j, never more than was left (D16)', async (left, expected) => {
    const { plaintext, used } = await keyWith(left)
    const socket = await speak(`?token=${plaintext}`, AUTO)
    expect(ends(socket)).toEqual(expected)
    expect(used()).toBe(Math.min(left, 32))
    if (expected.at(-1) !== 'final') expect(socket.closeCode).toBe(1008)
  })

  it('ends with QUOTA_EXCEEDED when the account has nothing left', async () => {
    await node.ledger.setAccount(node.accountId, { sttQuota: 15 })
    const socket = await speak(`?token=${node.sttKey}`, AUTO)
    expect(ends(socket)).toEqual(['segment', 'segment', 'QUOTA_EXCEEDED'])
    expect(node.heard).toBe(15)
  })

  it('in manual mode, each turn when it is committed', async () => {
    const socket = started(MANUAL)
    await say(socket, '1 -2')
    expect(node.heard).toBe(0)
    socket.receive({ type: 'commit' })
    await hasTold(socket, 'final')
    expect(node.heard).toBe(10)
  })

  it('is on disk before its words are sent (promise 1)', async () => {
    const { charge, onDisk } = slowDebits(node.ledger)
    const socket = started()
    await say(socket, '1 -1')
    expect([charge.mock.calls.length, types(socket)]).toEqual([1, ['partial']])
    onDisk()
    await hasTold(socket, 'segment')
  })

  it('what was under way when it ended, which is not told any more', async () => {
    const { onDisk } = slowDebits(node.ledger)
    const socket = started()
    await say(socket, '1 -1')
    socket.receive({ type: 'dance' })
    await isClosed(socket)
    const send = vi.spyOn(socket, 'send')
    onDisk()
    await waitFor(() => node.heard > 0, 'the debit')
    await turn()
    expect(send).not.toHaveBeenCalled()
  })

  it('nothing when its key is revoked meanwhile: unauthorized, 4401', async () => {
    const { id, plaintext } = await keyWith(100)
    const socket = node.listen(`?token=${plaintext}`)
    socket.receive(AUTO)
    await node.ledger.revokeKey(id)
    await say(socket, '1 -1')
    expect(await refusal(socket)).toMatchObject({ code: 'unauthorized', closeCode: 4401 })
    expect(node.heard).toBe(0)
  })

  it('nothing when its key expires meanwhile: FORBIDDEN, 4401', async () => {
    const { accountId } = node
    const expiresAt = node.clock.now() + 1_500
    const { plaintext } = await node.ledger.createKey({ accountId, kind: 'stt', name: 'Test', expiresAt })
    const socket = node.listen(`?token=${plaintext}`)
    socket.receive(AUTO)
    await say(socket, '1 -1')
    expect(await refusal(socket)).toMatchObject({ code: 'FORBIDDEN', closeCode: 4401 })
  })
})

describe('the errors of the socket', () => {
  it('reach every code of the table that a socket can reach', () => {
    expect([...reached].sort()).toEqual([
      'BAD_REQUEST',
      'FORBIDDEN',
      'INVALID_API_KEY',
      'KEY_CREDIT_EXCEEDED',
      'QUOTA_EXCEEDED',
      'SERVICE_NOT_CONFIGURED',
      'STT_UNAVAILABLE',
      'internal_error',
      'model_not_ready',
      'stt_upstream_error',
      'unauthorized',
    ])
  })
})

it('names neither keys nor words in its log', async () => {
  const socket = started()
  await say(socket, '1 -1')
  socket.receive({ type: 'stop' })
  await isClosed(socket)
  const lines = JSON.stringify(node.logLines)
  expect(lines).toContain('listening ended')
  expect([lines.includes('utterance'), lines.includes(node.sttKey)]).toEqual([false, false])
  expect(node.logLines.at(-1)).toMatchObject({ mode: 'auto', audioSeconds: 2, told: 1, characters: 11 })
})
