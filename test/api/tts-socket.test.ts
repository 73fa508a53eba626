import { readdir } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { SOCKET_START_WAIT_MS, STREAM_BUFFER_BYTES_MAX, STREAM_TOKEN_LIFETIME_MS } from '../../src/limits.ts'
import type { FakeSocket, Reader } from './fake-exchange.ts'
import { OWN_VOICE, PRESET_VOICE, TestNode } from './test-node.ts'

const START = { type: 'start', text: 'Hello there' }
const FRAME_BYTES = 9_600

let node: TestNode
beforeEach(async () => {
  node = await TestNode.start()
})
afterEach(() => node.stop())

async function newToken(textLength = 20): Promise<string> {
  const response = await node.post('/api/v1/tts/stream-token', { text_length: textLength })
  return response.json.data.stream_token
}
const eventually = <T>(probe: () => T) => expect.poll(probe, { interval: 2 })
const isClosed = (socket: FakeSocket) => eventually(() => socket.closed.aborted).toBe(true)
/** Resolves when the stream has been recorded, which is the last thing it does. */
const outcome = async () => {
  const history = () => node.ledger.generationsOf(node.accountId)
  await eventually(() => history().length).toBe(1)
  return history()[0]
}
const error = (code: string, message: RegExp) => ({ type: 'error', code, message: expect.stringMatching(message) })

/** A socket whose token is spent and whose start may come. */
async function waiting(textLength?: number): Promise<FakeSocket> {
  const socket = node.connect(await newToken(textLength))
  await eventually(() => node.clock.timers).toBe(1)
  return socket
}

/** A socket that speaks, one frame a step. */
async function speaking(reader: Reader = 'eager', frames = 3): Promise<FakeSocket> {
  node.synthesizer.script = { pace: 'by_hand', frames }
  const socket = await waiting()
  socket.reader = reader
  socket.receive(START)
  expect(node.synthesizer.running).toBe(1)
  return socket
}

describe('a TTS socket', () => {
  it('is start, binary frames, done and close 1000, with the contract’s fields (promise 8, D24)', async () => {
    const socket = await waiting()
    socket.receive(START)
    await isClosed(socket)
    expect(socket.events).toEqual([
      { type: 'start', mode: 'fast', sample_rate: 24_000, format: 'pcm16', channels: 1 },
      FRAME_BYTES,
      FRAME_BYTES,
      FRAME_BYTES,
      {
        type: 'done',
        mode: 'fast',
        audio_url: expect.stringMatching(/^\/audio\/[a-z2-7]{26}\.wav\?expires=\d+&signature=[\w-]+$/),
        chunks: 3,
        ttfb_ms: 0,
        duration_ms: 600,
      },
    ])
    expect(socket.closeCode).toBe(1000)
    expect([node.admission.held, node.clock.timers]).toEqual([0, 0])
  })

  it('tells when the words are spoken where that was asked for', async () => {
    node.synthesizer.script = { words: [{ word: 'Hello', from: 2_400, to: 9_612 }] }
    const socket = await waiting()
    socket.receive({ ...START, timestamps: true })
    await isClosed(socket)
    const words = [{ word: 'Hello', start_ms: 100, end_ms: 401 }]
    expect(socket.events.at(-1)).toMatchObject({ type: 'done', duration_ms: 600, words })
  })

  it('leaves the same samples as a WAV behind audio_url', async () => {
    const socket = await waiting()
    socket.receive(START)
    await isClosed(socket)
    const file = await node.call('GET', socket.events.at(-1).audio_url, undefined, { key: null })
    expect([file.status, file.headers['Content-Type']]).toEqual([200, 'audio/wav'])
    expect(file.bytes.readUInt32LE(40)).toBe(3 * FRAME_BYTES)
    expect(file.bytes.subarray(44)).toEqual(Buffer.concat(socket.frames))
  })

  it('asks the engine for what start says, with the token’s voice and request id', async () => {
    const socket = await waiting()
    socket.receive({ ...START, speed: 0.1, language: 'English', duration: 99, postprocess_output: false })
    expect(node.synthesizer.requests).toEqual([
      {
        id: 'request_1',
        text: START.text,
        language: 'en',
        voiceId: PRESET_VOICE,
        speed: 0.5,
        durationSeconds: null,
        postprocess: false,
        pace: 'live',
      },
    ])
    await isClosed(socket)
  })

  it('measures ttfb_ms from start to the first frame', async () => {
    const socket = await speaking()
    node.clock.advance(86)
    node.synthesizer.step()
    node.clock.advance(500)
    while (node.synthesizer.step());
    await isClosed(socket)
    expect(socket.events.at(-1)).toMatchObject({ type: 'done', ttfb_ms: 86 })
  })

  it('costs nothing itself: the token was charged', async () => {
    const socket = await waiting(20)
    socket.receive(START)
    expect(await outcome()).toMatchObject({
      id: 'request_1',
      way: 'websocket',
      characters: 20,
      outcome: 'completed',
      durationMs: 600,
    })
    expect(node.charged).toBe(20)
  })

  it('takes a start that comes before its token is spent', async () => {
    const socket = node.connect(await newToken())
    socket.receive(START)
    await isClosed(socket)
    expect(socket.events.at(-1)).toMatchObject({ type: 'done' })
  })

  it('goes on when the token’s 60 s pass (D18)', async () => {
    const socket = await speaking()
    node.clock.advance(STREAM_TOKEN_LIFETIME_MS + 1)
    while (node.synthesizer.step());
    await isClosed(socket)
    expect(socket.closeCode).toBe(1000)
  })
})

describe('a token', () => {
  it.each<[string, () => Promise<string | undefined>]>([
    ['is missing', async () => undefined],
    ['is empty', async () => ''],
    ['is unknown', async () => 'x'.repeat(43)],
    ['is an API key', async () => node.voiceKey],
    [
      'has expired',
      async () => {
        const token = await newToken()
        node.clock.advance(STREAM_TOKEN_LIFETIME_MS)
        return token
      },
    ],
  ])('that %s gets an error event and close 4401', async (_, makeToken) => {
    const socket = node.connect(await makeToken())
    await isClosed(socket)
    expect(socket.events).toEqual([error('INVALID_API_KEY', /stream token/)])
    expect([socket.closeCode, node.admission.held]).toEqual([4401, 0])
  })

  it('opens one socket, however many try at once (promise 6)', async () => {
    const token = await newToken()
    const sockets = Array.from({ length: 5 }, () => node.connect(token))
    await eventually(() => sockets.filter((socket) => socket.closed.aborted).length).toBe(4)
    expect(sockets.map((socket) => socket.closeCode).sort()).toEqual([4401, 4401, 4401, 4401, undefined])
    expect(node.admission.held).toBe(1)
  })

  it('holds until its last millisecond', async () => {
    const token = await newToken()
    node.clock.advance(STREAM_TOKEN_LIFETIME_MS - 1)
    const socket = node.connect(token)
    await eventually(() => node.clock.timers).toBe(1)
    expect(socket.closed.aborted).toBe(false)
  })

  it.each([
    ['full', 1013, /capacity/, () => (node.admission.full = true)],
    ['still loading', 1013, /loading/, () => (node.lifecycle.ready = false)],
    ['shutting down', 1012, /shutting down/, () => (node.lifecycle.draining = true)],
  ])('is not spent when the node is %s: close %i (D6, D18)', async (_, closeCode, message, makeBusy) => {
    const token = await newToken()
    makeBusy()
    const socket = node.connect(token)
    await isClosed(socket)
    expect(socket.events).toEqual([error('BACKEND_ERROR', message)])
    expect(socket.closeCode).toBe(closeCode)
    node.admission.full = false
    node.lifecycle.ready = true
    node.lifecycle.draining = false
    const again = node.connect(token)
    again.receive(START)
    await isClosed(again)
    expect([again.closeCode, node.charged]).toEqual([1000, 20])
  })

  it('is spent by a socket that is never used', async () => {
    const token = await newToken()
    const first = node.connect(token)
    await eventually(() => node.clock.timers).toBe(1)
    first.leave()
    const second = node.connect(token)
    await isClosed(second)
    expect([second.closeCode, node.admission.held, node.clock.timers]).toEqual([4401, 0, 0])
  })

  it('whose client leaves while it is being spent starts nothing', async () => {
    const spend = vi.spyOn(node.ledger, 'spendToken')
    const socket = node.connect(await newToken())
    socket.receive(START)
    socket.leave()
    await spend.mock.results[0]?.value
    socket.receive(START)
    expect([node.synthesizer.requests, node.admission.held, node.clock.timers]).toEqual([[], 0, 0])
  })

  it('that can’t be spent because the disk fails is close 1011', async () => {
    vi.spyOn(node.ledger, 'spendToken').mockRejectedValue(new Error('ENOSPC'))
    const socket = node.connect(await newToken())
    await isClosed(socket)
    expect(socket.events).toEqual([error('INTERNAL_ERROR', /^the stream could not be completed$/)])
    expect([socket.closeCode, node.admission.held]).toEqual([1011, 0])
  })
})

describe('start', () => {
  it.each<[string, object | string | Uint8Array, string, RegExp]>([
    ['is not JSON', 'hello', 'BAD_REQUEST', /JSON/],
    ['is not an object', '[]', 'BAD_REQUEST', /object/],
    ['is a binary frame', new Uint8Array(4), 'BAD_REQUEST', /text frame/],
    ['has no type', { text: 'x' }, 'BAD_REQUEST', /^type is required/],
    ['is a cancel', { type: 'cancel' }, 'BAD_REQUEST', /^type must be start/],
    ['has no text', { type: 'start' }, 'BAD_REQUEST', /^text is required/],
    ['has only white space', { type: 'start', text: '  ' }, 'BAD_REQUEST', /^text must not be empty/],
    ['is longer than its token', { type: 'start', text: 'x'.repeat(21) }, 'TEXT_TOO_LONG', /at most 20 characters/],
    [
      'is too long and wrong in a later field',
      { type: 'start', text: 'x'.repeat(21), language: 'klingon' },
      'TEXT_TOO_LONG',
      /^text/,
    ],
    ['names no language', { ...START, language: 'klingon' }, 'INVALID_LANGUAGE', /^language/],
    ['has a number in quotes', { ...START, cfg_value: '2' }, 'BAD_REQUEST', /^cfg_value/],
    ['has too many steps', { ...START, dit_steps: 65 }, 'BAD_REQUEST', /^dit_steps/],
  ])('that %s is one error event and close 4400 (D24)', async (_, message, code, words) => {
    const socket = await waiting(20)
    socket.receive(message)
    expect(socket.events).toEqual([error(code, words)])
    expect([socket.closeCode, node.admission.held, node.clock.timers]).toEqual([4400, 0, 0])
    expect(node.synthesizer.requests).toEqual([])
  })

  it('may be as long as its token, to the character', async () => {
    const socket = await waiting(20)
    socket.receive({ type: 'start', text: 'x'.repeat(20) })
    await isClosed(socket)
    expect(socket.closeCode).toBe(1000)
  })

  it('that does not come within 10 s is close 4400 (D24)', async () => {
    const socket = await waiting()
    node.clock.advance(SOCKET_START_WAIT_MS - 1)
    expect(socket.closed.aborted).toBe(false)
    node.clock.advance(1)
    expect(socket.events).toEqual([error('BAD_REQUEST', /10 seconds/)])
    expect([socket.closeCode, node.admission.held]).toEqual([4400, 0])
  })

  it('in a language the engine can’t speak is BACKEND_ERROR and close 4400 (D7)', async () => {
    node.synthesizer.speakable = { status: 'not_spoken', message: 'install a pack' }
    const socket = await waiting()
    socket.receive({ ...START, language: 'ab' })
    expect(socket.events).toEqual([error('BACKEND_ERROR', /^install a pack$/)])
    expect(socket.closeCode).toBe(4400)
  })

  it('for a voice that has been deleted since is VOICE_NOT_FOUND and close 1011', async () => {
    const socket = await waiting()
    node.voices.clear()
    socket.receive(START)
    expect(socket.events).toEqual([error('VOICE_NOT_FOUND', /no longer exists/)])
    expect([socket.closeCode, node.admission.held]).toEqual([1011, 0])
  })

  it('may be followed by one more early message, and no third', async () => {
    const socket = node.connect(await newToken())
    socket.receive(START)
    socket.receive({ type: 'cancel' })
    socket.receive({ type: 'cancel' })
    expect(socket.events).toEqual([error('BAD_REQUEST', /too many/)])
    expect(socket.closeCode).toBe(4400)
    await eventually(() => node.admission.held).toBe(0)
  })
})

describe('while it speaks', () => {
  it('cancel stops the engine at once, answers cancelled and closes 1000 (D24)', async () => {
    const socket = await speaking()
    node.synthesizer.step()
    socket.receive({ type: 'cancel' })
    expect([node.synthesizer.running, node.synthesizer.step(), node.admission.held]).toEqual([0, false, 0])
    expect(socket.events.slice(1)).toEqual([FRAME_BYTES, { type: 'cancelled' }])
    expect(socket.closeCode).toBe(1000)
    expect(await outcome()).toMatchObject({ outcome: 'cancelled', durationMs: 200 })
    expect(await readdir(node.audioFolder)).toEqual([])
  })

  it('a start and a cancel that come together are start, cancelled and close', async () => {
    node.synthesizer.script = { pace: 'by_hand' }
    const socket = node.connect(await newToken())
    socket.receive(START)
    socket.receive({ type: 'cancel' })
    await isClosed(socket)
    expect(socket.events.map(({ type }) => type)).toEqual(['start', 'cancelled'])
    await outcome()
  })

  it('a client that leaves stops the engine at once (promise 10)', async () => {
    const socket = await speaking()
    node.synthesizer.step()
    socket.leave()
    expect([node.synthesizer.running, node.admission.held]).toEqual([0, 0])
    expect(await outcome()).toMatchObject({ outcome: 'cancelled' })
    expect(await readdir(node.audioFolder)).toEqual([])
  })

  it.each<[string, object | string]>([
    ['a second start', START],
    ['an unknown type', { type: 'pause' }],
    ['garbage', '{'],
  ])('%s is an error and close 4400', async (_, message) => {
    const socket = await speaking()
    socket.receive(message)
    expect(socket.events.slice(1)).toEqual([error('BAD_REQUEST', /./)])
    expect([socket.closeCode, node.synthesizer.running, node.admission.held]).toEqual([4400, 0, 0])
    await outcome()
  })

  it.each([1, 3])('an engine that fails at frame %i is GENERATION_FAILED and close 1011', async (failsAt) => {
    node.synthesizer.script = { failsAt }
    const socket = await waiting()
    socket.receive(START)
    await isClosed(socket)
    expect(socket.frames).toHaveLength(failsAt - 1)
    expect(socket.events.at(-1)).toEqual(error('GENERATION_FAILED', /^speech could not be generated$/))
    expect([socket.closeCode, node.admission.held]).toEqual([1011, 0])
    expect(await outcome()).toMatchObject({ outcome: 'failed' })
    expect(await readdir(node.audioFolder)).toEqual([])
  })

  it('the end of the node’s time to drain is an error and close 1012 (D6)', async () => {
    const socket = await speaking()
    node.lifecycle.stop()
    expect(socket.events.at(-1)).toEqual(error('BACKEND_ERROR', /shutting down/))
    expect([socket.closeCode, node.synthesizer.running, node.admission.held]).toEqual([1012, 0, 0])
    expect(await outcome()).toMatchObject({ outcome: 'failed' })
  })

  it('a node that drains lets it finish', async () => {
    const socket = await speaking()
    node.lifecycle.draining = true
    while (node.synthesizer.step());
    await isClosed(socket)
    expect(socket.closeCode).toBe(1000)
  })

  it('a reader that reads nothing holds no more than the limit, and gets the rest as it reads (promise 11)', async () => {
    const socket = await speaking('stalled', 60)
    while (node.synthesizer.step());
    // The disk may still hold the stream back; once it is through, the reader alone does.
    const full = Math.floor(STREAM_BUFFER_BYTES_MAX / FRAME_BYTES)
    await eventually(() => {
      while (node.synthesizer.step());
      return node.synthesizer.made
    }).toBe(full)
    await eventually(() => {
      socket.drain(50_000)
      while (node.synthesizer.step());
      return socket.closeCode
    }).toBe(1000)
    expect(socket.frames).toHaveLength(60)
    expect(socket.bufferedBytesMost).toBeLessThanOrEqual(STREAM_BUFFER_BYTES_MAX + 1_000)
  })
})

describe('the file', () => {
  it('that is still being completed does not keep a client from cancelling', async () => {
    let complete = () => {}
    const finishing = new Promise<void>((resolve) => {
      complete = resolve
    })
    const createWav = node.services.audioFiles.createWav.bind(node.services.audioFiles)
    vi.spyOn(node.services.audioFiles, 'createWav').mockImplementation((sampleRate) => {
      const wav = createWav(sampleRate)
      const finish = wav.finish.bind(wav)
      vi.spyOn(wav, 'finish').mockImplementation(() => finishing.then(finish))
      return wav
    })
    const socket = await waiting()
    socket.receive(START)
    socket.receive({ type: 'cancel' })
    complete()
    expect((await outcome())?.outcome).toBe('cancelled')
    expect(socket.events.at(-1)).toEqual({ type: 'cancelled' })
    expect(socket.closeCode).toBe(1000)
  })

  it('that can’t be stored is an error after all the audio, and close 1011', async () => {
    const createWav = node.services.audioFiles.createWav.bind(node.services.audioFiles)
    vi.spyOn(node.services.audioFiles, 'createWav').mockImplementation((sampleRate) => {
      const wav = createWav(sampleRate)
      vi.spyOn(wav, 'finish').mockRejectedValue(new Error('ENOSPC'))
      return wav
    })
    const socket = await waiting()
    socket.receive(START)
    await isClosed(socket)
    expect(socket.frames).toHaveLength(3)
    expect(socket.events.at(-1)).toEqual(error('INTERNAL_ERROR', /could not be completed/))
    expect([socket.closeCode, (await outcome())?.outcome]).toEqual([1011, 'failed'])
  })
})

describe('a socket whose token is for an enrolled voice', () => {
  async function ownToken(): Promise<string> {
    const fields = { text_length: 20, voice_id: OWN_VOICE }
    const response = await node.post('/api/v1/tts/stream-token', fields, { key: node.adminKey })
    return response.json.data.stream_token
  }

  it('speaks with it', async () => {
    const socket = node.connect(await ownToken())
    await eventually(() => node.clock.timers).toBe(1)
    socket.receive(START)
    await isClosed(socket)
    expect([socket.closeCode, node.synthesizer.requests[0]?.voiceId]).toEqual([1000, OWN_VOICE])
  })

  it('is told when its features are lost, closed with 1011, and keeps its token', async () => {
    const token = await ownToken()
    const load = vi.spyOn(node.services.voiceFiles, 'load').mockResolvedValue(undefined)
    const socket = node.connect(token)
    await isClosed(socket)
    expect([socket.events, socket.closeCode]).toEqual([[error('VOICE_FEATURE_UNAVAILABLE', /features/)], 1011])
    expect(node.admission.held).toBe(0)
    load.mockRestore()
    const again = node.connect(token)
    await eventually(() => node.clock.timers).toBe(1)
    again.receive(START)
    await isClosed(again)
    expect(again.closeCode).toBe(1000)
  })
})
