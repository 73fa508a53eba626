import { describe, expect, it } from 'vitest'
import { publicOrigin, ttsSocketUrl } from '../../src/api/public-urls.ts'
import { FakeExchange } from './fake-exchange.ts'

const requestWith = (headers: Record<string, string>) =>
  new FakeExchange('request_1', { method: 'GET', url: '/', headers }).request

describe('addresses (D25)', () => {
  it.each<[string | undefined, string | undefined, Record<string, string>, string, string]>([
    [undefined, undefined, { host: 'a.example:8080' }, 'http://a.example:8080', 'ws://a.example:8080'],
    [undefined, undefined, { host: '[::1]:8080' }, 'http://[::1]:8080', 'ws://[::1]:8080'],
    [undefined, undefined, { host: 'a.example', 'x-forwarded-proto': 'https' }, 'https://a.example', 'wss://a.example'],
    [
      undefined,
      undefined,
      { host: 'a.example', 'x-forwarded-proto': 'HTTPS, http' },
      'https://a.example',
      'wss://a.example',
    ],
    [undefined, undefined, { host: 'a.example', 'x-forwarded-proto': 'gopher' }, 'http://a.example', 'ws://a.example'],
    ['https://tts.example', undefined, { host: 'inside' }, 'https://tts.example', 'wss://tts.example'],
    ['https://tts.example', 'wss://ws.example', { host: 'inside' }, 'https://tts.example', 'wss://ws.example'],
    ['https://tts.example', undefined, { host: '' }, 'https://tts.example', 'wss://tts.example'],
  ])('with %j and %j, asked with %j, are %s and %s', (publicUrl, publicWsUrl, headers, http, ws) => {
    const addresses = { publicUrl, publicWsUrl }
    expect(publicOrigin(addresses, requestWith(headers))).toBe(http)
    expect(ttsSocketUrl(addresses, requestWith(headers))).toBe(`${ws}/ws/tts/stream`)
  })

  it.each(['', 'a b', 'a.example/path', 'user@a.example', 'a.example:port', '"x"'])('refuse the Host %j', (host) => {
    const nowhere = { publicUrl: undefined, publicWsUrl: undefined }
    expect(() => publicOrigin(nowhere, requestWith({ host }))).toThrow(/^the Host header must/)
  })
})
