import { describe, expect, it, vi } from 'vitest'
import { SyrinxClient, type TranscriptionProgress } from '../../src/client/client.ts'
import { ok, refusal, ScriptedService, streamed, TRANSCRIPT } from './scripted-service.ts'

const STARTED = { type: 'started', duration_seconds: 3, chunks_total: 1, provider: 'syrinx', model: 'm' }
const CHUNK = { type: 'chunk', index: 0, chunks_total: 1, start: 0, end: 3, text: 'Hi.', combined_text: 'Hi.' }
const FINAL = { type: 'final', text: 'Hi.', language: 'en', is_final: true, segments: [] }
const lines = (...values: object[]) => values.map((value) => `${JSON.stringify(value)}\n`)

function clientOver(...answers: Response[]): { client: SyrinxClient; service: ScriptedService } {
  const service = new ScriptedService(...answers)
  return {
    client: new SyrinxClient({ baseUrl: 'http://node', apiKey: 'k', fetch: service.fetch, retries: 0 }),
    service,
  }
}

async function collected(progress: AsyncIterable<TranscriptionProgress>, into: unknown[] = []): Promise<unknown[]> {
  for await (const line of progress) into.push(line)
  return into
}

describe('a file', () => {
  it('is sent with its name and its language, the language first', async () => {
    const { client, service } = clientOver(ok({ text: 'Hi.' }))
    const file = new File([Uint8Array.of(1, 2)], 'talk.mp3')
    expect(await client.transcribe(file, { language: 'en', word_timestamps: true })).toEqual({ text: 'Hi.' })
    const [{ url, body } = {}] = service.sent
    expect(url).toBe('http://node/api/v1/stt/transcriptions?word_timestamps=true')
    if (!(body instanceof FormData)) throw new Error('not a form')
    expect([...body.keys()]).toEqual(['language', 'audio'])
    expect(body.get('audio')).toMatchObject({ name: 'talk.mp3', size: 2 })
  })

  it('may be bytes', async () => {
    const { client, service } = clientOver(ok({ text: '' }))
    await client.transcribe(Buffer.from('abc').subarray(1))
    const { body } = service.sent[0] ?? {}
    if (!(body instanceof FormData)) throw new Error('not a form')
    expect(body.get('audio')).toMatchObject({ name: 'audio', size: 2 })
  })

  it('is told of line by line', async () => {
    const { client, service } = clientOver(streamed(lines(STARTED, CHUNK, FINAL)))
    expect(await collected(client.transcribeByLines(new Uint8Array(2)))).toEqual([STARTED, CHUNK, FINAL])
    expect(service.sent[0]?.url).toBe('http://node/api/v1/stt/transcriptions?stream=true')
  })

  it('fails with its last line, after what was paid for', async () => {
    const error = { type: 'error', code: 'QUOTA_EXCEEDED', message: 'no' }
    const { client } = clientOver(streamed(lines(STARTED, CHUNK, error)))
    const seen: unknown[] = []
    await expect(collected(client.transcribeByLines(new Uint8Array(2)), seen)).rejects.toMatchObject({
      code: 'QUOTA_EXCEEDED',
      requestId: 'req_1',
    })
    expect(seen).toEqual([STARTED, CHUNK])
  })

  it('is interrupted where the lines stop before the last', async () => {
    for (const isCut of [true, false]) {
      const { client } = clientOver(streamed(lines(STARTED), isCut))
      const reading = collected(client.transcribeByLines(new Uint8Array(2)))
      await expect(reading).rejects.toMatchObject({ code: 'STREAM_INTERRUPTED' })
    }
  })

  it('is given up by leaving the loop', async () => {
    const response = streamed(lines(STARTED, CHUNK, FINAL))
    const { client } = clientOver(response)
    for await (const _ of client.transcribeByLines(new Uint8Array(2))) break
    expect(response.wasCancelled).toBe(true)
  })

  it.each([
    [403, 'QUOTA_EXCEEDED'],
    [500, 'internal_error'],
    [502, 'stt_upstream_error'],
    [503, 'STT_UNAVAILABLE'],
  ])(
    'is not sent again after a %i with a transcript, which was paid for and comes with the error',
    async (status, code) => {
      const body = { ok: false, error: { code, message: 'no' }, data: TRANSCRIPT }
      const service = new ScriptedService(
        Response.json(body, { status, headers: { 'Retry-After': '0' } }),
        ok(TRANSCRIPT),
      )
      const client = new SyrinxClient({ baseUrl: 'http://node', apiKey: 'k', fetch: service.fetch })
      await expect(client.transcribe(new Uint8Array(2))).rejects.toMatchObject({ code, transcript: TRANSCRIPT })
      expect(service.sent).toHaveLength(1)
    },
  )
})

describe('the other calls', () => {
  it('enroll and delete voices', async () => {
    const { client, service } = clientOver(ok({ voice_id: 'voice_1' }), ok({ deleted: true }))
    await client.voices.enroll({
      file: new Blob(['a']),
      name: 'Ada',
      consent: true,
      gender: 'other',
      file_name: 'a.wav',
    })
    await client.voices.delete('voice_1/..')
    const { body } = service.sent[0] ?? {}
    if (!(body instanceof FormData)) throw new Error('not a form')
    expect([...body].map(([name, value]) => [name, value instanceof File ? value.name : value])).toEqual([
      ['name', 'Ada'],
      ['consent', 'true'],
      ['gender', 'other'],
      ['file', 'a.wav'],
    ])
    expect(service.sent[1]).toMatchObject({ method: 'DELETE', url: 'http://node/api/v1/voices/voice_1%2F..' })
  })

  it('list keys', async () => {
    const keys = { admin: [], tts: [], stt: [] }
    expect(await clientOver(ok({ keys })).client.keys()).toEqual(keys)
  })

  it('generate under an Idempotency-Key that stays the same when repeated', async () => {
    const service = new ScriptedService(refusal(500, 'BACKEND_ERROR'), ok({ audio_url: '/audio/x' }))
    const client = new SyrinxClient({ baseUrl: 'http://node', apiKey: 'k', fetch: service.fetch, retries: 1 })
    vi.useFakeTimers()
    const answer = client.generate('Hi.', { duration: 2 })
    await vi.runAllTimersAsync()
    vi.useRealTimers()
    expect(await answer).toEqual({ audio_url: '/audio/x' })
    const [first, second] = service.sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(first).toMatch(/^[0-9a-f-]{36}$/)
    expect(second).toBe(first)
    expect(service.sent[0]?.body).toEqual({ text: 'Hi.', duration: 2 })
  })

  it('speak into a file', async () => {
    const headers = { 'Content-Type': 'audio/wav', 'X-Service-Chars-Deducted': '3', 'X-Request-Id': 'req_2' }
    const { client } = clientOver(new Response(Uint8Array.of(1, 2), { headers }))
    expect(await client.speakFile('Hi.', { format: 'wav' })).toEqual({
      bytes: Uint8Array.of(1, 2).buffer,
      type: 'audio/wav',
      charactersDeducted: 3,
      requestId: 'req_2',
    })
  })
})
