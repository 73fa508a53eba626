import { describe, expect, it } from 'vitest'
import { remoteAddress } from '../../src/http/remote-address.ts'

const bytes = (...values: number[]) => new Uint8Array(values).buffer
const mapped = (...values: number[]) => bytes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, ...values)
const loopback6 = bytes(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1)

describe('the address of a client', () => {
  it('is that of the peer, in its usual spelling', () => {
    expect(remoteAddress(bytes(192, 0, 2, 7), undefined)).toBe('192.0.2.7')
    expect(remoteAddress(mapped(192, 0, 2, 7), undefined)).toBe('192.0.2.7')
    expect(remoteAddress(loopback6, undefined)).toBe('::1')
    expect(remoteAddress(bytes(0x20, 1, 0xd, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), undefined)).toBe('2001:db8::1')
    expect(remoteAddress(bytes(), undefined)).toBe('')
  })

  it.each([
    ['IPv4', bytes(127, 0, 0, 1)],
    ['IPv6', loopback6],
    ['mapped', mapped(127, 0, 0, 1)],
  ])('behind a proxy on this machine (%s) is the one the proxy saw, not what the client claimed', (_, proxy) => {
    expect(remoteAddress(proxy, '203.0.113.9')).toBe('203.0.113.9')
    expect(remoteAddress(proxy, '10.0.0.1, 203.0.113.9')).toBe('203.0.113.9')
    expect(remoteAddress(proxy, '10.0.0.1,2001:db8::2')).toBe('2001:db8::2')
  })

  it('is never taken from the header of another peer, nor from one that holds no address', () => {
    expect(remoteAddress(bytes(192, 0, 2, 7), '203.0.113.9')).toBe('192.0.2.7')
    expect(remoteAddress(bytes(127, 0, 0, 1), 'unknown')).toBe('127.0.0.1')
    expect(remoteAddress(bytes(127, 0, 0, 1), '203.0.113.9, ')).toBe('127.0.0.1')
  })
})
