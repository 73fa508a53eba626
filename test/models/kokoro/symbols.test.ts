import { describe, expect, it } from 'vitest'
import { isPronounceable, modelInput, symbolIds } from '../../../models/kokoro/symbols.ts'

describe('the symbol table', () => {
  it('turns phonemes into ids and leaves out what the model does not know', () => {
    expect(symbolIds('hˈAlO.')).toEqual([50, 156, 24, 54, 31, 4])
    expect(symbolIds('a#b☃')).toEqual([43, 44])
  })

  it('counts a combining tilde as a symbol of its own', () => {
    expect(symbolIds('ɔ\u0303')).toEqual([76, 17])
  })

  it('puts a boundary before and after', () => {
    expect([...modelInput([43])]).toEqual([0n, 43n, 0n])
  })

  it('tells speech from punctuation', () => {
    expect(isPronounceable('hɛ')).toBe(true)
    expect(isPronounceable(' … — !')).toBe(false)
    expect(isPronounceable('')).toBe(false)
  })
})
