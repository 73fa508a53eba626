import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as edgeErrors from '../../src/api/edge-errors.ts'
import { renderError } from '../../src/api/errors.ts'
import { routes } from '../../src/api/routes.ts'
import { DecoderPool } from '../../src/inference/decoder-pool.ts'
import { ENROLLMENT_FILE_BYTES_MAX } from '../../src/limits.ts'
import { VoiceLearner } from '../../src/pipelines/voice-learner.ts'
import { systemClock } from '../../src/runtime/clock.ts'
import { OWN_VOICE, TestNode } from '../api/test-node.ts'
import { enrollmentForm } from '../api/voice-form.ts'
import { waitFor } from '../wait-for.ts'
import { RawClient, send, startEdge } from './edge.ts'

/*
 * Enrollment over real sockets, with the real decoder. Only the engine that learns the voice is a fake.
 */

const FIXTURES = fileURLToPath(new URL('../fixtures/audio/', import.meta.url))
const PATH = '/api/v1/voices'
const decoder = new DecoderPool('dist/workers/decoder.js', systemClock)
afterAll(() => decoder.close())

let node: TestNode
let port: number
let spoolFolder: string
beforeEach(async () => {
  node = await TestNode.start()
  const { services, spool, fitter } = node
  Object.assign(services, { voiceLearner: new VoiceLearner({ decoder, spool, fitter }) })
  const { requests } = routes(services)
  const { port: free } = await startEdge({
    ...{ routes: requests, spool, errors: edgeErrors },
    renderError: (error, exchange) => renderError(error, exchange, services.log),
  })
  port = free
  spoolFolder = join(node.audioFolder, '..', 'spool')
})
afterEach(async () => {
  await waitFor(() => isFree(spoolFolder), 'the spool to be empty')
  expect([node.spool.usedBytes, node.admission.held]).toEqual([0, 0])
  await node.stop()
})

async function enroll(form: FormData) {
  const response = await fetch(`http://127.0.0.1:${port}${PATH}`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${node.adminKey}` },
    body: form,
  })
  return { status: response.status, headers: response.headers, json: JSON.parse(await response.text()) }
}

describe('a recording of every kind the contract lists', () => {
  /** Extension → a file of that kind. */
  const FILES: Readonly<Record<string, string>> = {
    ...{ m4a: 'tone.m4a', mp3: 'tone.mp3', wav: 'tone.wav', wave: 'tone.wav', aac: 'tone.aac', ogg: 'opus.ogg' },
    ...{ oga: 'flac.ogg', opus: 'tone.opus', flac: 'tone.flac', weba: 'vorbis.weba', aif: 'tone.aiff' },
    ...{ aiff: 'tone.aiff', aifc: 'float.aifc', caf: 'tone.caf', wma: 'tone.wma', amr: 'tone.amr' },
    ...{ mp4: 'faststart.mp4', m4b: 'tone.m4b' },
  }

  it.each(Object.entries(FILES))('.%s is heard and enrolled', async (extension, name) => {
    const bytes = await readFile(join(FIXTURES, name))
    const file = new File([bytes], `voice.${extension}`)
    const { status, json } = await enroll(enrollmentForm({ file }))
    expect([status, json.data.file_name, json.data.file_size]).toEqual([201, `voice.${extension}`, bytes.length])
    expect(node.fitter.heard).toHaveLength(1)
    expect(Math.abs((node.fitter.heard[0] ?? 0) - 1.2)).toBeLessThan(0.08)
    expect(await readFile(join(node.voiceFolder, json.data.voice_id, 'reference'))).toEqual(bytes)
  })

  it.each(['tone.webm', 'adpcm.wav', 'fragmented.mp4'])(
    'audio/… without a name that tells is, too: %s',
    async (name) => {
      const file = new File([await readFile(join(FIXTURES, name))], 'blob', { type: 'audio/whatever' })
      expect((await enroll(enrollmentForm({ file }))).status).toBe(201)
    },
  )

  it('that is no audio is VALIDATION_FAILED', async () => {
    for (const bytes of [Buffer.from('#!/bin/sh\n'), await readFile(join(FIXTURES, 'video-only.mp4'))]) {
      const { status, json } = await enroll(enrollmentForm({ file: new File([bytes], 'voice.mp3') }))
      expect([status, json.error.code, json.error.details[0].field]).toEqual([400, 'VALIDATION_FAILED', 'file'])
    }
  })
})

describe('an upload', () => {
  it('is answered with an id of its request, and takes the voice away again by DELETE', async () => {
    const { headers, json } = await enroll(enrollmentForm({ file: await tone() }))
    expect(headers.get('x-request-id')).toBeTruthy()
    const path = `${PATH}/${json.data.voice_id}`
    const auth = { Authorization: `Bearer ${node.adminKey}` }
    const { status, text } = await send(port, 'DELETE', path, { headers: auth })
    expect([status, JSON.parse(text).data.deleted]).toEqual([200, true])
    expect(await readdir(node.voiceFolder)).toEqual([OWN_VOICE])
  })

  it('keeps names in any script', async () => {
    const file = new File([await readFile(join(FIXTURES, 'tone.amr'))], 'Größe 声.amr')
    const { json } = await enroll(
      enrollmentForm({ file, name: 'Zoë 声 🎙', description: 'ruhig, tief\r\nzweite Zeile' }),
    )
    expect(json.data).toMatchObject({
      ...{ file_name: 'Größe 声.amr', name: 'Zoë 声 🎙', description: 'ruhig, tief\r\nzweite Zeile' },
    })
  })

  it('of more than 10 MiB is refused as soon as that is known, however much is still to come', async () => {
    const client = new RawClient(port)
    const chunk = Buffer.alloc(256 * 1024, 'x')
    begin(client, 'Transfer-Encoding: chunked')
    const head = partHead()
    client.write(`${head.length.toString(16)}\r\n${head}\r\n`)
    for (let sent = 0; sent <= ENROLLMENT_FILE_BYTES_MAX; sent += chunk.length) {
      client.write(`${chunk.length.toString(16)}\r\n`)
      client.write(chunk)
      client.write('\r\n')
    }
    const answer = await client.until(/\}\}$/)
    expect(answer).toMatch(/^HTTP\/1\.1 400 /)
    expect(answer).toContain('"details":[{"field":"file","rule":"max_size"')
  })

  it('whose length says that it is too long is refused before it is sent', async () => {
    const client = new RawClient(port)
    begin(client, `Content-Length: ${ENROLLMENT_FILE_BYTES_MAX + 1_000_000}`)
    client.write(partHead())
    expect(await client.until(/\}\}$/)).toMatch(/"rule":"max_size"/)
  })

  it('that comes bit by bit is as good as any', async () => {
    const body = await wholeBody()
    const client = new RawClient(port)
    begin(client, `Content-Length: ${body.length}`)
    for (let at = 0; at < body.length; at += 1_000) {
      client.write(body.subarray(at, at + 1_000))
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect(await client.until(/\}\}$/)).toMatch(/^HTTP\/1\.1 201 /)
  })

  it.each(['before its last byte', 'while its voice is learnt'])('cut off %s leaves nothing', async (when) => {
    let open = () => {}
    node.fitter.gate = new Promise((resolve) => {
      open = resolve
    })
    const body = await wholeBody()
    const client = new RawClient(port)
    begin(client, `Content-Length: ${body.length}`)
    if (when === 'before its last byte') {
      client.write(body.subarray(0, -1))
      await waitFor(() => node.spool.usedBytes > 0, 'the upload')
    } else {
      client.write(body)
      await waitFor(() => node.fitter.heard.length === 1, 'the fitter')
    }
    client.reset()
    const isHeard = () => node.fitter.signal?.aborted === true
    await waitFor(async () => (await isFree(spoolFolder)) || isHeard(), 'the node to hear of it')
    open()
    await waitFor(() => isFree(spoolFolder), 'the end of the enrollment')
    expect([node.ledger.voicesOf(node.accountId), await readdir(node.voiceFolder)]).toEqual([[], [OWN_VOICE]])
  })

  it('of a description past all bounds is told so as a field', async () => {
    const { status, json } = await enroll(enrollmentForm({ description: 'x'.repeat(20_000) }))
    expect([status, json.error.details]).toEqual([
      400,
      [{ field: 'description', rule: 'max_length', message: 'description must be at most 16384 bytes' }],
    ])
  })
})

function begin(client: RawClient, ...headers: string[]) {
  const auth = `Authorization: Bearer ${node.adminKey}`
  client.request('POST', PATH, auth, 'Content-Type: multipart/form-data; boundary=frontier', ...headers)
}

const isFree = async (folder: string) => (await readdir(folder)).length === 0

const partHead = () =>
  '--frontier\r\nContent-Disposition: form-data; name="file"; filename="a.wav"\r\nContent-Type: audio/wav\r\n\r\n'

const tone = async () => new File([await readFile(join(FIXTURES, 'tone.amr'))], 'tone.amr')

async function wholeBody(): Promise<Buffer> {
  const fields = ['name', 'Ada', 'consent', 'true']
  const text = [0, 2].map(
    (at) => `\r\n--frontier\r\nContent-Disposition: form-data; name="${fields[at]}"\r\n\r\n${fields[at + 1]}`,
  )
  const audio = await readFile(join(FIXTURES, 'tone.mp3'))
  return Buffer.concat([Buffer.from(partHead()), audio, Buffer.from(`${text.join('')}\r\n--frontier--\r\n`)])
}
