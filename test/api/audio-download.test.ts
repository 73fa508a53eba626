import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { AUDIO_URL_LIFETIME_MS } from '../../src/limits.ts'
import { TestNode } from './test-node.ts'

const CONTENT = Buffer.from('0123456789')

let node: TestNode
let link = ''
let etag = ''
beforeEach(async () => {
  node = await TestNode.start()
  const name = await node.services.audioFiles.store(CONTENT, 'mp3')
  link = node.services.audioFiles.link(name)
  etag = `"${name}"`
})
afterEach(() => node.stop())

const get = (headers: Record<string, string> = {}, method = 'GET', url = link) =>
  node.call(method, url, undefined, { key: null, headers })

describe('a finished file', () => {
  it('is answered whole, with what a player and a cache need (D25)', async () => {
    const response = await get()
    expect([response.status, response.bytes]).toEqual([200, CONTENT])
    expect(response.headers).toEqual({
      'Content-Length': '10',
      'Content-Type': 'audio/mpeg',
      'Content-Disposition': 'attachment; filename="service.mp3"',
      'Accept-Ranges': 'bytes',
      ETag: etag,
      'Cache-Control': `private, max-age=${AUDIO_URL_LIFETIME_MS / 1000}, immutable`,
    })
  })

  it('is answered to HEAD without its body, Range or not', async () => {
    const response = await get({ range: 'bytes=0-1' }, 'HEAD')
    expect([response.status, response.headers['Content-Length'], response.bytes.length]).toEqual([200, '10', 0])
  })

  it.each([
    ['bytes=0-0', '0', 'bytes 0-0/10'],
    ['bytes=2-5', '2345', 'bytes 2-5/10'],
    ['bytes=7-', '789', 'bytes 7-9/10'],
    ['bytes=-3', '789', 'bytes 7-9/10'],
    ['bytes=-99', '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', '89', 'bytes 8-9/10'],
    ['bytes=9-9', '9', 'bytes 9-9/10'],
  ])('answers %s with 206 and %j', async (range, expected, contentRange) => {
    const response = await get({ range })
    expect([response.status, response.bytes.toString()]).toEqual([206, expected])
    expect(response.headers).toMatchObject({ 'Content-Range': contentRange, 'Content-Length': `${expected.length}` })
  })

  it.each(['bytes=10-', 'bytes=10-20', 'bytes=-0'])('answers %s with 416 and its size', async (range) => {
    const response = await get({ range })
    expect([response.status, response.json.error.code]).toEqual([416, 'BAD_REQUEST'])
    expect(response.headers['Content-Range']).toBe('bytes */10')
  })

  it.each(['bytes=0-1,3-4', 'bytes=5-2', 'bytes=-', 'bytes=a-b', 'lines=0-1', 'bytes 0-1', ''])(
    'ignores %j and answers the whole',
    async (range) => {
      const response = await get({ range })
      expect([response.status, response.bytes]).toEqual([200, CONTENT])
    },
  )

  it.each<[string, number]>([
    ['same', 304],
    ['weak', 304],
    ['list', 304],
    ['*', 304],
    ['"another"', 200],
  ])('with If-None-Match %s is %i', async (tags, status) => {
    const named: Record<string, string> = { same: etag, weak: `W/${etag}`, list: `"x", ${etag}` }
    const response = await get({ 'if-none-match': named[tags] ?? tags })
    expect([response.status, response.headers.ETag]).toEqual([status, etag])
    if (status === 304) expect(response.bytes).toHaveLength(0)
  })

  it('honours If-Range: a part of the same content, else the whole', async () => {
    const range = 'bytes=0-1'
    expect((await get({ range, 'if-range': etag })).status).toBe(206)
    expect((await get({ range, 'if-range': '"another"' })).status).toBe(200)
    expect((await get({ range, 'if-range': 'Wed, 20 May 2026 12:00:00 GMT' })).status).toBe(200)
  })

  it('lets a cache keep it no longer than its address holds', async () => {
    node.clock.advance(AUDIO_URL_LIFETIME_MS - 5_000)
    expect((await get()).headers['Cache-Control']).toBe('private, max-age=5, immutable')
  })

  it.each<[string, () => string]>([
    ['is unsigned', () => link.replace(/\?.*/, '')],
    ['has another signature', () => link.replace(/signature=./, 'signature=')],
    ['names another file', () => link.replace(/\/audio\/./, '/audio/_')],
    [
      'has expired',
      () => {
        node.clock.advance(AUDIO_URL_LIFETIME_MS)
        return link
      },
    ],
  ])('is 404 NOT_FOUND at an address that %s', async (_, makeUrl) => {
    const response = await get({}, 'GET', makeUrl())
    expect([response.status, response.json.error.code]).toEqual([404, 'NOT_FOUND'])
  })

  it('is 404 when it has been removed', async () => {
    await node.services.audioFiles.sweep(Number.MAX_SAFE_INTEGER)
    expect((await get()).status).toBe(404)
  })
})
