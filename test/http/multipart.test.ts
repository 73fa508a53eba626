import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { BodyTooLarge, ClientGone } from '../../src/api/exchange.ts'
import { FileTooLarge, type FormRules, MalformedForm } from '../../src/api/form.ts'
import { readForm } from '../../src/http/multipart.ts'
import { systemRandom } from '../../src/runtime/random.ts'
import { Spool, SpoolFull } from '../../src/runtime/spool.ts'
import { waitFor } from '../wait-for.ts'
import { patterned, post, RawClient, send, startEdge } from './edge.ts'

const RULES: FormRules = { fields: ['language', 'empty', 'später'], files: ['audio', 'file'], fileBytesMax: 1_000_000 }
const TYPE = 'multipart/form-data; boundary=frontier'

interface Part {
  readonly name: string
  readonly value: string | Uint8Array
  readonly fileName?: string
  readonly type?: string
}

function multipart(...parts: readonly Part[]): Buffer {
  const pieces = parts.flatMap(({ name, value, fileName, type }) => [
    Buffer.from(
      [
        `--frontier\r\nContent-Disposition: form-data; name="${name}"`,
        ...(fileName === undefined ? [] : [`; filename="${fileName}"`]),
        ...(type === undefined ? [] : [`\r\nContent-Type: ${type}`]),
        '\r\n\r\n',
      ].join(''),
    ),
    Buffer.from(value),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...pieces, Buffer.from('--frontier--\r\n')])
}

async function openSpool(bytesMax = 10_000_000) {
  const folder = mkdtempSync(join(tmpdir(), 'syrinx-multipart-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return { folder, spool: await Spool.open(folder, bytesMax, systemRandom) }
}

/** A body that arrives in pieces of the given lengths, the last of them again and again. */
function arriving(bytes: Uint8Array, ...lengths: readonly number[]) {
  return {
    async stream(limitBytes: number, write: (piece: Uint8Array) => Promise<void>) {
      if (bytes.length > limitBytes) throw new BodyTooLarge()
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const length = lengths[Math.min(i, lengths.length - 1)] ?? bytes.length
        await write(bytes.subarray(at, at + length))
        at += length
      }
    },
  }
}

/** Parts whose heads name nothing, the first of them too long. */
function nameless(): Buffer {
  const part = (value: string) => `--frontier\r\nContent-Disposition: form-data\r\n\r\n${value}\r\n`
  return Buffer.from(`${part('x'.repeat(20_000))}${part('a')}${part('b')}--frontier--\r\n`)
}

const AUDIO: Part = { name: 'audio', value: patterned(200_000), fileName: 'speech.wav', type: 'audio/wav' }

describe('a form', () => {
  it.each([1, 7, 100, 65_536])('is read whole from pieces of %i bytes', async (length) => {
    const { spool, folder } = await openSpool()
    const audio = patterned(length === 1 ? 3_000 : 200_000)
    const body = multipart(
      { name: 'language', value: 'en' },
      { ...AUDIO, value: audio },
      { name: 'empty', value: '' },
      { name: 'später', value: 'grüße 🎤' },
    )
    const form = await readForm(arriving(body, length), TYPE, RULES, spool)
    expect({ ...form.fields }).toEqual({ language: 'en', empty: '', später: 'grüße 🎤' })
    const { path, ...file } = form.files.audio!
    expect([file, Object.keys(form.files)]).toEqual([
      { name: 'speech.wav', mimeType: 'audio/wav', bytes: audio.length },
      ['audio'],
    ])
    expect(readFileSync(path).equals(audio)).toBe(true)
    await form.dispose()
    await form.dispose()
    expect([readdirSync(folder), spool.usedBytes]).toEqual([[], 0])
  })

  it('keeps only the files it was asked for, and takes folders off their names', async () => {
    const { spool, folder } = await openSpool()
    const body = multipart(
      { name: 'cover', value: patterned(300_000), fileName: 'cover.png', type: 'image/png' },
      { name: 'file', value: 'x', fileName: 'C:\\music\\a b.mp3' },
    )
    const form = await readForm(arriving(body), TYPE, RULES, spool)
    expect(Object.keys(form.files)).toEqual(['file'])
    expect(form.files.file).toMatchObject({ name: 'a b.mp3', bytes: 1 })
    expect(readdirSync(folder)).toHaveLength(1)
    await form.dispose()
  })

  it('holds all values of a field that may be sent several times', async () => {
    const { spool } = await openSpool()
    const body = multipart({ name: 'kind[]', value: 'word' }, AUDIO, { name: 'kind[]', value: 'segment' })
    const rules = { ...RULES, fields: ['kind[]'] }
    const form = await readForm(arriving(body), TYPE, { ...rules, lists: ['kind[]'] }, spool)
    expect([form.lists, form.fields]).toEqual([{ 'kind[]': ['word', 'segment'] }, {}])
    await form.dispose()
    await expect(readForm(arriving(body), TYPE, rules, spool)).rejects.toThrow('must be sent once')
  })

  it('forgets fields it was not asked for, however often and however long they are (D10)', async () => {
    const { spool } = await openSpool()
    const unknown: Part = { name: 'prompt', value: 'x'.repeat(20_000) }
    const body = multipart(unknown, { name: 'language', value: 'en' }, unknown)
    const form = await readForm(arriving(body), TYPE, RULES, spool)
    expect({ ...form.fields }).toEqual({ language: 'en' })
    await form.dispose()
  })

  it('knows a file by its name or its type, and a text by the lack of both', async () => {
    const { spool } = await openSpool()
    const body = multipart(
      { name: 'audio', value: 'not a file' },
      { name: 'file', value: 'a file', type: 'application/octet-stream' },
    )
    const form = await readForm(arriving(body), TYPE, RULES, spool)
    expect([{ ...form.fields }, Object.keys(form.files)]).toEqual([{ audio: 'not a file' }, ['file']])
    await form.dispose()
  })

  it('whose file is exactly as long as allowed is taken, one byte more is refused as soon as it shows', async () => {
    const { spool, folder } = await openSpool()
    const rules = { ...RULES, fileBytesMax: 1_000 }
    const form = (bytes: number) =>
      readForm(arriving(multipart({ ...AUDIO, value: patterned(bytes) })), TYPE, rules, spool)
    const longest = await form(1_000)
    expect(longest.files.audio?.bytes).toBe(1_000)
    await longest.dispose()
    await expect(form(1_001)).rejects.toThrow(FileTooLarge)
    // So long that the body as a whole is known to be too long.
    await expect(form(200_000)).rejects.toThrow(FileTooLarge)
    expect(readdirSync(folder)).toEqual([])
  })

  it.each<[string, string | undefined, Buffer]>([
    ['of another type', 'application/json', Buffer.from('{}')],
    ['without a type', undefined, multipart(AUDIO)],
    ['without a boundary', 'multipart/form-data', multipart(AUDIO)],
    ['that is empty', TYPE, Buffer.alloc(0)],
    ['that is not what it says', TYPE, Buffer.from('{"audio": "…"}')],
    ['that ends inside a file', TYPE, multipart(AUDIO).subarray(0, 100_000)],
    ['that ends inside a head', TYPE, multipart(AUDIO).subarray(0, 40)],
    ['that names a file twice', TYPE, multipart(AUDIO, AUDIO)],
    ['that names a field twice', TYPE, multipart({ name: 'language', value: 'en' }, { name: 'language', value: 'de' })],
    ['with two texts in place of a file', TYPE, multipart({ name: 'file', value: '1' }, { name: 'file', value: '2' })],
    ['with a field that is too long', TYPE, multipart({ name: 'language', value: 'x'.repeat(20_000) })],
    ['of parts without names', TYPE, nameless()],
    ['of too many fields', TYPE, multipart(...Array.from({ length: 40 }, (_, i) => ({ name: `${i}`, value: '' })))],
    ['of too many files', TYPE, multipart(...Array.from({ length: 40 }, (_, i) => ({ ...AUDIO, name: `${i}` })))],
  ])('%s is refused, and nothing of it stays', async (_, type, body) => {
    const { spool, folder } = await openSpool()
    const rules = { ...RULES, fileBytesMax: 10_000_000 }
    await expect(readForm(arriving(body, 5_000), type, rules, spool)).rejects.toThrow(MalformedForm)
    expect([readdirSync(folder), spool.usedBytes]).toEqual([[], 0])
  })

  it('that the spool has no room for is refused', async () => {
    const { spool, folder } = await openSpool(150_000)
    await expect(readForm(arriving(multipart(AUDIO), 10_000), TYPE, RULES, spool)).rejects.toThrow(SpoolFull)
    expect([readdirSync(folder), spool.usedBytes]).toEqual([[], 0])
  })

  it('whose client leaves is forgotten', async () => {
    const { spool, folder } = await openSpool()
    const body = {
      async stream(_: number, write: (piece: Uint8Array) => Promise<void>) {
        await write(multipart(AUDIO).subarray(0, 50_000))
        throw new ClientGone()
      },
    }
    await expect(readForm(body, TYPE, RULES, spool)).rejects.toThrow(ClientGone)
    expect([readdirSync(folder), spool.usedBytes]).toEqual([[], 0])
  })

  it('is read or refused, whatever was done to its bytes', async () => {
    const { spool, folder } = await openSpool()
    const whole = multipart({ name: 'language', value: 'en' }, { ...AUDIO, value: patterned(2_000) })
    const damage = fc.array(
      fc.record({ at: fc.nat(whole.length - 1), bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }) }),
    )
    await fc.assert(
      fc.asyncProperty(damage, fc.integer({ min: 1, max: 3_000 }), fc.nat(whole.length), async (hits, length, end) => {
        const body = Buffer.from(whole)
        for (const { at, bytes } of hits) body.set(bytes.subarray(0, body.length - at), at)
        const outcome = await readForm(arriving(body.subarray(0, end), length), TYPE, RULES, spool).catch((e) => e)
        if (outcome instanceof Error) expect(outcome).toBeInstanceOf(MalformedForm)
        else await outcome.dispose()
        expect([readdirSync(folder), spool.usedBytes]).toEqual([[], 0])
      }),
      { numRuns: 300 },
    )
  })
})

describe('an upload', () => {
  /** Answers with the length of the file, or fails as the test wants. */
  const upload = post('/upload', async (exchange) => {
    const form = await exchange.form({ ...RULES, fileBytesMax: 30_000_000 })
    try {
      const file = form.files.audio
      exchange.reply(200, {}, file === undefined ? 'none' : `${readFileSync(file.path).length}`)
    } finally {
      await form.dispose()
    }
  })

  it('of many megabytes passes through a memory of some kilobytes', async () => {
    const { spool } = await openSpool(100_000_000)
    const { port } = await startEdge({ routes: [upload], spool, limits: { uploadBytesMax: 2_000_000 } })
    const body = multipart({ ...AUDIO, value: patterned(25_000_000) })
    const answer = await send(port, 'POST', '/upload', { headers: { 'Content-Type': TYPE }, body })
    expect([answer.status, answer.text, spool.usedBytes]).toEqual([200, '25000000', 0])
  })

  it('in chunks arrives whole', async () => {
    const { port } = await startEdge({ routes: [upload] })
    const client = new RawClient(port)
    client.request('POST', '/upload', 'Transfer-Encoding: chunked', `Content-Type: ${TYPE}`)
    const body = multipart(AUDIO)
    for (let at = 0; at < body.length; at += 33_333) {
      const chunk = body.subarray(at, at + 33_333)
      client.write(Buffer.concat([Buffer.from(`${chunk.length.toString(16)}\r\n`), chunk, Buffer.from('\r\n')]))
    }
    client.write('0\r\n\r\n')
    await client.until(/200000$/)
  })

  it('that finds no room is told to come again', async () => {
    const { spool } = await openSpool(50_000)
    const { port } = await startEdge({ routes: [upload], spool })
    const answer = await send(port, 'POST', '/upload', { headers: { 'Content-Type': TYPE }, body: multipart(AUDIO) })
    expect([answer.status, answer.headers['retry-after'], spool.usedBytes]).toEqual([503, '2', 0])
  })

  it('whose client is cut off leaves nothing', async () => {
    const { spool, folder } = await openSpool()
    const { port, server } = await startEdge({ routes: [upload], spool })
    const client = new RawClient(port)
    client.request('POST', '/upload', 'Content-Length: 1000000', `Content-Type: ${TYPE}`)
    client.write(multipart(AUDIO).subarray(0, 150_000))
    await waitFor(() => spool.usedBytes > 0, 'the first bytes on disk')
    client.reset()
    await waitFor(() => server.openCount === 0 && readdirSync(folder).length === 0, 'the file to go')
    expect(spool.usedBytes).toBe(0)
  })

  it('that is refused half-way leaves the connection usable', async () => {
    const { port } = await startEdge({ routes: [upload] })
    const client = new RawClient(port)
    const bad = Buffer.concat([multipart(AUDIO, AUDIO), patterned(3_000_000)])
    client.request('POST', '/upload', `Content-Length: ${bad.length}`, `Content-Type: ${TYPE}`)
    client.write(bad)
    await client.until(/^HTTP\/1\.1 500 /)
    const good = multipart(AUDIO)
    client.request('POST', '/upload', `Content-Length: ${good.length}`, `Content-Type: ${TYPE}`)
    client.write(good)
    await client.until(/200000$/)
  })
})
