import { describe, expect, it } from 'vitest'
import { base32Id, base62Secret, type Random, systemRandom } from '../../src/runtime/random.ts'

const filledWith = (value: number): Random => ({ bytes: (length) => new Uint8Array(length).fill(value) })

describe('random text', () => {
  it('is 43 letters and digits for a secret, whatever the bytes', () => {
    expect(base62Secret(filledWith(0))).toBe('0'.repeat(43))
    expect(base62Secret(filledWith(255))).toMatch(/^[0-9A-Za-z]{43}$/)
    expect(base62Secret(systemRandom)).not.toBe(base62Secret(systemRandom))
  })

  it('keeps all 256 bits of a secret', () => {
    const counting: Random = { bytes: (length) => Uint8Array.from({ length }, (_, i) => i) }
    const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    let value = 0n
    for (const letter of base62Secret(counting)) value = value * 62n + BigInt(alphabet.indexOf(letter))
    const bytes = [...counting.bytes(32)].reduce((sum, byte) => (sum << 8n) | BigInt(byte), 0n)
    expect(value).toBe(bytes)
  })

  it('is lower-case base32 of the length asked for as an identifier', () => {
    expect(base32Id(systemRandom, 20)).toMatch(/^[a-z2-7]{20}$/)
  })
})
